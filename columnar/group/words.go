package group

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// word is a key of one or two words of 64 bits.
type word interface{ [1]uint64 | [2]uint64 }

// words are keys of fixed width: one or two columns of up to 64 bits, or a DECIMAL.
type words[K word] struct {
	table
	types []columnar.Type
	keys  []K
	// nulls has a bit for each column that is NULL, whose words are then 0; nil as long as no key had one.
	nulls []uint8
	// The rows of a run as keys.
	run       [runLength]K
	runNulls  [runLength]uint8
	runHashes [runLength]uint64
}

// runLength is how many rows are hashed before they are looked up: the loads of one loop do not wait for each other.
const runLength = 1024

func newWords[K word](types []columnar.Type) *words[K] {
	return &words[K]{table: newTable(), types: types}
}

func (x *words[K]) find(columns []columnar.Column, sel columnar.Selection, ids []int32, add bool) []int32 {
	x.expectNulls(columns)
	n := sel.Len(columns[0].Len())
	for from := 0; from < n; from += runLength {
		until := min(n, from+runLength)
		x.load(columns, sel, from, until)
		x.hashRun(until - from)
		if add {
			ids = x.addRun(until-from, ids)
		} else {
			ids = x.findRun(until-from, ids)
		}
	}
	return ids
}

func (x *words[K]) expectNulls(columns []columnar.Column) {
	for _, c := range columns {
		if c.NullN() > 0 && x.nulls == nil {
			x.nulls = make([]uint8, len(x.keys))
		}
	}
}

func (x *words[K]) hashes(columns []columnar.Column, rows int) []uint64 {
	x.expectNulls(columns)
	out := make([]uint64, 0, rows)
	for from := 0; from < rows; from += runLength {
		until := min(rows, from+runLength)
		x.load(columns, nil, from, until)
		x.hashRun(until - from)
		out = append(out, x.runHashes[:until-from]...)
	}
	return out
}

func (x *words[K]) len() int { return len(x.keys) }

// load makes keys of rows [from, until) of the selection.
func (x *words[K]) load(columns []columnar.Column, sel columnar.Selection, from, until int) {
	stride := len(x.run[0])
	out := unsafe.Slice((*uint64)(unsafe.Pointer(&x.run)), stride*(until-from))
	if x.nulls != nil {
		clear(x.runNulls[:until-from])
	}
	at := 0
	for k, c := range columns {
		r := rows{sel, from, until, stride}
		r.load(c, x.types[k], out[at:])
		if c.NullN() > 0 {
			r.loadNulls(c, out[at:], wordsOf(x.types[k]), x.runNulls[:], 1<<k)
		}
		at += wordsOf(x.types[k])
	}
}

func (x *words[K]) hashRun(n int) {
	for i := range n {
		x.runHashes[i] = hashWords(x.run[i])
	}
	if x.nulls == nil {
		return
	}
	for i := range n {
		x.runHashes[i] = withNulls(x.runHashes[i], x.runNulls[i])
	}
}

func (x *words[K]) addRun(n int, ids []int32) []int32 {
	for i := range n {
		id := x.lookup(i)
		if id < 0 {
			id = x.add(i)
		}
		ids = append(ids, id)
	}
	return ids
}

func (x *words[K]) findRun(n int, ids []int32) []int32 {
	for i := range n {
		ids = append(ids, x.lookup(i))
	}
	return ids
}

// lookup is the number of the key of row i of the run, or -1.
func (x *words[K]) lookup(i int) int32 {
	tag := uint32(x.runHashes[i] >> 32)
	for at := x.place(tag); ; at = (at + 1) & (len(x.slots) - 1) {
		s := x.slots[at]
		if s == 0 {
			return -1
		}
		if uint32(s>>32) != tag {
			continue
		}
		if id := int32(uint32(s)) - 1; x.keys[id] == x.run[i] && (x.nulls == nil || x.nulls[id] == x.runNulls[i]) {
			return id
		}
	}
}

func (x *words[K]) add(i int) int32 {
	if x.full() {
		x.grow()
	}
	id := int32(len(x.keys))
	x.keys = append(x.keys, x.run[i])
	if x.nulls != nil {
		x.nulls = append(x.nulls, x.runNulls[i])
	}
	x.put(uint32(x.runHashes[i]>>32), id)
	return id
}

func (x *words[K]) hash(id int32) uint64 {
	h := hashWords(x.keys[id])
	if x.nulls != nil {
		h = withNulls(h, x.nulls[id])
	}
	return h
}

// The constants of hashes are arbitrary odd numbers. They are part of the format of what is stored by hash.
const (
	seed1 = 0x9e3779b97f4a7c15
	seed2 = 0xd6e8feb86659fd93
	seed3 = 0xa0761d6478bd642f
)

func hashWords[K word](k K) uint64 {
	h := mix(k[0]^seed1, seed2)
	if len(k) == 2 {
		h = mix(h^k[len(k)-1], seed1)
	}
	return mix(h, seed3)
}

// withNulls is the hash of a key with NULLs; without them it is the hash itself.
func withNulls(h uint64, nulls uint8) uint64 { return h ^ uint64(nulls)*seed2 }

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func (x *words[K]) keep(ids columnar.Selection) {
	x.table.keep(ids, len(x.keys))
	x.keys = kept(x.keys, ids)
	if x.nulls != nil {
		x.nulls = kept(x.nulls, ids)
	}
}

// kept copies the values of the numbers, which are ascending.
func kept[T any](list []T, ids columnar.Selection) []T {
	out := make([]T, len(ids))
	for i, id := range ids {
		out[i] = list[id]
	}
	return out
}

func (x *words[K]) bytes() int64 {
	return int64(8*len(x.slots)) + int64(cap(x.keys))*int64(unsafe.Sizeof(*new(K))) + int64(cap(x.nulls)) + int64(unsafe.Sizeof(*x))
}

// columns makes the columns of keys.
func (x *words[K]) columns(ids columnar.Selection) []columnar.Column {
	list, nulls := x.keys, x.nulls
	if ids != nil {
		list = kept(list, ids)
		if nulls != nil {
			nulls = kept(nulls, ids)
		}
	}
	out := make([]columnar.Column, len(x.types))
	at := 0
	for k, t := range x.types {
		var valid []bool
		if nulls != nil {
			valid = make([]bool, len(nulls))
			for i, mask := range nulls {
				valid[i] = mask>>k&1 == 0
			}
		}
		out[k] = wordColumn(t, list, at, valid)
		at += wordsOf(t)
	}
	return out
}

// wordColumn makes a column of word at of each key.
func wordColumn[K word](t columnar.Type, list []K, at int, valid []bool) columnar.Column {
	switch {
	case t == columnar.Boolean:
		flags := make([]bool, len(list))
		for i, k := range list {
			flags[i] = k[at] != 0
		}
		return columnar.NewBooleanColumn(flags, valid)
	case t == columnar.Float:
		values := make([]float32, len(list))
		for i, k := range list {
			values[i] = math.Float32frombits(uint32(k[at]))
		}
		return columnar.NewFixedColumn(t, values, valid)
	case t.Kind == columnar.DecimalKind:
		values := make([]decimal128.Num, len(list))
		for i, k := range list {
			values[i] = decimal128.New(int64(k[len(k)-1]), k[0])
		}
		return columnar.NewFixedColumn(t, values, valid)
	}
	switch rowcode.Width(t) {
	case 1:
		return integerColumn[int8](t, list, at, valid)
	case 2:
		return integerColumn[int16](t, list, at, valid)
	case 4:
		return integerColumn[int32](t, list, at, valid)
	}
	return integerColumn[int64](t, list, at, valid)
}

// integerColumn also serves DOUBLE, whose bits the word is.
func integerColumn[T int8 | int16 | int32 | int64, K word](t columnar.Type, list []K, at int, valid []bool) columnar.Column {
	values := make([]T, len(list))
	for i, k := range list {
		values[i] = T(k[at])
	}
	return columnar.NewFixedColumn(t, values, valid)
}

// rows are some rows of a selection; their words are written stride apart.
type rows struct {
	sel         columnar.Selection
	from, until int
	stride      int
}

func (r rows) load(c columnar.Column, t columnar.Type, out []uint64) {
	switch {
	case t == columnar.Boolean:
		flags := c.(*array.Boolean)
		r.each(func(i, row int) { out[i*r.stride] = uint64(truth(flags.Value(row))) })
	case t == columnar.Float:
		loadWords(r, columnar.FixedValues[float32](c), out, func(v float32) uint64 { return uint64(math.Float32bits(canonical(v))) })
	case t == columnar.Double:
		loadWords(r, columnar.FixedValues[float64](c), out, func(v float64) uint64 { return math.Float64bits(canonical(v)) })
	case t.Kind == columnar.DecimalKind:
		values := columnar.FixedValues[decimal128.Num](c)
		r.each(func(i, row int) {
			out[i*r.stride], out[i*r.stride+1] = values[row].LowBits(), uint64(values[row].HighBits())
		})
	default:
		r.loadIntegers(c, rowcode.Width(t), out)
	}
}

func (r rows) loadIntegers(c columnar.Column, width int, out []uint64) {
	switch width {
	case 1:
		loadInteger(r, columnar.FixedValues[int8](c), out)
	case 2:
		loadInteger(r, columnar.FixedValues[int16](c), out)
	case 4:
		loadInteger(r, columnar.FixedValues[int32](c), out)
	default:
		loadInteger(r, columnar.FixedValues[int64](c), out)
	}
}

func loadInteger[T int8 | int16 | int32 | int64](r rows, values []T, out []uint64) {
	if r.sel == nil {
		for i, v := range values[r.from:r.until] {
			out[i*r.stride] = uint64(v)
		}
		return
	}
	for i, row := range r.sel[r.from:r.until] {
		out[i*r.stride] = uint64(values[row])
	}
}

func loadWords[T any](r rows, values []T, out []uint64, word func(T) uint64) {
	r.each(func(i, row int) { out[i*r.stride] = word(values[row]) })
}

func (r rows) each(f func(i, row int)) {
	for i := range r.until - r.from {
		row := r.from + i
		if r.sel != nil {
			row = int(r.sel[row])
		}
		f(i, row)
	}
}

// loadNulls sets a bit of the masks and clears the words of the rows that are NULL.
func (r rows) loadNulls(c columnar.Column, out []uint64, width int, masks []uint8, bit uint8) {
	r.each(func(i, row int) {
		if c.IsNull(row) {
			clear(out[i*r.stride:][:width])
			masks[i] |= bit
		}
	})
}

// canonical is a number with one zero and one NaN.
func canonical[T float32 | float64](v T) T {
	if v != v {
		return T(math.NaN())
	}
	return v + 0 // -0.0 + 0 is 0.0
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
