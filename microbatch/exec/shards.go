package exec

import (
	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
)

// runShards runs every shard in a goroutine of its own and collects what they put out.
func runShards(n int, run func(shard int) (*columnar.Batch, Stats, error)) (outs []*columnar.Batch, total Stats, err error) {
	made, stats := make([]*columnar.Batch, n), make([]Stats, n)
	var work errgroup.Group
	for i := range n {
		work.Go(func() (err error) {
			made[i], stats[i], err = run(i)
			return err
		})
	}
	err = work.Wait()
	for i, out := range made {
		total.Add(stats[i])
		switch {
		case out == nil:
		case err != nil:
			out.Release()
		default:
			outs = append(outs, out)
		}
	}
	return outs, total, err
}

// deal lists for each shard the groups of each portion that it gets, by their hashes. Groups that are forgotten by a time are late: left out
// and counted.
func deal(in []Portion, shards int, limit int64, hashesOf func(g *groups) []uint64) (parts [][]columnar.Selection, late int64) {
	parts = make([][]columnar.Selection, shards)
	for i := range parts {
		parts[i] = make([]columnar.Selection, len(in))
	}
	lates := lateGroups{}
	for k, p := range in {
		g := p.(*groups)
		var behind columnar.Selection
		for id, hash := range hashesOf(g) {
			if g.ends[id] <= limit {
				behind = append(behind, int32(id))
				continue
			}
			shard := hash % uint64(shards)
			parts[shard][k] = append(parts[shard][k], int32(id))
		}
		lates.add(g, behind)
	}
	return parts, lates.count()
}

// dealRows lists for each shard the stored rows that it gets, by the hash of their first columns, the keys. Rows that end by a
// time are left out; without ends none does.
func dealRows(rows *columnar.Batch, keys []columnar.Type, shards int, ends []int64, limit int64) []columnar.Selection {
	parts := make([]columnar.Selection, shards)
	for row, hash := range hashes(keys, rows.Columns()[:len(keys)], rows.Rows()) {
		if ends == nil || ends[row] > limit {
			shard := hash % uint64(shards)
			parts[shard] = append(parts[shard], int32(row))
		}
	}
	return parts
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

// lateGroups counts late groups, one that several tasks of a partition meet once.
type lateGroups map[origin]*group.Index

func (l lateGroups) add(g *groups, ids columnar.Selection) {
	if len(ids) == 0 {
		return
	}
	if l[g.from] == nil {
		l[g.from] = group.NewIndex(g.op.types)
	}
	keys := g.index.Keys(ids)
	l[g.from].Add(keys, nil, nil)
	releaseAll(keys)
}

func (l lateGroups) count() (n int64) {
	for _, index := range l {
		n += int64(index.Len())
	}
	return n
}
