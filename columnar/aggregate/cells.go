package aggregate

import (
	"unsafe"

	"github.com/lakewheel/lakewheel/columnar"
)

// cells are one value of fixed width for each group; NULL until it is set.
type cells[T columnar.Fixed] struct {
	typ    columnar.Type
	values []T
	set    []bool
}

func (c *cells[T]) Resize(n int) {
	c.values, c.set = resized(c.values, n), resized(c.set, n)
}

func (c *cells[T]) Keep(groups columnar.Selection) {
	c.values, c.set = columnar.Keep(c.values, groups), columnar.Keep(c.set, groups)
}

func (c *cells[T]) Bytes() int64 { return sizeOf(c.values) + sizeOf(c.set) }

// column makes a column of the values of some groups, nil for all.
func (c *cells[T]) column(groups columnar.Selection) columnar.Column {
	return columnar.NewFixedColumn(c.typ, picked(c.values, groups), picked(c.set, groups))
}

// resized makes a list n long; what is added is zero.
func resized[T any](list []T, n int) []T {
	if n <= cap(list) {
		grown := list[:n]
		clear(grown[len(list):])
		return grown
	}
	grown := make([]T, n, max(n, cap(list)*3/2))
	copy(grown, list)
	return grown
}

// picked copies the values of some groups, nil for all.
func picked[T any](list []T, groups columnar.Selection) []T {
	if groups == nil {
		return append(make([]T, 0, len(list)), list...)
	}
	return columnar.Pick(list, groups)
}

func sizeOf[T any](list []T) int64 { return int64(cap(list)) * int64(unsafe.Sizeof(*new(T))) }

// each calls f for some of n groups, nil for all.
func each(groups columnar.Selection, n int, f func(group int32)) {
	if groups == nil {
		for g := range int32(n) {
			f(g)
		}
		return
	}
	for _, g := range groups {
		f(g)
	}
}
