package group

import (
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// texts are keys of bytes: the values of one STRING or BINARY column, or encoded rows.
type texts struct {
	table
	types []columnar.Type
	plain bool // the keys are the values of one column
	data  []byte
	ends  []int // key id is data[ends[id]:ends[id+1]]
	null  int32 // the number of the plain key NULL, which is not in the table, or -1
	// The rows of a run, as parts of a block; size -1 is NULL.
	code   []byte
	starts [runLength]int
	sizes  [runLength]int
	run    [runLength]uint64 // their hashes
}

// nullHash is the hash of NULL as the only column of a key.
const nullHash = seed1

func newTexts(types []columnar.Type) *texts {
	plain := len(types) == 1 && (types[0] == columnar.String || types[0] == columnar.Binary)
	return &texts{table: newTable(), types: types, plain: plain, ends: []int{0}, null: -1}
}

func (x *texts) find(columns []columnar.Column, sel columnar.Selection, ids []int32, add bool) []int32 {
	x.eachRun(columns, sel, sel.Len(columns[0].Len()), func(block []byte, n int) { ids = x.findRun(block, n, ids, add) })
	return ids
}

// eachRun loads and hashes the selected rows in runs.
func (x *texts) eachRun(columns []columnar.Column, sel columnar.Selection, n int, visit func(block []byte, n int)) {
	load := x.loadCodes(columns)
	if x.plain {
		load = x.loadPlain(columns[0])
	}
	for from := 0; from < n; from += runLength {
		until := min(n, from+runLength)
		block := load(sel, from, until)
		for i := range until - from {
			x.run[i] = nullHash
			if x.sizes[i] >= 0 {
				x.run[i] = xxh3.Hash(block[x.starts[i]:][:x.sizes[i]])
			}
		}
		visit(block, until-from)
	}
}

func (x *texts) hashes(columns []columnar.Column, rows int) []uint64 {
	out := make([]uint64, 0, rows)
	x.eachRun(columns, nil, rows, func(_ []byte, n int) { out = append(out, x.run[:n]...) })
	return out
}

// loadPlain returns what locates the values of rows [from, until) of a selection.
func (x *texts) loadPlain(c columnar.Column) func(sel columnar.Selection, from, until int) []byte {
	if c.Len() == 0 {
		return nil
	}
	offsets, block := textParts(c)
	nulls := c.NullN() > 0
	return func(sel columnar.Selection, from, until int) []byte {
		for i := range until - from {
			row := from + i
			if sel != nil {
				row = int(sel[row])
			}
			x.starts[i], x.sizes[i] = int(offsets[row]), int(offsets[row+1]-offsets[row])
			if nulls && c.IsNull(row) {
				x.sizes[i] = -1
			}
		}
		return block
	}
}

func textParts(c columnar.Column) (offsets []int32, block []byte) {
	if b := c.Data().Buffers()[2]; b != nil {
		block = b.Bytes()
	}
	if s, ok := c.(*array.String); ok {
		return s.ValueOffsets(), block
	}
	return c.(*array.Binary).ValueOffsets(), block
}

// loadCodes returns what encodes rows [from, until) of a selection.
func (x *texts) loadCodes(columns []columnar.Column) func(sel columnar.Selection, from, until int) []byte {
	inputs := make([]*rowcode.Input, len(columns))
	for k, c := range columns {
		inputs[k] = rowcode.Open(c, x.types[k], false)
	}
	return func(sel columnar.Selection, from, until int) []byte {
		x.code = x.code[:0]
		for i := range until - from {
			row := from + i
			if sel != nil {
				row = int(sel[row])
			}
			x.starts[i] = len(x.code)
			for _, in := range inputs {
				x.code = in.Append(x.code, row)
			}
			x.sizes[i] = len(x.code) - x.starts[i]
		}
		return x.code
	}
}

func (x *texts) findRun(block []byte, n int, ids []int32, add bool) []int32 {
	for i := range n {
		if x.sizes[i] < 0 {
			ids = append(ids, x.findNull(add))
			continue
		}
		key := block[x.starts[i]:][:x.sizes[i]]
		id := x.lookup(x.run[i], key)
		if id < 0 && add {
			id = x.add(x.run[i], key)
		}
		ids = append(ids, id)
	}
	return ids
}

func (x *texts) findNull(add bool) int32 {
	if x.null < 0 && add {
		x.null = x.append(nil)
	}
	return x.null
}

func (x *texts) lookup(hash uint64, key []byte) int32 {
	tag := uint32(hash >> 32)
	for at := x.place(tag); ; at = (at + 1) & (len(x.slots) - 1) {
		s := x.slots[at]
		if s == 0 {
			return -1
		}
		if uint32(s>>32) != tag {
			continue
		}
		if id := int32(uint32(s)) - 1; string(x.key(id)) == string(key) {
			return id
		}
	}
}

func (x *texts) key(id int32) []byte { return x.data[x.ends[id]:x.ends[id+1]] }

func (x *texts) add(hash uint64, key []byte) int32 {
	if x.full() {
		x.grow()
	}
	id := x.append(key)
	x.put(uint32(hash>>32), id)
	return id
}

func (x *texts) append(key []byte) int32 {
	x.data = append(x.data, key...)
	x.ends = append(x.ends, len(x.data))
	return int32(len(x.ends) - 2)
}

func (x *texts) len() int { return len(x.ends) - 1 }

func (x *texts) hash(id int32) uint64 {
	if id == x.null {
		return nullHash
	}
	return xxh3.Hash(x.key(id))
}

func (x *texts) columns(ids columnar.Selection) []columnar.Column {
	if x.plain {
		return []columnar.Column{x.plainColumn(ids)}
	}
	outputs := make([]*rowcode.Output, len(x.types))
	for k, t := range x.types {
		outputs[k] = rowcode.NewOutput(t)
	}
	x.each(ids, func(id int32) {
		code := x.key(id)
		for _, out := range outputs {
			code = out.Read(code)
		}
	})
	columns := make([]columnar.Column, len(outputs))
	for k, out := range outputs {
		columns[k] = out.Column()
	}
	return columns
}

func (x *texts) plainColumn(ids columnar.Selection) columnar.Column {
	b := columnar.BinaryBuffer{}
	x.each(ids, func(id int32) {
		if id == x.null {
			b.AppendNull()
		} else {
			b.Append(x.key(id))
		}
	})
	if x.types[0] == columnar.String {
		return b.FinishString()
	}
	return b.Finish()
}

// each calls f for some numbers, nil for all.
func (x *texts) each(ids columnar.Selection, f func(id int32)) {
	if ids == nil {
		for id := range int32(x.len()) {
			f(id)
		}
	}
	for _, id := range ids {
		f(id)
	}
}

func (x *texts) keep(ids columnar.Selection) {
	x.table.keep(ids, x.len())
	size := 0
	for _, id := range ids {
		size += len(x.key(id))
	}
	data, ends, null := make([]byte, 0, size), make([]int, 1, len(ids)+1), int32(-1)
	for i, id := range ids {
		if id == x.null {
			null = int32(i)
		}
		data = append(data, x.key(id)...)
		ends = append(ends, len(data))
	}
	x.data, x.ends, x.null = data, ends, null
}

func (x *texts) bytes() int64 {
	return int64(8*len(x.slots)) + int64(cap(x.data)) + int64(8*cap(x.ends)) + int64(cap(x.code)) + 24*runLength
}
