package group

import (
	"math/bits"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/columnar"
)

// words is the part of a key that is of fixed width.
type words interface {
	[0]uint64 | [1]uint64 | [2]uint64
}

// table is an index of keys of some words and, perhaps, bytes.
type table[K words] struct {
	layout
	slots
	keys []K
	// nulls has for each key a bit for each column that is NULL, whose words are then 0 and whose bytes none; nil as long as
	// no key had one. Columns that are encoded have none.
	nulls []uint8
	data  []byte
	ends  []int // the bytes of key id are data[ends[id]:ends[id+1]]
	run   run[K]
}

// run are some rows that are looked up together, as keys: they are hashed in one loop and looked up in the next, so that the
// loads of several rows go on at the same time.
type run[K words] struct {
	n      int
	keys   [runLength]K
	nulls  [runLength]uint8
	hashes [runLength]uint64
	block  []byte // bytes of row i are block[starts[i]:ends[i]]
	starts [runLength]int32
	ends   [runLength]int32
	code   []byte
}

const runLength = 1024

func newTable[K words](l layout) *table[K] {
	return &table[K]{layout: l, slots: newSlots(0), ends: []int{0}}
}

func (x *table[K]) find(columns []columnar.Column, sel columnar.Selection, ids []int32, add bool) []int32 {
	x.eachRun(columns, sel, func() {
		for i := range x.run.n {
			id := x.lookup(i)
			if id < 0 && add {
				id = x.add(i)
			}
			ids = append(ids, id)
		}
	})
	return ids
}

func (x *table[K]) hashes(columns []columnar.Column, rows int) []uint64 {
	out := make([]uint64, 0, rows)
	x.eachRun(columns, nil, func() { out = append(out, x.run.hashes[:x.run.n]...) })
	return out
}

// eachRun loads and hashes the selected rows, run by run.
func (x *table[K]) eachRun(columns []columnar.Column, sel columnar.Selection, visit func()) {
	x.seeNulls(columns)
	l := newLoader(x.layout, columns, sel)
	n := sel.Len(columns[0].Len())
	for from := 0; from < n; from += runLength {
		x.run.n = min(n-from, runLength)
		load(&l, &x.run, from, x.nulls != nil)
		x.hashRun()
		visit()
	}
}

// seeNulls makes room for NULLs as soon as there may be some.
func (x *table[K]) seeNulls(columns []columnar.Column) {
	for k, c := range columns {
		if x.nulls == nil && c.NullN() > 0 && (x.at[k] != inText || x.plain == k) {
			x.nulls = make([]uint8, len(x.keys))
		}
	}
}

func (x *table[K]) len() int { return len(x.keys) }

func (x *table[K]) hashRun() {
	r := &x.run
	for i := range r.n {
		r.hashes[i] = hashWords(r.keys[i])
	}
	if x.nulls != nil {
		for i := range r.n {
			r.hashes[i] = withNulls(r.hashes[i], r.nulls[i])
		}
	}
	if x.text {
		for i := range r.n {
			r.hashes[i] = withText(r.hashes[i], r.block[r.starts[i]:r.ends[i]])
		}
	}
}

// lookup is the number of the key of row i of the run, or -1.
func (x *table[K]) lookup(i int) int32 {
	r := &x.run
	tag := uint32(r.hashes[i] >> 32)
	for at := x.place(tag); ; at = (at + 1) & (len(x.list) - 1) {
		slot := x.list[at]
		if slot == 0 {
			return -1
		}
		if uint32(slot>>32) != tag {
			continue
		}
		if id := int32(uint32(slot)) - 1; x.keys[id] == r.keys[i] && (x.nulls == nil || x.nulls[id] == r.nulls[i]) &&
			(!x.text || string(x.bytesOf(id)) == string(r.block[r.starts[i]:r.ends[i]])) {
			return id
		}
	}
}

func (x *table[K]) bytesOf(id int32) []byte { return x.data[x.ends[id]:x.ends[id+1]] }

func (x *table[K]) add(i int) int32 {
	if x.full() {
		x.grow()
	}
	r, id := &x.run, int32(len(x.keys))
	x.keys = append(x.keys, r.keys[i])
	if x.nulls != nil {
		x.nulls = append(x.nulls, r.nulls[i])
	}
	if x.text {
		x.data = append(x.data, r.block[r.starts[i]:r.ends[i]]...)
		x.ends = append(x.ends, len(x.data))
	}
	x.put(uint32(r.hashes[i]>>32), id)
	return id
}

func (x *table[K]) hash(id int32) uint64 {
	h := hashWords(x.keys[id])
	if x.nulls != nil {
		h = withNulls(h, x.nulls[id])
	}
	if x.text {
		h = withText(h, x.bytesOf(id))
	}
	return h
}

// The constants of hashes are arbitrary odd numbers. They are part of the format of what is stored by hash.
const (
	seed1 = 0x9e3779b97f4a7c15
	seed2 = 0xd6e8feb86659fd93
	seed3 = 0xa0761d6478bd642f
)

func hashWords[K words](k K) uint64 {
	h := uint64(seed1)
	for i := 0; i < len(k); i++ {
		h = mix(h^k[i], seed2)
	}
	return mix(h, seed3)
}

// withNulls is the hash of a key with NULLs; without them it is the hash itself.
func withNulls(h uint64, nulls uint8) uint64 { return h ^ uint64(nulls)*seed2 }

func withText(h uint64, text []byte) uint64 { return mix(h^xxh3.Hash(text), seed3) }

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func (x *table[K]) keep(ids columnar.Selection) {
	x.slots.keep(ids, len(x.keys))
	if x.text {
		x.keepText(ids)
	}
	x.keys = columnar.Pick(x.keys, ids)
	if x.nulls != nil {
		x.nulls = columnar.Pick(x.nulls, ids)
	}
}

func (x *table[K]) keepText(ids columnar.Selection) {
	size := 0
	for _, id := range ids {
		size += len(x.bytesOf(id))
	}
	data, ends := make([]byte, 0, size), make([]int, 1, len(ids)+1)
	for _, id := range ids {
		data = append(data, x.bytesOf(id)...)
		ends = append(ends, len(data))
	}
	x.data, x.ends = data, ends
}

func (x *table[K]) bytes() int64 {
	fixed := int64(unsafe.Sizeof(*x)) + int64(cap(x.run.code))
	return fixed + int64(8*len(x.list)) + int64(cap(x.keys))*int64(unsafe.Sizeof(*new(K))) + int64(cap(x.nulls)) + int64(cap(x.data)) + int64(8*cap(x.ends))
}

// reader shares the keys, and has room of its own for the rows that are looked up.
func (x *table[K]) reader() keys {
	own := *x
	own.run.code = nil
	return &own
}
