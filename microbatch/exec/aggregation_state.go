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

func (sh *shard) rows() int { return sh.index.Len() }

func (sh *shard) bytes() int64 { return sh.index.Bytes() + int64(16*len(sh.ends)) + sh.accs.bytes() }

func (sh *shard) changedSince(run int64) columnar.Selection { return laterThan(sh.changed, run) }

func (sh *shard) stored(ids columnar.Selection) []columnar.Column {
	return append(sh.index.Keys(ids), sh.accs.states(ids)...)
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
