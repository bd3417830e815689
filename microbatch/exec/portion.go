package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/offsets"
)

// Moment is what a batch knows of time, in milliseconds since 1970.
type Moment struct {
	Batch int64 // the time of the batch, which current_timestamp() gives
	Late  int64 // the watermark that the batch before ran with: what ends by then is late
	Evict int64 // the watermark of this batch: what ends by then is complete
}

// Portion is the rows of a batch for a stateful operator that come from one task or from one lower operator.
type Portion interface {
	// add takes the rows of a flow in the columns of the operator's entry.
	add(f *flow, late *lateRows) error
	release()
}

// origin tells which portions count a late group together: those of one partition.
type origin struct {
	source    string
	partition offsets.Partition
}

// groups is a portion for an aggregate: partial aggregates by key.
type groups struct {
	from  origin
	op    *aggregation
	late  int64
	index *group.Index
	ends  []int64 // when each group is forgotten
	accs  accumulators
	ids   []int32
}

func (g *groups) release() {}

func (g *groups) add(f *flow, late *lateRows) error {
	keys, inputs := f.batch.Columns()[:g.op.keys], f.batch.Columns()[g.op.keys:]
	g.ids = numbered(g.index, keys, f.batch.Rows(), g.ids)
	g.noteEnds(f, late)
	g.accs.resize(g.index.Len())
	if bad := g.accs.update(g.ids, inputs); bad != nil {
		return g.op.failure(bad, g.index, g.ids[bad.at])
	}
	return nil
}

// noteEnds notes when the new groups of a flow are forgotten, and which rows are late.
func (g *groups) noteEnds(f *flow, late *lateRows) {
	keys := f.batch.Columns()[:g.op.keys]
	for row, end := range g.op.ends(keys, f.batch.Rows()) {
		if int(g.ids[row]) == len(g.ends) {
			g.ends = append(g.ends, end)
		}
		if end <= g.late && g.op.dropsLate() {
			start, complete := g.op.window(keys, row)
			late.add(f.raw(int32(row)), start, complete, true)
		}
	}
}

// hashes are those of the keys, by number.
func (g *groups) hashes() []uint64 {
	out := make([]uint64, g.index.Len())
	for id := range out {
		out[id] = g.index.Hash(int32(id))
	}
	return out
}

// numbered are the numbers of the keys of some rows, appended to ids[:0]. Without keys all rows are one group.
func numbered(index *group.Index, keys []columnar.Column, rows int, ids []int32) []int32 {
	var sel columnar.Selection
	if len(keys) == 0 {
		sel = make(columnar.Selection, rows)
	}
	return index.Add(keys, sel, ids)
}

// kept is a portion of whole rows, in their order.
type kept struct {
	from    origin
	op      *dedup
	late    int64
	batches []*columnar.Batch
}

func (k *kept) add(f *flow, late *lateRows) error {
	k.op.noteLate(f, k.late, late)
	f.batch.Retain()
	k.batches = append(k.batches, f.batch)
	return nil
}

func (k *kept) release() {
	for _, b := range k.batches {
		b.Release()
	}
}

// Release frees a portion.
func Release(p Portion) { p.release() }
