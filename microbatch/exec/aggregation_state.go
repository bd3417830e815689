package exec

import (
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/group"
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
		n += sh.index.Bytes() + int64(16*len(sh.ends)) + bytesOf(sh.accs)
	}
	return n
}

func bytesOf(accs []aggregate.Accumulator) (n int64) {
	for _, acc := range accs {
		n += acc.Bytes()
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
		parts = append(parts, columnar.NewBatch(s.Schema(), append(sh.index.Keys(ids), statesOf(sh.accs, ids)...), len(ids)))
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

func statesOf(accs []aggregate.Accumulator, ids columnar.Selection) (cols []columnar.Column) {
	for _, acc := range accs {
		cols = append(cols, acc.State(ids)...)
	}
	return cols
}

func (s *groupState) Load(rows *columnar.Batch, evicted int64) error {
	keys := rows.Columns()[:s.op.keys]
	ends := s.op.ends(keys, rows.Rows())
	parts := make([]columnar.Selection, len(s.shards))
	for row, hash := range hashes(s.op.types, keys, rows.Rows()) {
		if ends[row] > evicted*1000 {
			shard := hash % uint64(len(s.shards))
			parts[shard] = append(parts[shard], int32(row))
		}
	}
	return eachPart(parts, func(i int, sel columnar.Selection) error { return s.shards[i].load(columnar.GatherBatch(rows, sel)) })
}

// eachPart calls f for every shard that has rows, side by side.
func eachPart(parts []columnar.Selection, f func(shard int, sel columnar.Selection) error) error {
	var work errgroup.Group
	for i, sel := range parts {
		if len(sel) > 0 {
			work.Go(func() error { return f(i, sel) })
		}
	}
	return work.Wait()
}

// hashes of the keys of some rows.
func hashes(types []columnar.Type, keys []columnar.Column, rows int) []uint64 {
	return group.NewIndex(types).Hashes(keys, rows)
}

// load takes over stored groups.
func (sh *shard) load(rows *columnar.Batch) error {
	defer rows.Release()
	mine := numbered(sh.index, rows, sh.op.keys, nil)
	sh.grow()
	return mergeStored(sh.accs, sh.op.calls, mine, rows.Columns()[sh.op.keys:])
}

// mergeStored adds stored states, the columns of all calls one after the other.
func mergeStored(accs []aggregate.Accumulator, calls []*aggregate.Call, ids []int32, cols []columnar.Column) error {
	at := 0
	for i, acc := range accs {
		n := len(calls[i].State())
		if errs := acc.Merge(ids, cols[at:at+n]); len(errs) > 0 {
			return fmt.Errorf("state of %s: %w", calls[i], errs[0].Err)
		}
		at += n
	}
	return nil
}
