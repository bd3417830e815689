package parquetfile

import (
	"fmt"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/columnar"
)

// node is what the file schema has for a field. Layout, names and physical types are those that Spark writes.
func node(f columnar.Field) (n parquet.Node, err error) {
	if n, err = nodeOf(f.Type); err != nil {
		return nil, err
	}
	if f.Nullable {
		return parquet.Optional(n), nil
	}
	return parquet.Required(n), nil
}

func nodeOf(t columnar.Type) (parquet.Node, error) {
	if !t.Nested() {
		return leafOf(t)
	}
	if len(t.Parts()) == 0 {
		return nil, fmt.Errorf("%s has no fields and cannot be stored", t)
	}
	parts, err := groupOf(t.Parts())
	if err != nil {
		return nil, err
	}
	switch t.Kind {
	case columnar.ArrayKind:
		return parquet.List(parts.fields[0].(*orderedField).Node), nil
	case columnar.MapKind:
		return parquet.Map(parts.fields[0].(*orderedField).Node, parts.fields[1].(*orderedField).Node), nil
	}
	return parts, nil
}

func leafOf(t columnar.Type) (parquet.Node, error) {
	switch t.Kind {
	case columnar.BooleanKind:
		return parquet.Leaf(parquet.BooleanType), nil
	case columnar.TinyIntKind:
		return parquet.Int(8), nil
	case columnar.SmallIntKind:
		return parquet.Int(16), nil
	case columnar.IntKind:
		return parquet.Leaf(parquet.Int32Type), nil
	case columnar.BigIntKind:
		return parquet.Leaf(parquet.Int64Type), nil
	case columnar.FloatKind:
		return parquet.Leaf(parquet.FloatType), nil
	case columnar.DoubleKind:
		return parquet.Leaf(parquet.DoubleType), nil
	case columnar.DecimalKind:
		return decimalLeaf(int(t.Precision), int(t.Scale)), nil
	case columnar.StringKind:
		if fields.found {
			return parquet.Encoded(parquet.String(), &parquet.RLEDictionary), nil
		}
		return parquet.Encoded(parquet.String(), &parquet.Plain), nil
	case columnar.BinaryKind:
		return parquet.Encoded(parquet.Leaf(parquet.ByteArrayType), &parquet.Plain), nil // the default has fewer readers
	case columnar.DateKind:
		return parquet.Date(), nil
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		return parquet.TimestampAdjusted(parquet.Microsecond, t.Kind == columnar.TimestampKind), nil
	case columnar.DayTimeIntervalKind, columnar.YearMonthIntervalKind:
		return nil, fmt.Errorf("%s cannot be stored: CAST it to STRING, or EXTRACT a number from it", t)
	}
	return nil, fmt.Errorf("%s cannot be stored", t)
}

// decimalLeaf is INT32 up to 9 digits, INT64 up to 18, and above the shortest fixed byte array.
func decimalLeaf(precision, scale int) parquet.Node {
	switch {
	case precision <= 9:
		return parquet.Decimal(scale, precision, parquet.Int32Type)
	case precision <= 18:
		return parquet.Decimal(scale, precision, parquet.Int64Type)
	}
	wide := parquet.Decimal(scale, precision, parquet.FixedLenByteArrayType(decimalBytes(precision)))
	return parquet.Leaf(wideDecimal{wide.Type()})
}

// decimalBytes is the fewest bytes that hold every unscaled value of the precision, in two's complement.
func decimalBytes(precision int) int {
	bits := 1 + precision*3322/1000 + 1 // log2(10) = 3.3219...
	return (bits + 7) / 8
}

// ordered is a group whose fields keep their order; parquet.Group sorts them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (g *ordered) Fields() []parquet.Field { return g.fields }

type orderedField struct {
	parquet.Node
	name string
}

func (f *orderedField) Name() string                           { return f.name }
func (f *orderedField) Value(base reflect.Value) reflect.Value { return base.FieldByName(f.name) }

// groupOf keeps the order of the fields.
func groupOf(fields []columnar.Field) (*ordered, error) {
	g := &ordered{Group: parquet.Group{}}
	for _, f := range fields {
		n, err := node(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if _, twice := g.Group[f.Name]; twice {
			return nil, fmt.Errorf("%s: there are two of this name", f.Name)
		}
		g.Group[f.Name] = n
		g.fields = append(g.fields, &orderedField{Node: n, name: f.Name})
	}
	return g, nil
}

// Storable says why a schema cannot be stored in a file, nil if it can.
func Storable(s *columnar.Schema) error {
	_, err := fileSchema(s)
	return err
}

// fileSchema is the Parquet schema of a columnar one.
func fileSchema(s *columnar.Schema) (*parquet.Schema, error) {
	g, err := groupOf(s.Fields)
	if err != nil {
		return nil, fmt.Errorf("column %w", err)
	}
	return parquet.NewSchema("spark_schema", g), nil
}
