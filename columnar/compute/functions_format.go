package compute

import (
	"bytes"

	"github.com/lakewheel/lakewheel/columnar"
)

// formatFunctions print numbers and texts by a pattern.
var formatFunctions = []function{
	entry("format_string", "format_string(format, a, ...)", "printf with the conversions d x X o e E f g G s S c C b B of Java.", "format_string('%05d|%s', 42, 'a')", 1, -1, bindFormatString),
	entry("printf", "printf(format, a, ...)", "printf with the conversions d x X o e E f g G s S c C b B of Java.", "printf('%.2f', 1.5D)", 1, -1, bindFormatString),
	entry("format_number", "format_number(a, d)", "A number with commas and d decimals, or by a pattern such as '#,##0.00'.", "format_number(1234.5, 2)", 2, 2, bindFormatNumber),
}

// bindFormatString sees NULLs: they print as null. A NULL format gives NULL.
func bindFormatString(name string, args []Expr) (Expr, error) {
	format, err := parameter(name, 0, args[0], columnar.String)
	if err != nil {
		return nil, err
	}
	for i, a := range args[1:] {
		switch a.Type().Kind {
		case columnar.BinaryKind, columnar.ArrayKind, columnar.MapKind, columnar.StructKind:
			return nil, unexpectedInput(name, i+1, "a number, BOOLEAN or STRING", a)
		}
	}
	list := append([]Expr{format}, args[1:]...)
	return &call{name: name, args: list, typ: columnar.String, lenient: true, lead: 1, nullable: format.Nullable(), run: formatStringRows}, nil
}

// formatStringRows reads a format again only where it differs from that of the row before.
func formatStringRows(f *frame) {
	var last []byte
	var p *javaFormat
	var bad error
	for _, i := range f.rows {
		at := len(f.out.data)
		if f.args[0].isNull(i) {
			f.setNull(f.out, i)
			f.close(f.out, i, at)
			continue
		}
		text := f.args[0].bytesAt(i)
		if p == nil && bad == nil || !bytes.Equal(text, last) {
			p, bad = parseFormat(text, len(f.args)-1)
			last = text
		}
		err := bad
		if err == nil && f.room(i, int64(p.most)) {
			err = p.append(f, i)
		}
		if err != nil {
			f.fail(i, err)
			f.out.data = f.out.data[:at]
		}
		f.close(f.out, i, at)
	}
}
