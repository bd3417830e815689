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
