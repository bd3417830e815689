package decode

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// JSON decodes JSON objects strictly: RFC 8259, valid UTF-8, no key of the schema twice, nothing behind the object. Types are
// read as Spark's from_json reads them in FAILFAST mode:
//
//	BOOLEAN             true, false
//	TINYINT ... BIGINT  a number without fraction or exponent, in range, exact
//	FLOAT, DOUBLE       a number, or "NaN", "Infinity", "-Infinity", "+Infinity", "INF", "-INF", "+INF"
//	DECIMAL(p,s)        a number or a string with one; more digits behind the point are rounded half up, too many before it are an error
//	STRING              a string; any other value as its JSON text
//	BINARY              a string in base64
//	DATE, TIMESTAMP     a string as columnar.ParseDate and ParseTimestamp read it; a whole number is seconds since 1970 (TIMESTAMP)
//
// Keys are case-sensitive. A field that is missing or null is NULL; in a NOT NULL field that is an error.
type JSON struct {
	schema *columnar.Schema
	mem    memory.Allocator
	fields []*field
	byName map[string]int
	errs   []columnar.RowError
	p      parser
}

var _ Decoder = (*JSON)(nil)

// NewJSON returns a decoder into columns of the schema. A nil allocator is the default one.
func NewJSON(schema *columnar.Schema, mem memory.Allocator) *JSON {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	j := &JSON{schema: schema, mem: mem, byName: map[string]int{}}
	for i, f := range schema.Fields {
		j.fields = append(j.fields, newField(f))
		j.byName[f.Name] = i
	}
	return j
}

// Decode decodes the documents.
func (j *JSON) Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error) {
	docs, ok := values.(*array.Binary)
	if !ok {
		return nil, nil, fmt.Errorf("decode: documents are %s, not BINARY", values.DataType())
	}
	n := docs.Len()
	for _, f := range j.fields {
		f.begin(n, j.mem)
	}
	j.errs = j.errs[:0]
	for row := range n {
		if docs.IsNull(row) {
			j.endRow(row)
			continue
		}
		if err := j.row(row, docs.Value(row)); err != nil {
			j.undo(row)
			j.errs = append(j.errs, columnar.RowError{Row: int32(row), Err: err})
		}
		j.endRow(row)
	}
	cols := make([]columnar.Column, len(j.fields))
	for i, f := range j.fields {
		cols[i] = f.finish(n)
	}
	return columnar.NewBatch(j.schema, cols, n), j.errs, nil
}

func (j *JSON) undo(row int) {
	for _, f := range j.fields {
		f.undo(row)
	}
}

func (j *JSON) endRow(row int) {
	for _, f := range j.fields {
		f.endRow(row)
	}
}

// row decodes one document.
func (j *JSON) row(row int, doc []byte) error {
	p := &j.p
	p.reset(doc)
	p.space()
	if !p.take('{') {
		return p.fail("expected an object")
	}
	expected := 0 // the field that probably comes next: documents of a topic tend to have one order
	p.space()
	if !p.take('}') {
		for {
			next, err := j.member(row, expected)
			if err != nil {
				return err
			}
			expected = next
			p.space()
			if p.take(',') {
				p.space()
				continue
			}
			if p.take('}') {
				break
			}
			return p.fail("expected , or }")
		}
	}
	if p.space(); p.at != len(p.b) {
		return p.fail("expected nothing behind the object")
	}
	return j.complete(row)
}

// complete checks that NOT NULL fields have a value.
func (j *JSON) complete(row int) error {
	for _, f := range j.fields {
		if f.required && !f.isValid(row) {
			return fmt.Errorf("field %q: NOT NULL, and the document has no value for it", f.name)
		}
	}
	return nil
}

// member decodes one "key": value and returns the field to expect next.
func (j *JSON) member(row, expected int) (int, error) {
	p := &j.p
	i, err := j.key(expected)
	if err != nil {
		return 0, err
	}
	p.space()
	if !p.take(':') {
		return 0, p.fail("expected :")
	}
	p.space()
	if i < 0 {
		return expected, p.skip(0)
	}
	f := j.fields[i]
	if f.seen == row+1 {
		return 0, fmt.Errorf("field %q: the document has it twice", f.name)
	}
	f.seen = row + 1
	if p.literal("null") {
		return i + 1, nil
	}
	return i + 1, f.value(p, row)
}

// key reads a key and returns its field, -1 if the schema does not name it.
func (j *JSON) key(expected int) (int, error) {
	p := &j.p
	if expected < len(j.fields) && p.prefix(j.fields[expected].quoted) {
		return expected, nil
	}
	name, err := p.text()
	if err != nil {
		return 0, err
	}
	if i, ok := j.byName[string(name)]; ok {
		return i, nil
	}
	return -1, nil
}
