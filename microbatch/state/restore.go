package state

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
)

// Target takes over restored state.
type Target interface {
	// Schema describes the rows.
	Schema() *columnar.Schema
	// KeyColumns is how many columns, the first ones, tell apart what a file holds whole.
	KeyColumns() int
	// Load adds rows of keys that are not there yet, except what a watermark, in milliseconds, has ended.
	Load(rows *columnar.Batch, evicted int64) error
}

// Restore loads the state of an operator from its files, oldest first.
func Restore(operator string, files [][]byte, evicted int64, to Target) error {
	schema, n := to.Schema(), to.KeyColumns()
	s := newSeen(schema, n)
	for i := len(files) - 1; i >= 0; i-- {
		s.before, s.last = s.index.Len(), i == 0
		err := Decode(files[i], operator, schema, func(rows *columnar.Batch) error { return s.load(rows, evicted, to) })
		if err != nil {
			return fmt.Errorf("restore the state of %s: %w", operator, err)
		}
	}
	return nil
}

// seen numbers the keys of the newer files and of the one that is read.
type seen struct {
	index  *group.Index
	keys   int
	before int  // how many keys newer files have
	last   bool // there is no older file
}

func newSeen(schema *columnar.Schema, keys int) *seen {
	types := make([]columnar.Type, keys)
	for i := range types {
		types[i] = schema.Fields[i].Type
	}
	return &seen{index: group.NewIndex(types), keys: keys}
}

// load gives on the rows whose key no newer file has.
func (s *seen) load(rows *columnar.Batch, evicted int64, to Target) error {
	if s.before == 0 && s.last {
		return to.Load(rows, evicted)
	}
	fresh := columnar.GatherBatch(rows, s.fresh(rows))
	defer fresh.Release()
	return to.Load(fresh, evicted)
}

func (s *seen) fresh(rows *columnar.Batch) columnar.Selection {
	keys, all := rows.Columns()[:s.keys], columnar.Selection(nil)
	if s.keys == 0 {
		all = make(columnar.Selection, rows.Rows())
	}
	number := s.index.Add
	if s.last {
		number = s.index.Find
	}
	out := columnar.Selection{}
	for row, id := range number(keys, all, nil) {
		if id < 0 || int(id) >= s.before {
			out = append(out, int32(row))
		}
	}
	return out
}
