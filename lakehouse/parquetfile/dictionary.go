package parquetfile

import (
	"bytes"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/zeebo/xxh3"
)

// A text column gets a dictionary in a row group if its values stand there twice or more on average and the dictionary
// stays small. A sample at the front spares columns of unique values the hashing of the rest.
const (
	maxDistinct        = 32 << 10
	maxDictionaryBytes = 1 << 20
	dictionarySample   = 4 << 10
)

// dictionary numbers the distinct texts of a column in the order in which they come. Its memory is reused.
type dictionary struct {
	slots  []uint32 // open addressing: id+1, 0 for a free slot
	hashes []uint64 // by id
	data   []byte
	ends   []uint32 // value id lies between ends[id] and ends[id+1]
	ids    []int32  // of the values that are not null
	seen   []bool
}

func (d *dictionary) reset() {
	if d.slots == nil {
		d.slots = make([]uint32, 1<<10)
	}
	clear(d.slots)
	d.hashes, d.data, d.ids = d.hashes[:0], d.data[:0], d.ids[:0]
	d.ends = append(d.ends[:0], 0)
}

// fill numbers the values of a column at the positions, or, if they are nil, all that are not NULL; false if a dictionary would not pay.
func (d *dictionary) fill(c *array.String, at []int32) bool {
	d.reset()
	offsets, data := c.ValueOffsets(), c.ValueBytes()
	nulls, n := at == nil && c.NullN() > 0, c.Len()
	if at != nil {
		n = len(at)
	}
	for i := range n {
		if at != nil {
			i = int(at[i])
		}
		if nulls && c.IsNull(i) {
			continue
		}
		base := offsets[0]
		d.ids = append(d.ids, d.id(data[offsets[i]-base:offsets[i+1]-base]))
		if len(d.ids) == dictionarySample && !d.pays() || len(d.hashes) > maxDistinct || len(d.data) > maxDictionaryBytes {
			return false
		}
	}
	return len(d.ids) > 0 && d.pays()
}

func (d *dictionary) pays() bool { return 2*len(d.hashes) <= len(d.ids) }

func (d *dictionary) value(id int) []byte { return d.data[d.ends[id]:d.ends[id+1]] }

func (d *dictionary) id(v []byte) int32 {
	h := xxh3.Hash(v)
	at := d.find(h, v)
	if id := d.slots[at]; id != 0 {
		return int32(id - 1)
	}
	d.hashes = append(d.hashes, h)
	d.data = append(d.data, v...)
	d.ends = append(d.ends, uint32(len(d.data)))
	d.slots[at] = uint32(len(d.hashes))
	if 8*len(d.hashes) > 5*len(d.slots) {
		d.grow()
	}
	return int32(len(d.hashes) - 1)
}

// find returns the slot of a value, or the free one where it belongs.
func (d *dictionary) find(h uint64, v []byte) int {
	mask := len(d.slots) - 1
	for at := int(h) & mask; ; at = (at + 1) & mask {
		id := d.slots[at]
		if id == 0 || d.hashes[id-1] == h && bytes.Equal(d.value(int(id-1)), v) {
			return at
		}
	}
}

func (d *dictionary) grow() {
	d.slots = make([]uint32, 2*len(d.slots))
	mask := len(d.slots) - 1
	for id, h := range d.hashes {
		at := int(h) & mask
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = uint32(id + 1)
	}
}

// parquet returns the dictionary for a column writer, with memory of its own: it lives as long as the row group.
func (d *dictionary) parquet(t parquet.Type, column int) parquet.Dictionary {
	return t.NewDictionary(column, len(d.hashes), encoding.ByteArrayValues(bytes.Clone(d.data), slices.Clone(d.ends)))
}

// bounds of the values that some ids stand for.
func (d *dictionary) bounds(ids []int32) bounds {
	if len(ids) == 0 {
		return bounds{}
	}
	d.seen = grow(d.seen, len(d.hashes))
	clear(d.seen)
	for _, id := range ids {
		d.seen[id] = true
	}
	low := d.value(int(ids[0]))
	high := low
	for id, seen := range d.seen {
		if !seen {
			continue
		}
		v := d.value(id)
		if bytes.Compare(v, low) < 0 {
			low = v
		}
		if bytes.Compare(v, high) > 0 {
			high = v
		}
	}
	return shortened(bounds{low: parquet.ByteArrayValue(low), high: parquet.ByteArrayValue(high), ok: true})
}
