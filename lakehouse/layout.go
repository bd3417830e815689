package lakehouse

import (
	"slices"
)

// Layout is how rows lie in the data files of a table, for readers to skip what they do not need. It says nothing about what the rows are.
// A nil list says nothing, an empty one that there is no order, or no filter.
type Layout struct {
	// SortBy are plain columns that the rows of each file are ordered by.
	SortBy []SortColumn
	// BloomFilters are plain columns, or fields of STRUCTs ("a.b"), whose values each row group has a Bloom filter of.
	BloomFilters []string
}

// Over is the layout where it says something, and another one where it does not.
func (l Layout) Over(o Layout) Layout {
	if l.SortBy == nil {
		l.SortBy = o.SortBy
	}
	if l.BloomFilters == nil {
		l.BloomFilters = o.BloomFilters
	}
	return l
}

// SortColumn is a column that rows are ordered by: NULL first, or, descending, last.
type SortColumn struct {
	Column     string
	Descending bool
}

// Equal reports whether two layouts ask for the same.
func (l Layout) Equal(o Layout) bool {
	return slices.Equal(l.SortBy, o.SortBy) && slices.Equal(l.BloomFilters, o.BloomFilters)
}
