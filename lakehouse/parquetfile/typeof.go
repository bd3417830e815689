package parquetfile

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
)

// SchemaOf is the columnar schema of a file; a column of a type that is not supported is an error.
func SchemaOf(f *parquet.File) (*columnar.Schema, error) {
	s := &columnar.Schema{}
	for _, field := range f.Schema().Fields() {
		if !field.Leaf() || field.Repeated() {
			return nil, fmt.Errorf("column %s: nested types are not supported", field.Name())
		}
		t, err := typeOf(field.Type())
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", field.Name(), err)
		}
		s.Fields = append(s.Fields, columnar.Field{Name: field.Name(), Type: t, Nullable: field.Optional()})
	}
	return s, nil
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
