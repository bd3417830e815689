package decode

import (
	"bytes"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// CSVInference finds the types that the values of CSV records have in common, by
// position. The zero value has seen no record and takes commas.
type CSVInference struct {
	Options CSVOptions
	// Names are those of the columns, such as the values of a header; without them they
	// are _c0, _c1, ...
	Names []string
	types []columnar.Type
}

// Add takes a record into account; one that cannot be taken apart is an error and changes nothing.
func (n *CSVInference) Add(record []byte) error {
	values, err := SplitCSV(record, n.Options)
	if err != nil {
		return err
	}
	for i, v := range values {
		if i == len(n.types) {
			n.types = append(n.types, columnar.Null)
		}
		if len(v) > 0 && string(v) != n.Options.Null {
			n.types[i] = mergeTexts(n.types[i], InferText(v))
		}
	}
	return nil
}

// Type is a STRUCT of the columns so far; one that never had a value is STRING.
func (n *CSVInference) Type() columnar.Type {
	fields := make([]columnar.Field, len(n.types))
	for i, t := range n.types {
		fields[i] = columnar.Field{Name: fmt.Sprintf("_c%d", i), Type: settled(t)}
		if i < len(n.Names) {
			fields[i].Name = n.Names[i]
		}
	}
	return columnar.Struct(fields...)
}

// InferText is the narrowest type that Spark's CSV inference gives a value.
func InferText(s []byte) columnar.Type {
	if v, ok := sqltext.ParseInt(s); ok {
		if v == int64(int32(v)) {
			return columnar.Int
		}
		return columnar.BigInt
	}
	if _, ok := sqltext.ParseFloat(s, 64); ok {
		return columnar.Double
	}
	if _, ok := sqltext.ParseDate(s); ok && len(s) == 10 {
		return columnar.Date
	}
	if _, ok := sqltext.ParseTimestamp(s); ok && bytes.IndexByte(s, ':') > 0 {
		return columnar.Timestamp
	}
	switch string(bytes.ToLower(s)) {
	case "true", "false":
		return columnar.Boolean
	}
	return columnar.String
}

// mergeTexts is the type that the texts of both fit.
func mergeTexts(a, b columnar.Type) columnar.Type {
	switch {
	case a == b, b == columnar.Null:
		return a
	case a == columnar.Null:
		return b
	case a.Numeric() && b.Numeric():
		return columnar.Type{Kind: max(a.Kind, b.Kind)}
	case a == columnar.Date && b == columnar.Timestamp, a == columnar.Timestamp && b == columnar.Date:
		return columnar.Timestamp
	}
	return columnar.String
}
