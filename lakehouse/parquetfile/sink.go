package parquetfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/lakewheel/lakewheel/columnar"
)

// sink builds columns of the values of pages. A page is given to it first, then ranges of the page's values are taken.
type sink interface {
	begin(rows int)
	// dictionary gives the values that ids of later pages stand for.
	dictionary(v encoding.Values, n int) error
	// page gives n values; ids gives them by number. Both are borrowed until the next page.
	page(v encoding.Values, n int) error
	ids(ids []int32, n int) error
	take(from, until int) error
	nulls(n int)
	finish() (columnar.Column, error)
}

// validity is the bitmap under construction.
type validity struct {
	bits  []byte
	rows  int
	nulls int
}

func (v *validity) begin(rows int) {
	*v = validity{bits: make([]byte, bitutil.BytesForBits(int64(rows)))}
}

func (v *validity) add(n int, valid bool) {
	if short := int(bitutil.BytesForBits(int64(v.rows+n))) - len(v.bits); short > 0 { // begin could not know
		v.bits = append(v.bits, make([]byte, short)...)
	}
	if valid {
		bitutil.SetBitsTo(v.bits, int64(v.rows), int64(n), true)
	} else {
		v.nulls += n
	}
	v.rows += n
}

// wrap makes a column of buffers.
func (v *validity) wrap(t columnar.Type, buffers ...[]byte) columnar.Column {
	bufs := make([]*memory.Buffer, 1, len(buffers)+1)
	if v.nulls > 0 {
		bufs[0] = memory.NewBufferBytes(v.bits)
	}
	for _, b := range buffers {
		bufs = append(bufs, memory.NewBufferBytes(b))
	}
	data := array.NewData(t.Arrow(), v.rows, bufs, nil, v.nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

var (
	errShortPage = fmt.Errorf("%w: a page is shorter than it says", ErrDamaged)
	errBadID     = fmt.Errorf("%w: a value is not in the dictionary", ErrDamaged)
)

// checkIDs refuses ids outside of a dictionary of n values.
func checkIDs(ids []int32, n int) error {
	for _, id := range ids {
		if uint32(id) >= uint32(n) {
			return errBadID
		}
	}
	return nil
}

// decoder turns a page of n values into what a column holds. It may return the page's own memory, or use the scratch memory.
type decoder[T any] func(v encoding.Values, n int, scratch []T) ([]T, error)

// fixed builds a column of values of the same size.
type fixed[T any] struct {
	typ     columnar.Type
	decode  decoder[T]
	pack    func([]T) []byte
	words   []T // the dictionary
	current []T // the page
	scratch []T
	out     []T
	valid   validity
}

func (f *fixed[T]) begin(rows int) {
	f.valid.begin(rows)
	f.out = make([]T, 0, rows)
}

func (f *fixed[T]) dictionary(v encoding.Values, n int) error {
	words, err := f.decode(v, n, nil)
	if err != nil || len(words) < n {
		return cmp.Or(err, errShortPage)
	}
	f.words = append([]T(nil), words[:n]...)
	return nil
}

func (f *fixed[T]) page(v encoding.Values, n int) (err error) {
	f.scratch = grow(f.scratch, n)
	f.current, err = f.decode(v, n, f.scratch)
	if err != nil || len(f.current) < n {
		return cmp.Or(err, errShortPage)
	}
	return nil
}

func (f *fixed[T]) ids(ids []int32, n int) error {
	if len(ids) < n {
		return errShortPage
	}
	if err := checkIDs(ids[:n], len(f.words)); err != nil {
		return err
	}
	f.scratch = grow(f.scratch, n)
	for i, id := range ids[:n] {
		f.scratch[i] = f.words[id]
	}
	f.current = f.scratch
	return nil
}

func (f *fixed[T]) take(from, until int) error {
	if until > len(f.current) {
		return errShortPage
	}
	f.out = append(f.out, f.current[from:until]...)
	f.valid.add(until-from, true)
	return nil
}

func (f *fixed[T]) nulls(n int) {
	f.out = slices.Grow(f.out, n)[:len(f.out)+n]
	f.valid.add(n, false)
}

func (f *fixed[T]) finish() (columnar.Column, error) {
	return f.valid.wrap(f.typ, f.pack(f.out)), nil
}

// variable are values in one buffer: value i lies between ends[i] and ends[i+1].
type variable struct {
	data []byte
	ends []uint32
}

func (v variable) at(i int32) []byte { return v.data[v.ends[i]:v.ends[i+1]] }

// variableOf takes the values of a page, whose offsets are checked: they come from outside.
func variableOf(v encoding.Values, n int) (variable, error) {
	if v.Kind() == encoding.FixedLenByteArray {
		return fixedAsVariable(v, n)
	}
	data, ends := v.ByteArray()
	if len(ends) < n+1 && n > 0 {
		return variable{}, errShortPage
	}
	for i := range n {
		if ends[i] > ends[i+1] || int(ends[i+1]) > len(data) {
			return variable{}, errShortPage
		}
	}
	return variable{data: data, ends: ends}, nil
}

func fixedAsVariable(v encoding.Values, n int) (variable, error) {
	data, size := v.FixedLenByteArray()
	if len(data) < n*size {
		return variable{}, errShortPage
	}
	ends := make([]uint32, n+1)
	for i := range ends {
		ends[i] = uint32(i * size)
	}
	return variable{data: data, ends: ends}, nil
}

// texts builds a STRING or BINARY column.
type texts struct {
	typ   columnar.Type
	words variable
	now   variable
	byID  []int32 // the page's values as ids of words; nil: now holds them
	data  []byte
	ends  []int32
	valid validity
}

func (t *texts) begin(rows int) {
	t.valid.begin(rows)
	t.data, t.ends = nil, append(make([]int32, 0, rows+1), 0)
}

func (t *texts) dictionary(v encoding.Values, n int) error {
	words, err := variableOf(v, n)
	if err == nil && n > 0 {
		t.words = variable{data: append([]byte(nil), words.data...), ends: append([]uint32(nil), words.ends[:n+1]...)}
	}
	return err
}

func (t *texts) page(v encoding.Values, n int) (err error) {
	t.byID = nil
	t.now, err = variableOf(v, n)
	return err
}

func (t *texts) ids(ids []int32, n int) error {
	if len(ids) < n {
		return errShortPage
	}
	t.byID = ids[:n]
	return checkIDs(t.byID, len(t.words.ends)-1)
}

func (t *texts) take(from, until int) error {
	switch {
	case from == until:
	case t.byID == nil && until < len(t.now.ends):
		t.takePlain(from, until)
	case t.byID != nil && until <= len(t.byID):
		for _, id := range t.byID[from:until] {
			t.data = append(t.data, t.words.at(id)...)
			t.ends = append(t.ends, int32(len(t.data)))
		}
	default:
		return errShortPage
	}
	t.valid.add(until-from, true)
	return nil
}

func (t *texts) takePlain(from, until int) {
	start, shift := t.now.ends[from], len(t.data)
	t.data = append(t.data, t.now.data[start:t.now.ends[until]]...)
	for _, end := range t.now.ends[from+1 : until+1] {
		t.ends = append(t.ends, int32(int(end-start)+shift))
	}
}

func (t *texts) nulls(n int) {
	for range n {
		t.ends = append(t.ends, int32(len(t.data)))
	}
	t.valid.add(n, false)
}

var errTooLong = errors.New("the values of one batch are longer than 2 GiB: they cannot be read")

func (t *texts) finish() (columnar.Column, error) {
	if len(t.data) > math.MaxInt32 {
		return nil, errTooLong
	}
	return t.valid.wrap(t.typ, arrow.Int32Traits.CastToBytes(t.ends), t.data), nil
}
