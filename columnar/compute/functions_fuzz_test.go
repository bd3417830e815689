package compute

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// FuzzTextParsers: the readers of outside text neither panic nor make text that is no UTF-8
// out of text that is.
func FuzzTextParsers(f *testing.F) {
	for _, seed := range []string{"http://u@h:80/p?q=1#f", "http://[::1%25a]/", "%41+%zz", "YQ==", "%-5.2f|%1$s%<x", "#,##0.00%", "S99,999.9PR", "1,234.5-", "<12>"} {
		f.Add(seed, []byte{0xfe, 0xff, 0, 'a', 0xd8})
	}
	f.Fuzz(func(t *testing.T, text string, b []byte) {
		if u := (&uri{}); u.parse([]byte(text)) {
			for _, part := range []string{"HOST", "PATH", "QUERY", "REF", "PROTOCOL", "FILE", "AUTHORITY", "USERINFO"} {
				u.part(part)
			}
		}
		appendURLDecoded(nil, b)
		appendUnbase64(nil, b)
		appendUnhex(nil, b)
		appendConverted(nil, append([]byte{'-'}, b...), 36, -7)
		require.True(t, utf8.Valid(appendValid(nil, b)))
		for name, c := range charsets {
			if out, ok := appendDecoded(nil, b, c); ok {
				require.True(t, utf8.Valid(out), name)
			}
			appendEncoded(nil, b, c)
		}
		if p, err := parseFormat([]byte(text), 3); err == nil && p.most < 1000 {
			frame := &frame{Evaluator: &Evaluator{}, out: grown(columnar.String)}
			frame.args = []*vector{nil, constant(columnar.Double, math.Pi), constant(columnar.Int, int32(-5)), constantNull(columnar.String)}
			_ = p.append(frame, 0)
		}
		if d, err := parseDecimalFormat(text); err == nil {
			d.append(nil, constant(columnar.Double, -1234.5), 0)
			d.append(nil, constant(columnar.Int, int32(7)), 0)
		}
		if n, err := parseNumberFormat("to_number", text); err == nil {
			n.parse(nil, b)
			n.print(nil, true, "123", "45")
		}
	})
}

// TestLongText: what would be too long fails the row, not the process.
func TestLongText(t *testing.T) {
	for _, name := range []string{"repeat", "lpad", "space", "format_string"} {
		args := map[string][]Expr{
			"repeat":        {Text("ab"), Integer(2_000_000_000, columnar.Int)},
			"lpad":          {Text("ab"), Integer(2_000_000_000, columnar.Int), Text("漢")},
			"space":         {Integer(2_000_000_000, columnar.Int)},
			"format_string": {Text("%2000000000d"), Integer(1, columnar.Int)},
		}[name]
		e, err := Call(name, args...)
		require.NoError(t, err)
		ev := NewDefaultEvaluator()
		c, err := ev.Eval(e, columnar.NewBatch(columnar.NewSchema(), nil, 1), nil)
		require.NoError(t, err, name)
		require.True(t, c.IsNull(0))
		require.ErrorContains(t, ev.Errors()[0].Err, "COLLECTION_SIZE_LIMIT_EXCEEDED", name)
		c.Release()
	}
}

// TestOnce: the first operand of nullif is evaluated once, however deep they nest.
func TestOnce(t *testing.T) {
	e := Column(0, "s", columnar.String, true)
	for range 60 {
		var err error
		upper, err := Call("upper", e)
		require.NoError(t, err)
		e, err = Call("nullif", upper, Text("x"))
		require.NoError(t, err)
	}
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String, Nullable: true})
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewStringColumn([]string{"a", "x"})}, 2)
	defer b.Release()
	c, err := NewDefaultEvaluator().Eval(Fold(e), b, nil)
	require.NoError(t, err)
	defer c.Release()
	require.Equal(t, "A", columnar.StringAt(c, 0))
	require.Equal(t, []int{0}, Columns(e))
}
