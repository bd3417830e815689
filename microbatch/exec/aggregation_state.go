package exec

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
)

// stateSchema is columns of keys, further columns, and the states of calls.
func stateSchema(types []columnar.Type, more []columnar.Field, calls []*aggregate.Call) *columnar.Schema {
	out := &columnar.Schema{}
	for i, t := range types {
		out.Fields = append(out.Fields, columnar.Field{Name: keyColumn(i), Type: t, Nullable: true})
	}
	out.Fields = append(out.Fields, more...)
	for i, c := range calls {
		for _, f := range c.State() {
			f.Name, f.Nullable = callColumn(i, f.Name), true
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// keyColumn names the columns of keys.
func keyColumn(i int) string { return fmt.Sprintf("k%d", i) }

// callColumn names the columns of calls.
func callColumn(i int, field string) string { return fmt.Sprintf("a%d_%s", i, field) }

func (s *groupState) Runs() int64     { return s.runs }
func (s *groupState) KeyColumns() int { return s.op.keys }

func (s *groupState) Schema() *columnar.Schema { return stateSchema(s.op.types, nil, s.op.calls) }

func (s *groupState) Rows() (n int64) {
	for _, sh := range s.shards {
		n += int64(sh.index.Len())
	}
	return n
}

func (s *groupState) Bytes() (n int64) {
	for _, sh := range s.shards {
		n += sh.index.Bytes() + int64(16*len(sh.ends)) + sh.accs.bytes()
	}
	return n
}

func (s *groupState) Changed(after int64) (*columnar.Batch, error) {
	var parts []*columnar.Batch
	for _, sh := range s.shards {
		ids := changedSince(sh.changed, after)
		if len(ids) == 0 {
			continue
		}
		parts = append(parts, columnar.NewBatch(s.Schema(), append(sh.index.Keys(ids), sh.accs.states(ids)...), len(ids)))
	}
	return joined(parts)
}

// changedSince lists what changed in later runs.
func changedSince(changed []int64, after int64) columnar.Selection {
	var ids columnar.Selection
	for id, run := range changed {
		if run > after {
			ids = append(ids, int32(id))
		}
	}
	return ids
}

func (s *groupState) Load(rows *columnar.Batch, evicted int64) error {
	ends := s.op.ends(rows.Columns()[:s.op.keys], rows.Rows())
	parts := dealRows(rows, s.op.types, len(s.shards), ends, evicted*1000)
	return eachPart(parts, func(i int, sel columnar.Selection) error { return s.shards[i].load(columnar.GatherBatch(rows, sel)) })
}

// load takes over stored groups.
func (sh *shard) load(rows *columnar.Batch) error {
	defer rows.Release()
	keys, states := rows.Columns()[:sh.op.keys], rows.Columns()[sh.op.keys:]
	mine := numbered(sh.index, keys, rows.Rows(), nil)
	sh.grow()
	return sh.accs.load(mine, states)
}
