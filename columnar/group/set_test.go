package group

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func setOf(types []columnar.Type, keys ...columnar.Column) *Set {
	x := NewIndex(types)
	x.Add(keys, nil, nil)
	return NewSet(types, x)
}

// one is a bound.
func one(v int64) []byte { return Code(columnar.NewInt64Column([]int64{v}, nil), columnar.BigInt) }

func TestSetMeets(t *testing.T) {
	valid := []bool{true, true, true, false}
	s := setOf([]columnar.Type{columnar.BigInt}, columnar.NewInt64Column([]int64{30, 10, 20, 0}, valid))
	plain := setOf([]columnar.Type{columnar.BigInt}, columnar.NewInt64Column([]int64{10, 20}, nil))
	many := make([]int64, maxSpread+2)
	for i := range many {
		many[i] = int64(10 * i)
	}
	wide := setOf([]columnar.Type{columnar.BigInt}, columnar.NewInt64Column(many, nil))
	last := many[len(many)-1]
	for _, c := range []struct {
		name string
		set  *Set
		b    Bounds
		want bool
	}{
		{"nothing is known", plain, Bounds{}, true},
		{"around a key", plain, Bounds{Low: one(9), High: one(11)}, true},
		{"at a key", plain, Bounds{Low: one(10), High: one(10)}, true},
		{"between keys", plain, Bounds{Low: one(11), High: one(19)}, false},
		{"below", plain, Bounds{Low: one(-5), High: one(9)}, false},
		{"above", plain, Bounds{Low: one(21), High: one(99)}, false},
		{"open below", plain, Bounds{High: one(9)}, false},
		{"open above", plain, Bounds{Low: one(20)}, true},
		{"NULLs, and no key is NULL", plain, Bounds{Low: one(11), High: one(19), Nulls: true}, false},
		{"NULLs, and a key is NULL", s, Bounds{Low: one(11), High: one(19), Nulls: true}, true},
		{"no NULLs, and a key is NULL", s, Bounds{Low: one(11), High: one(19)}, false},
		{"between two of very many", wide, Bounds{Low: one(11), High: one(19)}, true},
		{"above very many", wide, Bounds{Low: one(last + 1)}, false},
		{"at the least of very many", wide, Bounds{Low: one(0), High: one(0)}, true},
		{"at the greatest of very many", wide, Bounds{Low: one(last), High: one(last)}, true},
		{"below very many", wide, Bounds{Low: one(-2), High: one(-1)}, false},
	} {
		require.Equal(t, c.want, c.set.Meets(0, c.b), c.name)
	}
}

func TestSetLeaves(t *testing.T) {
	window := columnar.Struct(columnar.Field{Name: "start", Type: columnar.Timestamp}, columnar.Field{Name: "end", Type: columnar.Timestamp})
	starts := columnar.NewTimestampColumn([]int64{10, 20}, nil)
	s := setOf([]columnar.Type{columnar.BigInt, window},
		columnar.NewInt64Column([]int64{1, 2}, nil), columnar.NewStructColumn(window, []columnar.Column{starts, starts}, 2, nil))
	require.Equal(t, []Leaf{{0, nil, columnar.BigInt}, {1, []string{"start"}, columnar.Timestamp}, {1, []string{"end"}, columnar.Timestamp}}, s.Leaves())
	require.True(t, s.Meets(1, Bounds{Low: one(20)}))
	require.False(t, s.Meets(2, Bounds{Low: one(21)}))
}

// Several goroutines look rows up, NULLs among them, though no key is NULL.
func TestSetFind(t *testing.T) {
	s := setOf([]columnar.Type{columnar.BigInt, columnar.String}, columnar.NewInt64Column([]int64{1, 2}, nil), columnar.NewStringColumn([]string{"a", "b"}))
	rows := []columnar.Column{columnar.NewInt64Column([]int64{2, 1, 1, 9}, []bool{true, true, false, true}), columnar.NewStringColumn([]string{"b", "b", "a", "a"})}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			f := s.Finder()
			for range 100 {
				if got := f.Find(rows, 4, nil); len(got) != 1 || got[0] != 0 {
					t.Errorf("rows %v", got)
				}
			}
		})
	}
	wg.Wait()
}

// Without key columns there is one key, which every row has.
func TestSetWithoutColumns(t *testing.T) {
	x := NewIndex(nil)
	require.Empty(t, NewSet(nil, x).Finder().Find(nil, 3, nil))
	x.Add(nil, columnar.Selection{0}, nil)
	require.Equal(t, columnar.Selection{0, 1, 2}, NewSet(nil, x).Finder().Find(nil, 3, nil))
}
