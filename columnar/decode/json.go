package decode

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// JSON decodes one JSON object a document into the columns of a schema.
//
// Keys are matched exactly, case included. Unknown fields are skipped, but must be
// valid JSON; a missing field or null is NULL. STRING takes any value, as its JSON
// text if it is no string. DECIMAL takes numbers and strings of digits, TIMESTAMP
// strings as Spark's CAST and whole seconds since 1970, BINARY base64. An ARRAY is an
// array, a STRUCT an object by the same rules, a MAP an object with any keys, which are
// STRING.
type JSON struct {
	record
	schema *columnar.Schema
	mem    memory.Allocator
	texts  []int // positions of the fields whose rows end somewhere: STRING, BINARY, ARRAY and MAP
	nested []int // positions of the ARRAY, MAP and STRUCT fields

	rescued int    // position of the field that takes unknown ones, or -1
	rescue  []byte // the unknown fields of the running row
	path    []byte // where the running object is, for the names of unknown fields

	row     int32
	objects int32  // how many objects below the documents were begun
	lenient bool   // what does not fit is NULL
	forgave bool   // the document has a field that does not fit
	text    []byte // the unescaped form of the latest string with escapes
	fault   fault
	day     dayCache
}

// record is what an object may hold.
type record struct {
	fields []field
	index  map[string]int
}

func newRecord(fields []columnar.Field) record {
	r := record{index: make(map[string]int, len(fields))}
	for i, f := range fields {
		r.fields = append(r.fields, newField(f))
		r.index[f.Name] = i
	}
	return r
}

var _ Decoder = (*JSON)(nil)

// NewJSON returns a decoder whose batches come from mem; nil is the Go heap.
func NewJSON(schema *columnar.Schema, mem memory.Allocator) *JSON {
	if mem == nil {
		mem = columnar.Heap
	}
	d := &JSON{schema: schema, mem: mem, record: newRecord(schema.Fields), rescued: -1}
	for i, f := range schema.Fields {
		if f.Name == RescuedField && f.Type == columnar.String {
			d.rescued = i
			d.index[f.Name] = unknown
		}
		if f.Type.Nested() {
			d.nested = append(d.nested, i)
		}
		if size(f.Type) == 0 && f.Type.Kind != columnar.StructKind {
			d.texts = append(d.texts, i)
		}
	}
	return d
}

func isBinary(c columnar.Column) bool { return c.DataType().ID() == arrow.BINARY }

// Decode implements Decoder.
func (d *JSON) Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error) {
	in, ok := values.(*array.Binary)
	if !ok {
		return nil, nil, fmt.Errorf("decode: documents come as BINARY, not %s", values.DataType())
	}
	n := in.Len()
	data, ends := documents(in)
	for i := range d.fields {
		d.fields[i].begin(d.mem, n, len(data))
	}
	var errs []columnar.RowError
	for row := range n {
		d.row = int32(row)
		if in.IsNull(row) {
			d.allNull()
			continue
		}
		if !d.document(data[ends[row]-ends[0] : ends[row+1]-ends[0]]) {
			d.allNull()
			errs = append(errs, columnar.RowError{Row: int32(row), Err: d.fault.error()})
		}
	}
	cols := make([]columnar.Column, len(d.fields))
	for i := range d.fields {
		cols[i] = d.fields[i].finish(n)
	}
	return columnar.NewBatch(d.schema, cols, n), errs, nil
}

// documents returns the bytes of the values and where each begins; ends[0] is the
// offset of the first byte.
func documents(in *array.Binary) (data []byte, ends []int32) {
	if in.Len() == 0 {
		return nil, nil
	}
	return in.ValueBytes(), in.ValueOffsets()
}

// document decodes one object and reports whether it is good.
func (d *JSON) document(s []byte) bool {
	i := space(s, 0)
	if i == len(s) {
		d.fail(i, "expected an object, got nothing")
		return false
	}
	if s[i] != '{' {
		d.failValue(s, i, "expected an object")
		return false
	}
	i, found := d.object(&d.record, s, space(s, i+1), d.row)
	if i < 0 || !d.endRow(i, found) {
		return false
	}
	if i = space(s, i); i < len(s) {
		d.failValue(s, i, "expected the end of the document")
		return false
	}
	return true
}

// object decodes what follows the opening brace up to the closing one into the fields
// of r; id tells this object from the others. It returns the position after it, or -1,
// and how many of the fields it has.
func (d *JSON) object(r *record, s []byte, i int, id int32) (after, found int) {
	if i < len(s) && s[i] == '}' {
		return i + 1, 0
	}
	guess, plain := 0, r == &d.record
	for {
		at, k := d.key(r, s, i, guess)
		if at < 0 {
			return -1, 0
		}
		if k < 0 {
			key := i
			if i = d.skip(s, at, 1); k == unknown && d.rescued >= 0 && i >= 0 {
				d.keep(s, key, at, i)
			}
		} else {
			f := &r.fields[k]
			if f.seen == id {
				if !d.lenient {
					return d.failField(f, i, "the field appears twice"), 0
				}
				f.cut(f.count - 1)
			}
			f.seen = id
			if plain && f.kids.fields == nil {
				if i = d.value(f, s, at); i < 0 {
					d.fault.field = f.name
				}
			} else {
				i = d.nestedMember(r, f, s, at)
			}
			guess = k + 1
			found++
		}
		if i < 0 {
			return -1, 0
		}
		if i < len(s) && s[i] != ',' && s[i] != '}' {
			i = space(s, i)
		}
		switch {
		case i >= len(s):
			return d.fail(i, "the document ends within an object"), 0
		case s[i] == ',':
			i++
			if i < len(s) && s[i] != '"' {
				i = space(s, i)
			}
		case s[i] == '}':
			return i + 1, found
		default:
			return d.failValue(s, i, "expected , or }"), 0
		}
	}
}

// nestedMember decodes the value of a field that has parts or is one. It returns the position after it, or -1.
func (d *JSON) nestedMember(r *record, f *field, s []byte, at int) (i int) {
	outer := len(d.path)
	if d.rescued >= 0 && f.typ.Nested() {
		d.path = append(append(d.path, f.name...), '.')
	}
	if r == &d.record {
		i = d.value(f, s, at)
	} else {
		i = d.element(f, s, at)
		if i < 0 && d.lenient {
			i = d.forgive(f, s, at)
		}
	}
	d.path = d.path[:outer]
	if i < 0 {
		d.fault.within(f)
	}
	return i
}

// key reads a key and its colon. It first compares with the field that follows the
// one before, since producers write fields in one order. k is -1 for an unknown key.
func (d *JSON) key(r *record, s []byte, i, guess int) (at, k int) {
	if guess < len(r.fields) {
		want := r.fields[guess].quoted
		if end := i + len(want); end < len(s) && string(s[i:end]) == want {
			if s[end] == ':' && end+1 < len(s) && s[end+1] > ' ' {
				return end + 1, guess
			}
			return d.colon(s, end), guess
		}
	}
	if i >= len(s) || s[i] != '"' {
		return d.failValue(s, i, "expected a key in double quotes"), 0
	}
	end, escaped := d.scan(s, i+1)
	if end < 0 {
		return -1, 0
	}
	name := s[i+1 : end]
	if escaped {
		name = d.unescape(name)
	}
	k, ok := r.index[string(name)]
	if !ok {
		k = unknown
	}
	return d.colon(s, end+1), k
}

// colon returns the position of the value behind a colon.
func (d *JSON) colon(s []byte, i int) int {
	if i+1 < len(s) && s[i] == ':' && s[i+1] > ' ' {
		return i + 1
	}
	i = space(s, i)
	if i >= len(s) || s[i] != ':' {
		return d.failValue(s, i, "expected : after a key")
	}
	if i = space(s, i+1); i >= len(s) {
		return d.fail(i, "the document ends before a value")
	}
	return i
}

// endRow gives the fields that were not found NULL and ends the row; it reports whether
// every field that needs a value has one.
func (d *JSON) endRow(i, found int) bool {
	if found < len(d.fields) && !d.missing(i) {
		return false
	}
	d.closeRescue()
	d.closeRow()
	return true
}

func (d *JSON) closeRow() {
	for _, k := range d.texts {
		f := &d.fields[k]
		f.ends[d.row+1] = int32(f.used)
	}
	for _, k := range d.nested {
		d.fields[k].align(d.row + 1)
	}
}

func (d *JSON) missing(i int) bool {
	for k := range d.fields {
		f := &d.fields[k]
		if f.seen == d.row || k == d.rescued {
			continue
		}
		if !f.nullable {
			d.failField(f, i, "a value is needed (NOT NULL), but the field is missing")
			return false
		}
		f.setNull(d.row)
	}
	return true
}

// allNull takes back what the row has written.
func (d *JSON) allNull() {
	for k := range d.fields {
		f := &d.fields[k]
		f.setNull(d.row)
		if f.ends != nil {
			f.used = int(f.ends[d.row])
		}
	}
	for _, k := range d.nested {
		d.fields[k].cutKids(d.row)
	}
	d.rescue = d.rescue[:0]
	d.closeRow()
}
