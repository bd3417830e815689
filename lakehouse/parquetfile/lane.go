package parquetfile

import (
	"sort"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
)

// A lane is encoded when it has grown to either bound, to the row: where row groups end must not depend on how
// the rows were cut into batches.
const (
	groupRows  = 128 << 10
	groupBytes = 16 << 20
)

// Rests of lanes are joined up to these bounds.
const (
	joinedRows  = 1 << 20
	joinedBytes = 64 << 20
)

// lane is touched by one goroutine at a time.
type lane struct {
	rest rest
	done []piece
}

// piece are rows in the order of a Writer: one of the three.
type piece struct {
	group *group
	run   runSource // of a Writer that sorts
	rest  *rest
}

// rest are rows that are not encoded yet.
type rest struct {
	batches []*columnar.Batch
	rows    int
	bytes   int64 // of the values
}

func (r *rest) full() bool { return r.rows >= groupRows || r.bytes >= groupBytes }

// add takes rows of a batch from one on, as many as have room, and returns where it stopped.
func (r *rest) add(b *columnar.Batch, z sizer, from int) int {
	n := min(b.Rows()-from, groupRows-r.rows)
	until := from + n
	if r.bytes+z.bytes(from, until) > groupBytes {
		until = from + 1 + sort.Search(n, func(i int) bool { return r.bytes+z.bytes(from, from+i+1) >= groupBytes })
	}
	r.batches = append(r.batches, columnar.Slice(b, from, until))
	r.rows, r.bytes = r.rows+until-from, r.bytes+z.bytes(from, until)
	return until
}

// fill adds the rows of a batch, and calls flush, which drops the rows, each time they are full.
func (r *rest) fill(b *columnar.Batch, flush func() error) error {
	size := sizeOf(b)
	for from := 0; from < b.Rows(); {
		from = r.add(b, size, from)
		if r.full() {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// append takes over the rows of o.
func (r *rest) append(o rest) {
	r.batches, r.rows, r.bytes = append(r.batches, o.batches...), r.rows+o.rows, r.bytes+o.bytes
}

// fits reports whether the rows of o may be joined to these.
func (r *rest) fits(o rest) bool {
	return r.rows+o.rows <= joinedRows && r.bytes+o.bytes <= joinedBytes
}

// take hands over the rows.
func (r *rest) take() rest {
	out := *r
	*r = rest{}
	return out
}

// release drops the rows.
func (r *rest) release() {
	for _, b := range r.take().batches {
		b.Release()
	}
}

// releasePieces drops what pieces hold.
func releasePieces(pieces []piece) {
	for _, p := range pieces {
		if p.rest != nil {
			p.rest.release()
		}
		if r, ok := p.run.(*Reader); ok {
			r.Close()
		}
	}
}

// join makes one batch of the rows and drops them. Pages then do not depend on how the rows came.
func (r *rest) join() (*columnar.Batch, error) {
	if len(r.batches) == 1 {
		return r.take().batches[0], nil
	}
	defer r.release()
	return columnar.Concat(r.batches)
}

// sizer tells the size of rows of one batch. The buffers of a slice belong to the batch it was cut from, so they do not tell.
type sizer struct {
	fixed   int64 // bytes per row
	offsets [][]int32
	lists   []listSizer
}

// listSizer tells the size of lists: the elements of row i lie between offsets i and i+1.
type listSizer struct {
	offsets  []int32
	elements sizer
}

func sizeOf(b *columnar.Batch) sizer {
	var z sizer
	for i := range b.Schema().Len() {
		z.add(b.Column(i))
	}
	return z
}

func (z *sizer) add(c columnar.Column) {
	switch c := c.(type) {
	case *array.String:
		z.offsets = append(z.offsets, c.ValueOffsets())
	case *array.Binary:
		z.offsets = append(z.offsets, c.ValueOffsets())
	case *array.List:
		z.addList(c)
	case *array.Map:
		z.addList(c.List)
	case *array.Struct:
		for i := range c.NumField() {
			z.add(c.Field(i))
		}
	default:
		if t, ok := c.DataType().(arrow.FixedWidthDataType); ok {
			z.fixed += int64(max(1, t.BitWidth()/8))
		}
	}
}

func (z *sizer) addList(c *array.List) {
	l := listSizer{offsets: c.Offsets()[c.Data().Offset():]}
	l.elements.add(c.ListValues())
	z.lists = append(z.lists, l)
}

// bytes is the size of rows [from, until).
func (z sizer) bytes(from, until int) int64 {
	if until <= from {
		return 0
	}
	n := int64(until-from) * (z.fixed + 4*int64(len(z.offsets)+len(z.lists)))
	for _, o := range z.offsets {
		n += int64(o[until]) - int64(o[from])
	}
	for _, l := range z.lists {
		n += l.elements.bytes(int(l.offsets[from]), int(l.offsets[until]))
	}
	return n
}
