package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
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
	origin() origin
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
	accs  []aggregate.Accumulator
	ids   []int32
}

func (g *groups) origin() origin { return g.from }
func (g *groups) release()       {}

func (g *groups) add(f *flow, late *lateRows) error {
	g.ids = numbered(g.index, f.batch, g.op.keys, g.ids)
	g.noteEnds(f, late)
	at := g.op.keys
	for i, call := range g.op.calls {
		n := len(call.Inputs())
		g.accs[i].Resize(g.index.Len())
		if errs := g.accs[i].Update(g.ids, f.batch.Columns()[at:at+n]); len(errs) > 0 {
			return g.op.failure(call, g.index, g.ids[errs[0].Row], errs[0].Err)
		}
		at += n
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

// numbered are the numbers of the keys of a batch, its first columns. Without keys all rows are one group.
func numbered(index *group.Index, b *columnar.Batch, keys int, ids []int32) []int32 {
	var sel columnar.Selection
	if keys == 0 {
		sel = make(columnar.Selection, b.Rows())
	}
	return index.Add(b.Columns()[:keys], sel, ids[:0])
}

// kept is a portion of whole rows, in their order.
type kept struct {
	from    origin
	op      *dedup
	late    int64
	batches []*columnar.Batch
}

func (k *kept) origin() origin { return k.from }

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
