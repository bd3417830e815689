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
	seen := newSeen(schema, n)
	for i := len(files) - 1; i >= 0; i-- {
		rows, err := Decode(files[i], operator, schema)
		if err != nil {
			return err
		}
		err = seen.load(rows, evicted, to, i == 0)
		rows.Release()
		if err != nil {
			return fmt.Errorf("restore the state of %s: %w", operator, err)
		}
	}
	return nil
}

// seen are the keys that newer files have.
type seen struct {
	index *group.Index
	keys  int
	any   bool // there was a file; without key columns it holds everything
}

func newSeen(schema *columnar.Schema, keys int) *seen {
	types := make([]columnar.Type, keys)
	for i := range types {
		types[i] = schema.Fields[i].Type
	}
	return &seen{index: group.NewIndex(types), keys: keys}
}

func (s *seen) load(rows *columnar.Batch, evicted int64, to Target, last bool) error {
	fresh := rows
	fresh.Retain()
	if s.any {
		fresh.Release()
		fresh = columnar.GatherBatch(rows, s.unknown(rows))
	}
	defer fresh.Release()
	if s.keys > 0 && !last {
		s.index.Add(rows.Columns()[:s.keys], nil, nil)
	}
	s.any = true
	return to.Load(fresh, evicted)
}

// unknown lists the rows whose key no newer file has.
func (s *seen) unknown(rows *columnar.Batch) columnar.Selection {
	out := columnar.Selection{}
	if s.keys == 0 {
		return out
	}
	for row, id := range s.index.Find(rows.Columns()[:s.keys], nil, nil) {
		if id < 0 {
			out = append(out, int32(row))
		}
	}
	return out
}
