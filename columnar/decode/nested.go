package decode

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// nestedValue decodes an array or an object into a field and returns the position
// after it, or -1.
func (d *JSON) nestedValue(f *field, s []byte, i int) int {
	open := byte('{')
	if f.typ.Kind == columnar.ArrayKind {
		open = '['
	}
	if s[i] != open {
		return d.failType(f, s, i)
	}
	i = space(s, i+1)
	switch f.typ.Kind {
	case columnar.ArrayKind:
		return d.arrayValue(f, s, i)
	case columnar.MapKind:
		return d.mapValue(f, s, i)
	}
	d.objects++
	row := d.row
	after, _ := d.object(&f.kids, s, i, d.objects)
	if after >= 0 {
		f.align(row + 1)
	}
	return after
}

// arrayValue decodes what follows the opening bracket.
func (d *JSON) arrayValue(f *field, s []byte, i int) int {
	if i < len(s) && s[i] == ']' {
		return i + 1
	}
	for k := 0; ; k++ {
		if i >= len(s) {
			return d.fail(i, "the document ends within an array")
		}
		at := i
		if d.rescued >= 0 {
			n := len(d.path) - 1 // the element stands where the dot is
			d.path = append(strconv.AppendInt(append(d.path[:n], '['), int64(k), 10), "]."...)
			i = d.element(&f.kids.fields[0], s, at)
			d.path = append(d.path[:n], '.')
		} else {
			i = d.element(&f.kids.fields[0], s, at)
		}
		if i < 0 {
			d.fault.element(k)
			return -1
		}
		f.used++
		if i = space(s, i); i >= len(s) {
			return d.fail(i, "the document ends within an array")
		}
		switch s[i] {
		case ']':
			return i + 1
		case ',':
			i = space(s, i+1)
		default:
			return d.failValue(s, i, "expected , or ]")
		}
	}
}

// element says that the fault lies in an element of an array, counted from 0.
func (f *fault) element(k int) {
	inner := f.field
	f.field = fmt.Sprintf("[%d]", k)
	if inner != "" {
		f.field += "." + inner
	}
}

// mapValue decodes what follows the opening brace; every key makes an entry.
func (d *JSON) mapValue(f *field, s []byte, i int) int {
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	first, begin := f.used, i
	for {
		at := d.mapKey(f, first, s, i)
		switch {
		case at == twice:
			f.cutKid(first)
			return d.lastValues(f, s, begin)
		case at < 0:
			return -1
		}
		if i = d.element(&f.kids.fields[1], s, at); i < 0 {
			d.fault.field = ""
			return -1
		}
		f.used++
		if i = space(s, i); i >= len(s) {
			return d.fail(i, "the document ends within an object")
		}
		switch s[i] {
		case '}':
			return i + 1
		case ',':
			i = space(s, i+1)
		default:
			return d.failValue(s, i, "expected , or }")
		}
	}
}

// mapKey appends a key, which no entry since first may have, and returns the position
// of the value.
func (d *JSON) mapKey(f *field, first int, s []byte, i int) int {
	if i >= len(s) || s[i] != '"' {
		return d.failValue(s, i, "expected a key in double quotes")
	}
	keys := &f.kids.fields[0]
	after := d.element(keys, s, i)
	if after < 0 {
		return -1
	}
	added := keys.text(int(keys.count) - 1)
	for k := first; k < int(keys.count)-1; k++ {
		if string(keys.text(k)) == string(added) {
			if d.lenient {
				return twice
			}
			return d.failValue(s, i, "a key of a MAP appears twice")
		}
	}
	return d.colon(s, after)
}

// twice is returned for a key that the map has already, where that is allowed.
const twice = -2

// cutKid takes back the entries since first of a map that is not closed.
func (f *field) cutKid(first int) {
	for k := range f.kids.fields {
		f.kids.fields[k].cut(int32(first))
	}
	f.used = first
}

// lastValues decodes what follows the opening brace of a map whose keys repeat: each key
// stands once, where it stood first, with its last value.
func (d *JSON) lastValues(f *field, s []byte, i int) int {
	var keys []int
	last := map[string]int{}
	for s[i] != '}' {
		text, after := d.quoted(s, i)
		if after < 0 {
			return -1
		}
		at := d.colon(s, after)
		if at < 0 {
			return -1
		}
		if _, known := last[string(text)]; !known {
			keys = append(keys, i)
		}
		last[string(text)] = at
		if i = d.skip(s, at, 1); i < 0 {
			return -1
		}
		if i = space(s, i); i >= len(s) || s[i] != ',' && s[i] != '}' {
			return d.fail(i, "expected , or }")
		}
		if s[i] == ',' {
			if i = space(s, i+1); i >= len(s) || s[i] != '"' {
				return d.fail(i, "expected a key in double quotes")
			}
		}
	}
	for _, key := range keys {
		text, _ := d.quoted(s, key)
		at := last[string(text)]
		d.element(&f.kids.fields[0], s, key)
		if d.element(&f.kids.fields[1], s, at) < 0 {
			return -1
		}
		f.used++
	}
	return i + 1
}

// text is value k of a STRING field.
func (f *field) text(k int) []byte { return f.data[f.ends[k]:f.ends[k+1]] }

// element decodes a value onto the end of a field below another one.
func (d *JSON) element(f *field, s []byte, i int) int {
	f.makeRoom()
	row := d.row
	d.row = f.count
	i = d.value(f, s, i)
	d.row = row
	if i >= 0 {
		f.closeElement()
	}
	return i
}

// closeElement ends the value that was just written.
func (f *field) closeElement() {
	if f.ends != nil {
		f.ends[f.count+1] = int32(f.used)
	}
	f.count++
	f.align(f.count)
}

// align gives every field of a STRUCT as many values as the STRUCT has.
func (f *field) align(rows int32) {
	if f.typ.Kind != columnar.StructKind {
		return
	}
	for k := range f.kids.fields {
		for kid := &f.kids.fields[k]; kid.count < rows; {
			kid.makeRoom()
			kid.setNull(kid.count)
			kid.closeElement()
		}
	}
}

// makeRoom provides for one more value.
func (f *field) makeRoom() {
	if int(f.count) < f.rows {
		return
	}
	before := f.rows
	f.rows = max(16, 2*f.rows)
	if f.validity != nil {
		old := f.validity.Len()
		f.validity.Resize(f.rows/8 + 1)
		fill(f.validity.Bytes()[old:], 0xff)
	}
	if bits := size(f.typ); bits > 0 {
		old := f.fixed.Len()
		f.fixed.Resize((f.rows*bits + 7) / 8)
		f.values = f.fixed.Bytes()
		clear(f.values[old:])
	}
	if f.ends != nil {
		f.offsets.Resize(4 * (f.rows + 1))
		f.ends = view[int32](f.offsets.Bytes())
		clear(f.ends[before+1:])
	}
}

// cutKids forgets what the fields below hold of row n and later ones.
func (f *field) cutKids(n int32) {
	for k := range f.kids.fields {
		if f.ends != nil {
			f.kids.fields[k].cut(f.ends[n])
		} else {
			f.kids.fields[k].cut(n)
		}
	}
}

// cut keeps the first n values of a field below another one.
func (f *field) cut(n int32) {
	for row := n; row <= f.count && int(row) < f.rows; row++ {
		f.forget(row)
	}
	f.count = n
	if f.ends != nil {
		f.used = int(f.ends[n])
	}
	f.cutKids(n)
}

// forget makes a row as if nothing had been written to it.
func (f *field) forget(row int32) {
	mask := byte(1) << (row % 8)
	if f.validity != nil {
		if b := &f.validity.Bytes()[row/8]; *b&mask == 0 {
			*b |= mask
			f.nulls--
		}
	}
	if f.typ.Kind == columnar.BooleanKind {
		f.values[row/8] &^= mask
	}
}

// kidData are the children of a nested column.
func (f *field) kidData() []arrow.ArrayData {
	var out []arrow.ArrayData
	for k := range f.kids.fields {
		kid := &f.kids.fields[k]
		out = append(out, kid.layout(int(kid.count)))
	}
	if f.typ.Kind != columnar.MapKind {
		return out
	}
	entries := f.typ.Arrow().(*arrow.MapType).Elem()
	both := array.NewData(entries, int(f.kids.fields[0].count), []*memory.Buffer{nil}, out, 0, 0)
	for _, kid := range out {
		kid.Release()
	}
	return []arrow.ArrayData{both}
}
