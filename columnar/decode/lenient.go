package decode

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// Lenient decodes JSON text as Spark's from_json does: what does not fit its type is
// NULL, and so is everything in a document that is not JSON. It belongs to one goroutine.
type Lenient struct {
	JSON
	bad []int32
}

// NewLenient returns a decoder of documents of a type: STRUCT, ARRAY or MAP.
func NewLenient(t columnar.Type, mem memory.Allocator) *Lenient {
	d := &Lenient{JSON: *NewJSON(columnar.NewSchema(columnar.Field{Name: "value", Type: t, Nullable: true}), mem)}
	d.lenient = true
	return d
}

// Decode returns one column of as many rows as values has, which are BINARY and
// borrowed, and the rows whose document was malformed or has a field that does not fit.
// The list lives until the next call.
func (d *Lenient) Decode(values columnar.Column) (columnar.Column, []int32, error) {
	in, ok := values.(*array.Binary)
	if !ok {
		return nil, nil, fmt.Errorf("decode: documents come as BINARY, not %s", values.DataType())
	}
	n := in.Len()
	data, ends := documents(in)
	f := &d.fields[0]
	f.begin(d.mem, n, len(data))
	d.bad = d.bad[:0]
	for row := range n {
		d.row = int32(row)
		if in.IsNull(row) {
			f.setNull(d.row)
		} else if d.forgave = false; !d.document(standard(data[ends[row]-ends[0]:ends[row+1]-ends[0]])) || d.forgave {
			d.bad = append(d.bad, d.row)
		}
		d.closeRow()
	}
	return f.finish(n), d.bad, nil
}

// document decodes one value and reports whether it is one of the type. What follows it
// is ignored, as in Spark.
func (d *Lenient) document(s []byte) bool {
	f, i := &d.fields[0], space(s, 0)
	switch {
	case i == len(s):
		f.setNull(d.row)
		return true
	case s[i] == '{' && f.typ.Kind == columnar.ArrayKind && f.typ.Elem().Kind == columnar.StructKind:
		if d.element(&f.kids.fields[0], s, i) >= 0 {
			f.used++
			return true
		}
	case s[i] != 'n':
		if d.value(f, s, i) >= 0 {
			return true
		}
	}
	f.rewind(d.row)
	if f.typ.Kind != columnar.StructKind {
		f.setNull(d.row)
	}
	return false
}

// rewind takes back what a row has written.
func (f *field) rewind(row int32) {
	f.forget(row)
	if f.ends != nil {
		f.used = int(f.ends[row])
	}
	f.cutKids(row)
}

// forgive makes a value NULL that does not fit its field and returns the position after
// it, or -1 if it is not JSON.
func (d *JSON) forgive(f *field, s []byte, i int) int {
	end := d.skip(s, i, 1)
	if end < 0 {
		return -1
	}
	d.forgave = true
	f.cut(f.count)
	f.makeRoom()
	f.setNull(f.count)
	f.closeElement()
	return end
}

// standard rewrites what Spark reads beside JSON's grammar: strings in single quotes,
// and NaN and infinities without quotes.
func standard(s []byte) []byte {
	if bytes.IndexByte(s, '\'') < 0 && !bytes.Contains(s, []byte("NaN")) && !bytes.Contains(s, []byte("Inf")) {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			out, i = standardString(out, s, i)
		case c == 'N' || c == 'I' || (c == '-' || c == '+') && i+1 < len(s) && s[i+1] == 'I':
			end := i + 1
			for end < len(s) && s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z' {
				end++
			}
			out = append(append(append(out, '"'), s[i:end]...), '"')
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// standardString appends the string that begins at i in double quotes.
func standardString(out, s []byte, i int) ([]byte, int) {
	quote := s[i]
	out = append(out, '"')
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return append(out, '"'), i + 1
		case c == '\\' && i+1 < len(s):
			if i++; s[i] == '\'' {
				out = append(out, '\'')
			} else {
				out = append(out, c, s[i])
			}
		case c == '"':
			out = append(out, '\\', '"')
		default:
			out = append(out, c)
		}
	}
	return out, i
}
