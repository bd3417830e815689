package parquetfile

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
)

// SchemaOf is the columnar schema of a file; a column of a type that is not supported is an error.
func SchemaOf(f *parquet.File) (*columnar.Schema, error) {
	fields, err := fieldsOf(spot{node: f.Schema()})
	if err != nil {
		return nil, fmt.Errorf("column %w", err)
	}
	return columnar.NewSchema(fields...), nil
}

func fieldsOf(at spot) ([]columnar.Field, error) {
	var out []columnar.Field
	for _, f := range at.node.Fields() {
		t, err := typeAt(at.enter(f))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		out = append(out, columnar.Field{Name: f.Name(), Type: t, Nullable: f.Optional()})
	}
	return out, nil
}

// typeAt is the type of what a spot holds.
func typeAt(at spot) (columnar.Type, error) {
	list, mapping := at.annotated()
	if len(at.path) > maxDepth {
		return columnar.Type{}, errDeep
	}
	switch {
	case at.repeated, list:
		_, element, ok := at.list()
		if !ok {
			break
		}
		t, err := typeAt(element)
		if err != nil {
			return t, err
		}
		return columnar.Array(t), nil
	case mapping:
		_, key, value, ok := at.mapping()
		if ok {
			return mapAt(key, value)
		}
	case at.node.Leaf():
		return typeOf(at.node.Type())
	case len(at.node.Fields()) > 0:
		fields, err := fieldsOf(at)
		if err != nil {
			return columnar.Type{}, err
		}
		return columnar.Struct(fields...), nil
	}
	return columnar.Type{}, errors.New("a group of this shape is not supported")
}

func mapAt(key, value spot) (columnar.Type, error) {
	k, err := typeAt(key)
	if err != nil {
		return k, err
	}
	v, err := typeAt(value)
	if err != nil {
		return v, err
	}
	return columnar.Map(k, v), nil
}

// typeOf is the type of a column as Spark reads it.
func typeOf(t parquet.Type) (columnar.Type, error) {
	if l := t.LogicalType(); l != nil && l.Value != nil {
		return logicalType(t, l.Value)
	}
	switch t.Kind() {
	case parquet.Boolean:
		return columnar.Boolean, nil
	case parquet.Int32:
		return columnar.Int, nil
	case parquet.Int64:
		return columnar.BigInt, nil
	case parquet.Int96:
		return columnar.Timestamp, nil
	case parquet.Float:
		return columnar.Float, nil
	case parquet.Double:
		return columnar.Double, nil
	}
	return columnar.Binary, nil
}

// logicalType is the type that the file's annotation gives. parquet-go translates the annotations of old writers.
func logicalType(t parquet.Type, annotation any) (columnar.Type, error) {
	switch v := annotation.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return columnar.String, nil
	case *format.DateType:
		return columnar.Date, nil
	case *format.TimestampType:
		if !v.IsAdjustedToUTC {
			return columnar.TimestampNTZ, nil
		}
		return columnar.Timestamp, nil
	case *format.DecimalType:
		if v.Precision >= 1 && v.Precision <= columnar.MaxDecimalPrecision && v.Scale >= 0 && v.Scale <= v.Precision {
			return columnar.Decimal(int(v.Precision), int(v.Scale)), nil
		}
	case *format.IntType:
		if k, ok := integerType(v); ok {
			return k, nil
		}
	}
	return columnar.Type{}, fmt.Errorf("type %s is not supported", t)
}

// integerType makes room for the values without a sign in the next wider type.
func integerType(v *format.IntType) (columnar.Type, bool) {
	width := int(v.BitWidth)
	if !v.IsSigned {
		width *= 2
	}
	switch width {
	case 8:
		return columnar.TinyInt, true
	case 16:
		return columnar.SmallInt, true
	case 32:
		return columnar.Int, true
	case 64:
		return columnar.BigInt, true
	}
	return columnar.Type{}, false
}
