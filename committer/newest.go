package committer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// newest keeps the rows of a commit until all are there: of those with the same key the last one stays, in the order of lanes, and in
// a lane in that of the calls. The batches of a commit are held in memory.
type newest struct {
	keys  []keyColumn
	mu    sync.Mutex // guards lanes
	lanes map[int64][]held
}

// keyColumn is a column of the key. emptyIsNull: the table stores the empty text as NULL, as it does in partition columns.
type keyColumn struct {
	name        string
	typ         columnar.Type
	emptyIsNull bool
}

// held are rows that wait. Those of gone, ascending, only take their key out; if bare, all do, and there may be no columns beside the keys.
type held struct {
	rows *columnar.Batch
	gone columnar.Selection
	bare bool
	ids  []int32 // of their keys
}

func newNewest(keys []keyColumn) *newest { return &newest{keys: keys, lanes: map[int64][]held{}} }

// add keeps rows, which are borrowed.
func (n *newest) add(lane int64, h held) {
	h.rows.Retain()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lanes[lane] = append(n.lanes[lane], h)
}

func (n *newest) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, list := range n.lanes {
		for _, h := range list {
			h.rows.Release()
		}
	}
	clear(n.lanes)
}

// finish writes the rows that stay, in their lanes, and returns the keys of all.
func (n *newest) finish(ctx context.Context, to lakehouse.Writer) (*group.Set, error) {
	defer n.release()
	order := slices.Sorted(maps.Keys(n.lanes))
	index, last, err := n.number(order)
	if err != nil {
		return nil, err
	}
	row := 0
	for _, lane := range order {
		for _, h := range n.lanes[lane] {
			if err := h.write(ctx, to, lane, last, row); err != nil {
				return nil, err
			}
			row += h.rows.Rows()
		}
	}
	return group.NewSet(n.types(), index), nil
}

func (n *newest) types() (out []columnar.Type) {
	for _, k := range n.keys {
		out = append(out, k.typ)
	}
	return out
}

// number numbers the keys. last has for each the row that stays, counted through all lanes, or -1 if none does.
func (n *newest) number(order []int64) (index *group.Index, last []int, err error) {
	index = group.NewIndex(n.types())
	row := 0
	for _, lane := range order {
		list := n.lanes[lane]
		for i := range list {
			if err := list[i].find(index, n.keys); err != nil {
				return nil, nil, err
			}
			last = append(last, make([]int, index.Len()-len(last))...)
			list[i].note(last, row)
			row += list[i].rows.Rows()
		}
	}
	return index, last, nil
}

// find numbers the keys of the rows.
func (h *held) find(index *group.Index, keys []keyColumn) error {
	columns := make([]columnar.Column, 0, len(keys))
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for _, k := range keys {
		c, err := k.of(h.rows)
		if err != nil {
			return err
		}
		columns = append(columns, c)
	}
	var sel columnar.Selection
	if len(keys) == 0 { // then the rows cannot be counted by a column
		sel = make(columnar.Selection, h.rows.Rows())
	}
	h.ids = index.Add(columns, sel, nil)
	return nil
}

// note makes the rows, which begin at a number, the last ones of their keys.
func (h *held) note(last []int, from int) {
	for i, id := range h.ids {
		last[id] = from + i
		if h.bare {
			last[id] = -1
		}
	}
	for _, row := range h.gone {
		// A later row of the key, in this batch, has come already.
		if id := h.ids[row]; last[id] == from+int(row) {
			last[id] = -1
		}
	}
}

// write writes the rows that are the last ones of their keys.
func (h *held) write(ctx context.Context, to lakehouse.Writer, lane int64, last []int, from int) error {
	if h.bare {
		return nil
	}
	keep := make(columnar.Selection, 0, len(h.ids))
	for i, id := range h.ids {
		if last[id] == from+i {
			keep = append(keep, int32(i))
		}
	}
	switch len(keep) {
	case 0:
		return nil
	case h.rows.Rows():
		return to.Write(ctx, lane, h.rows)
	}
	kept := columnar.GatherBatch(h.rows, keep)
	defer kept.Release()
	return to.Write(ctx, lane, kept)
}

// of is the column in some rows; the caller releases it.
func (k keyColumn) of(rows *columnar.Batch) (columnar.Column, error) {
	at := rows.Schema().Index(k.name)
	if at < 0 {
		return nil, fmt.Errorf("the rows have no key column %s", k.name)
	}
	c := rows.Column(at)
	if !k.emptyIsNull {
		c.Retain()
		return c, nil
	}
	nullIf, err := compute.Call("nullif", compute.Column(at, k.name, k.typ, true), compute.Text(""))
	if err != nil {
		return nil, err
	}
	columns, err := compute.NewDefaultEvaluator().EvalAll([]compute.Expr{nullIf}, rows, nil)
	if err != nil {
		return nil, err
	}
	return columns[0], nil
}
