package decode

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// CSVOptions say how values are told apart. The zero value is the default.
type CSVOptions struct {
	Separator byte   // between values; 0 is a comma
	Quote     byte   // around a value that holds a separator; 0 is "
	Null      string // the text of NULL; a value that is empty without quotes always is
	// Lenient makes NULL of what does not fit and of empty values in quotes, ignores values
	// too many and fills up those that are missing, as Spark's from_csv does.
	Lenient bool
}

// CSV decodes one CSV record a document into the columns of a schema, by position.
//
// A value in quotes may hold separators and line breaks; a quote in it is doubled or
// follows a backslash. Numbers, dates and times are read as Spark's CAST reads text,
// without spaces around them; BINARY is the bytes of the text. ARRAY, MAP and STRUCT
// have no form in CSV.
type CSV struct {
	schema *columnar.Schema
	mem    memory.Allocator
	opts   CSVOptions
	fields []field
	row    int32
	text   []byte // the latest value in quotes that had a quote in it
	fault  fault
}

var _ Decoder = (*CSV)(nil)

// NewCSV returns a decoder whose batches come from mem; nil is the Go heap.
func NewCSV(schema *columnar.Schema, opts CSVOptions, mem memory.Allocator) *CSV {
	if mem == nil {
		mem = columnar.Heap
	}
	if opts.Separator == 0 {
		opts.Separator = ','
	}
	if opts.Quote == 0 {
		opts.Quote = '"'
	}
	d := &CSV{schema: schema, mem: mem, opts: opts}
	for _, f := range schema.Fields {
		d.fields = append(d.fields, newField(f))
	}
	return d
}

// Decode implements Decoder.
func (d *CSV) Decode(values columnar.Column) (*columnar.Batch, []columnar.RowError, error) {
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
		good := in.IsNull(row)
		if good {
			d.nullFrom(0)
		} else if good = d.record(data[ends[row]-ends[0] : ends[row+1]-ends[0]]); !good {
			d.takeBack()
			errs = append(errs, columnar.RowError{Row: d.row, Err: d.fault.error()})
		}
		d.closeRow()
	}
	cols := make([]columnar.Column, len(d.fields))
	for i := range d.fields {
		cols[i] = d.fields[i].finish(n)
	}
	return columnar.NewBatch(d.schema, cols, n), errs, nil
}

func (d *CSV) nullFrom(k int) {
	for ; k < len(d.fields); k++ {
		d.fields[k].setNull(d.row)
	}
}

// takeBack forgets what a bad record has written.
func (d *CSV) takeBack() {
	for k := range d.fields {
		f := &d.fields[k]
		if f.ends != nil {
			f.used = int(f.ends[d.row])
		}
	}
	d.nullFrom(0)
}

func (d *CSV) closeRow() {
	for k := range d.fields {
		if f := &d.fields[k]; f.ends != nil {
			f.ends[d.row+1] = int32(f.used)
		}
	}
}

// record decodes one record and reports whether it is good. A line break at its end is
// not part of it.
func (d *CSV) record(s []byte) bool {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	i, k := 0, 0
	for more := true; more; k++ {
		text, quoted, end := d.value(s, i)
		switch {
		case end < 0:
			return false
		case k < len(d.fields):
			if !d.store(&d.fields[k], text, quoted, i) {
				return false
			}
		case !d.opts.Lenient:
			d.fault = fault{text: fmt.Sprintf("expected %d values, there are more", len(d.fields)), at: i}
			return false
		}
		more = end < len(s)
		i = end + 1
	}
	if k < len(d.fields) {
		if !d.opts.Lenient {
			d.fault = fault{text: fmt.Sprintf("expected %d values, got %d", len(d.fields), k), at: len(s)}
			return false
		}
		d.nullFrom(k)
	}
	return true
}

// value reads the value at i; end is the position of the separator after it, or -1.
func (d *CSV) value(s []byte, i int) (text []byte, quoted bool, end int) {
	if i < len(s) && s[i] == d.opts.Quote {
		text, end = d.quotedValue(s, i+1)
		return text, true, end
	}
	end = i
	for end < len(s) && s[end] != d.opts.Separator {
		end++
	}
	return s[i:end], false, end
}

func (d *CSV) quotedValue(s []byte, i int) (text []byte, end int) {
	d.text = d.text[:0]
	for start := i; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == d.opts.Quote, s[i] == d.opts.Quote && i+1 < len(s) && s[i+1] == d.opts.Quote:
			d.text = append(append(d.text, s[start:i]...), d.opts.Quote)
			i++
			start = i + 1
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' && d.opts.Lenient:
			d.text = append(d.text, s[start:i+1]...)
			i++
			start = i + 1
		case s[i] == d.opts.Quote:
			if i+1 < len(s) && s[i+1] != d.opts.Separator {
				d.fault = fault{text: "expected a separator after the closing quote", at: i + 1, got: excerpt(s, i+1)}
				return nil, -1
			}
			if len(d.text) == 0 {
				return s[start:i], i + 1
			}
			d.text = append(d.text, s[start:i]...)
			return d.text, i + 1
		}
	}
	d.fault = fault{text: "the record ends within quotes", at: len(s)}
	return nil, -1
}

// store writes a value into its field and reports whether it fits.
func (d *CSV) store(f *field, text []byte, quoted bool, at int) bool {
	if (!quoted || d.opts.Lenient) && (len(text) == 0 || d.opts.Null != "" && string(text) == d.opts.Null) {
		if !f.nullable {
			d.fault = fault{text: "a value is needed (NOT NULL), got none", at: at, field: f.name}
			return false
		}
		f.setNull(d.row)
		return true
	}
	if d.convert(f, text) {
		return true
	}
	if d.opts.Lenient {
		f.setNull(d.row)
		return true
	}
	d.fault = fault{text: "expected " + f.typ.String(), at: at, field: f.name, got: shown(text)}
	return false
}

// shown is a value in an error, in quotes and cut.
func shown(text []byte) string {
	const most = 48
	if len(text) > most {
		text = append(text[:most:most], "..."...)
	}
	return fmt.Sprintf("%q", text)
}

func (d *CSV) convert(f *field, text []byte) bool {
	switch f.typ.Kind {
	case columnar.StringKind:
		return d.utf8(f, text)
	case columnar.BinaryKind:
		f.put(text)
		return true
	}
	if len(text) == 0 || text[0] <= ' ' || text[len(text)-1] <= ' ' {
		return false
	}
	switch f.typ.Kind {
	case columnar.BooleanKind:
		return storeBoolean(f, d.row, text)
	case columnar.FloatKind, columnar.DoubleKind:
		return storeFloat(f, d.row, text)
	case columnar.DecimalKind:
		v, err := sqltext.ParseDecimal(text, int(f.typ.Precision), int(f.typ.Scale))
		return err == nil && set(f, d.row, decimal128.Num(v)) >= 0
	case columnar.DateKind:
		days, ok := sqltext.ParseDate(text)
		return ok && set(f, d.row, days) >= 0
	case columnar.TimestampKind:
		us, ok := sqltext.ParseTimestamp(text)
		return ok && set(f, d.row, us) >= 0
	case columnar.TimestampNTZKind:
		us, ok := sqltext.ParseTimestamp(text)
		return ok && !hasZone(text) && set(f, d.row, us) >= 0
	}
	v, ok := sqltext.ParseInt(text)
	return ok && storeInteger(f, d.row, v)
}

func storeInteger(f *field, row int32, v int64) bool {
	switch f.typ.Kind {
	case columnar.TinyIntKind:
		return v == int64(int8(v)) && set(f, row, int8(v)) >= 0
	case columnar.SmallIntKind:
		return v == int64(int16(v)) && set(f, row, int16(v)) >= 0
	case columnar.IntKind:
		return v >= math.MinInt32 && v <= math.MaxInt32 && set(f, row, int32(v)) >= 0
	}
	return set(f, row, v) >= 0
}

func storeBoolean(f *field, row int32, text []byte) bool {
	switch string(bytes.ToLower(text)) {
	case "true":
		f.values[row/8] |= 1 << (row % 8)
		return true
	case "false":
		return true
	}
	return false
}

func storeFloat(f *field, row int32, text []byte) bool {
	if f.typ.Kind == columnar.FloatKind {
		v, ok := sqltext.ParseFloat(text, 32)
		return ok && set(f, row, float32(v)) >= 0
	}
	v, ok := sqltext.ParseFloat(text, 64)
	return ok && set(f, row, v) >= 0
}

func (d *CSV) utf8(f *field, text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	f.put(text)
	return true
}

// SplitCSV returns the values of one record.
func SplitCSV(s []byte, opts CSVOptions) (values [][]byte, err error) {
	d := NewCSV(columnar.NewSchema(), opts, nil)
	s = bytes.TrimRight(s, "\r\n")
	for i, more := 0, true; more; {
		text, _, end := d.value(s, i)
		if end < 0 {
			return nil, d.fault.error()
		}
		values = append(values, bytes.Clone(text))
		more, i = end < len(s), end+1
	}
	return values, nil
}
