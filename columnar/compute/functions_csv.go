package compute

import (
	"bytes"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
)

var csvFunctions = []function{
	entry("from_csv", "from_csv(s, schema[, options])", "A CSV record as a STRUCT; what does not fit is NULL. The schema is DDL text; the only option is sep.", "from_csv('1,x', 'a INT, b STRING')", 2, 3, bindNeedsSchema),
	entry("to_csv", "to_csv(v)", "A STRUCT of plain values as a CSV record.", "to_csv(named_struct('a', 1))", 1, 1, bindToCSV),
	entry("schema_of_csv", "schema_of_csv(s)", "The DDL of a CSV record that is constant.", "schema_of_csv('1,abc')", 1, 1, bindSchemaOfCSV),
}

// FromCSV makes a STRUCT of a CSV record, as from_csv does; separator 0 is a comma.
func FromCSV(e Expr, t columnar.Type, separator byte) (Expr, error) {
	if err := plainFields("from_csv", t); err != nil {
		return nil, err
	}
	if e.Type() != columnar.String && e.Type() != columnar.Null {
		return nil, unexpectedInput("from_csv", 0, "STRING", e)
	}
	run := func(f *frame) { f.fromCSV(t, separator) }
	name := fmt.Sprintf("from_csv[%s %q]", t, separator)
	return &call{name: name, args: []Expr{implicit(e, columnar.String)}, typ: t, nullable: true, run: run}, nil
}

// plainFields refuses what is no STRUCT of values that stand in one place.
func plainFields(name string, t columnar.Type) error {
	ok := t.Kind == columnar.StructKind
	for _, f := range t.Parts() {
		ok = ok && !f.Type.Nested() && !f.Type.Interval()
	}
	if !ok {
		return mismatch("INVALID_CSV_SCHEMA", "%s: a record of CSV is a STRUCT without nested fields, got %s.", name, t)
	}
	return nil
}

func (f *frame) fromCSV(t columnar.Type, separator byte) {
	records, err := f.documents(f.args[0])
	if err != nil {
		f.fault = err
		return
	}
	defer records.Release()
	d := decode.NewCSV(columnar.NewSchema(t.Parts()...), decode.CSVOptions{Separator: separator, Lenient: true}, f.mem)
	b, _, err := d.Decode(records)
	if err != nil {
		f.fault = err
		return
	}
	defer b.Release()
	for k, part := range t.Parts() {
		c := b.Column(k)
		c.Retain()
		f.out.kids[k] = f.hold(c, part.Type)
	}
}

func bindToCSV(name string, args []Expr) (Expr, error) {
	if args[0].Type() == columnar.Null {
		return typedNull(columnar.String), nil
	}
	if err := plainFields(name, args[0].Type()); err != nil {
		return nil, err
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			for k, kid := range f.args[0].kids {
				if k > 0 {
					f.out.data = append(f.out.data, ',')
				}
				f.out.data = appendCSV(f.out.data, kid, i)
			}
			f.close(f.out, i, at)
		}
	}
	return &call{name: name, args: args, typ: columnar.String, run: run}, nil
}

// appendCSV writes a value, in quotes where it needs them; NULL is nothing.
func appendCSV(dst []byte, v *vector, row int32) []byte {
	if v.typ == columnar.Null || v.isNull(row) {
		return dst
	}
	switch v.typ.Kind {
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		text := appendJSONTime(nil, valueAt[int64](v, row), v.typ == columnar.Timestamp)
		return append(dst, text[1:len(text)-1]...)
	case columnar.StringKind, columnar.BinaryKind:
		return appendQuoted(dst, unspaced(v.bytesAt(row)))
	}
	return appendText(dst, v, row)
}

// unspaced is a text without the white space around it, which to_csv does not write.
func unspaced(text []byte) []byte {
	return bytes.TrimFunc(text, func(c rune) bool { return c <= ' ' })
}

func appendQuoted(dst, text []byte) []byte {
	if len(text) > 0 && bytes.IndexFunc(text, func(c rune) bool { return c < ' ' || c == ',' || c == '"' }) < 0 {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

func bindSchemaOfCSV(name string, args []Expr) (Expr, error) {
	text, ok := textLiteral(Fold(args[0]))
	if !ok {
		return nil, mismatch("NON_FOLDABLE_INPUT", "the input of %s should be a foldable STRING expression; however, got %s.", name, args[0])
	}
	var n decode.CSVInference
	if err := n.Add([]byte(text)); err != nil {
		return nil, &TypeError{"MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", err.Error()}
	}
	return Text(n.Type().String()), nil
}
