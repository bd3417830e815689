package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// chains list for each group the items that belong to it, in the order in which they were added. Items are 0, 1, 2, ...
type chains struct {
	first, last []int32 // by group: item + 1, 0 if there is none
	next        []int32 // by item
}

func (c *chains) Resize(n int) { c.first, c.last = resized(c.first, n), resized(c.last, n) }

func (c *chains) Bytes() int64 { return sizeOf(c.first) + sizeOf(c.last) + sizeOf(c.next) }

// add gives the next item to a group.
func (c *chains) add(group int32) {
	c.next = append(c.next, 0)
	item := int32(len(c.next))
	if before := c.last[group]; before > 0 {
		c.next[before-1] = item
	} else {
		c.first[group] = item
	}
	c.last[group] = item
}

// items lists the items of some groups, nil for all, group by group; those of the i-th are [offsets[i], offsets[i+1]).
func (c *chains) items(groups columnar.Selection) (items, offsets []int32) {
	items, offsets = []int32{}, append(offsets, 0)
	each(groups, len(c.first), func(g int32) {
		for item := c.first[g]; item > 0; item = c.next[item-1] {
			items = append(items, item-1)
		}
		offsets = append(offsets, int32(len(items)))
	})
	return items, offsets
}

// renew makes the chains of as many groups anew: items are numbered as the offsets say.
func (c *chains) renew(offsets []int32) {
	*c = chains{}
	c.Resize(len(offsets) - 1)
	for g := range len(offsets) - 1 {
		for range offsets[g+1] - offsets[g] {
			c.add(int32(g))
		}
	}
}

// members spreads groups, each of a row of an ARRAY column, over the elements of the rows. Elements of no group get -1, and
// from is the row of each.
func members(groups []int32, lists columnar.Column) (spread, from []int32, elements columnar.Column) {
	offsets, elements := columnar.ListParts(lists)
	spread, from = make([]int32, elements.Len()), make([]int32, elements.Len())
	for k := range spread {
		spread[k] = -1
	}
	for i, g := range groups {
		for k := offsets[i]; k < offsets[i+1]; k++ {
			spread[k], from[k] = g, int32(i)
		}
	}
	return spread, from, elements
}

// ofRows puts errors of elements down to the rows that these came from.
func ofRows(failed []columnar.RowError, from []int32) []columnar.RowError {
	for i := range failed {
		failed[i].Row = from[failed[i].Row]
	}
	return failed
}
