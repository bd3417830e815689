package group

import "github.com/lakewheel/lakewheel/columnar"

// Index numbers distinct keys 0, 1, 2, ... in the order in which they come. It belongs to one goroutine.
type Index struct{ keys keys }

// keys are the keys of an index in one of their forms.
type keys interface {
	// find appends the numbers of the selected rows; unknown keys are added or -1.
	find(columns []columnar.Column, sel columnar.Selection, ids []int32, add bool) []int32
	len() int
	hash(id int32) uint64
	hashes(columns []columnar.Column, rows int) []uint64
	columns(ids []int32) []columnar.Column
	keep(ids columnar.Selection)
	bytes() int64
	// reader is the same keys for another goroutine, which only looks them up.
	reader() keys
}

// NewIndex makes an empty index of keys of the types, of which none is or holds a MAP. Without types there is one key.
func NewIndex(types []columnar.Type) *Index {
	if len(types) == 0 {
		return &Index{&single{}}
	}
	l := layoutOf(types)
	switch l.words {
	case 0:
		return &Index{newTable[[0]uint64](l)}
	case 1:
		return &Index{newTable[[1]uint64](l)}
	}
	return &Index{newTable[[2]uint64](l)}
}

// Add returns the number of the key of each selected row (sel nil: all), appended to ids[:0]; unknown keys get the next
// numbers. Without key columns sel is not nil.
func (x *Index) Add(keys []columnar.Column, sel columnar.Selection, ids []int32) []int32 {
	return x.keys.find(keys, sel, ids[:0], true)
}

// Find is Add with -1 for unknown keys, and adds nothing.
func (x *Index) Find(keys []columnar.Column, sel columnar.Selection, ids []int32) []int32 {
	return x.keys.find(keys, sel, ids[:0], false)
}

// Len is the number of keys.
func (x *Index) Len() int { return x.keys.len() }

// Hash of a key is the same in every process and for every index of its types. It may decide where a key is stored.
func (x *Index) Hash(id int32) uint64 { return x.keys.hash(id) }

// Hashes are those of the keys of some rows, which are not looked up.
func (x *Index) Hashes(keys []columnar.Column, rows int) []uint64 { return x.keys.hashes(keys, rows) }

// Keys returns the keys of some numbers, in any order (nil: all), as columns of the types, which the caller releases.
func (x *Index) Keys(ids []int32) []columnar.Column { return x.keys.columns(ids) }

// Keep forgets all keys but these, which are ascending: key ids[i] becomes i.
func (x *Index) Keep(ids columnar.Selection) { x.keys.keep(ids) }

// Reader is the same index for a goroutine of its own, which calls Find alone. While there are readers, the index does not change.
func (x *Index) Reader() *Index { return &Index{x.keys.reader()} }

// Bytes is about what the index takes in memory.
func (x *Index) Bytes() int64 { return x.keys.bytes() }

// single is the key of no columns.
type single struct{ n int }

func (x *single) find(_ []columnar.Column, sel columnar.Selection, ids []int32, add bool) []int32 {
	if add && len(sel) > 0 {
		x.n = 1
	}
	for range sel {
		ids = append(ids, int32(x.n-1))
	}
	return ids
}

func (x *single) len() int                                      { return x.n }
func (x *single) hash(int32) uint64                             { return 0 }
func (x *single) hashes(_ []columnar.Column, rows int) []uint64 { return make([]uint64, rows) }
func (x *single) columns([]int32) []columnar.Column             { return nil }
func (x *single) keep(ids columnar.Selection)                   { x.n = len(ids) }
func (x *single) bytes() int64                                  { return 0 }
func (x *single) reader() keys                                  { return x }

// layout says where the columns of a key go.
type layout struct {
	types []columnar.Type
	at    []int // by column: its first word, or inText
	words int
	text  bool // there are columns that are no words
	plain int  // the only one of those, if it is STRING or BINARY, else -1
}

const inText = -1

// maxColumns is how many columns can be words or plain: each has a bit that says whether it is NULL.
const maxColumns = 8

func layoutOf(types []columnar.Type) layout {
	l := layout{types: types, at: make([]int, len(types)), plain: -1}
	texts := 0
	for k, t := range types {
		if n := wordsOf(t); n > 0 && l.words+n <= 2 && k < maxColumns {
			l.at[k] = l.words
			l.words += n
			continue
		}
		l.at[k], l.text = inText, true
		if texts++; k < maxColumns && (t == columnar.String || t == columnar.Binary) {
			l.plain = k
		}
	}
	if texts != 1 {
		l.plain = -1
	}
	return l
}

// wordsOf is how many words a value takes; 0: it is no word.
func wordsOf(t columnar.Type) int {
	switch w := t.Width(); {
	case w == 16:
		return 2
	case w > 0, t == columnar.Boolean:
		return 1
	}
	return 0
}
