package delta

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/planner"
)

func where(t *testing.T, snap lakehouse.Snapshot, text string) lakehouse.Erasure {
	e, err := planner.Expression(text, snap.Schema)
	require.NoError(t, err, text)
	return lakehouse.Erasure{Where: e, Prefix: func(string) string { return "part-p.merged" }}
}

// Rows go by a condition: a file is read only if its statistics leave open whether rows of it go, and whether all do. Files hold n of 0; 10 to 12; 20 to
// 22 and 30, 40, 50.
func TestEraseWhere(t *testing.T) {
	for _, c := range []struct {
		where            string
		scanned, out, in int
		gone, kept       int64
	}{
		{"n >= 10 AND n < 20", 0, 1, 0, 3, 0},
		{"n >= 10 AND n <= 50", 0, 3, 0, 9, 0},
		{"n > 10 AND n < 40", 2, 3, 1, 6, 3},
		{"n >= 13 AND n < 20", 0, 0, 0, 0, 0},
		{"n = 40", 1, 1, 1, 1, 2},
		{"n IN (11, 30)", 2, 2, 1, 2, 4},
		{"s = 'v20' OR n = 0", 4, 2, 1, 2, 2},
		{"true", 0, 4, 0, 10, 0},
		{"false", 4, 0, 0, 0, 0},
		{"n IS NULL", 0, 0, 0, 0, 0},
	} {
		tab := open(store.NewMem())
		snap := create(t, tab, 1)
		for i, values := range [][]int64{{10, 11, 12}, {20, 21, 22}, {30, 40, 50}} {
			var err error
			snap, err = tab.Commit(t.Context(), snap, change(int64(i)+1, stage(t, tab, fmt.Sprint("part-", i), values...)))
			require.NoError(t, err)
		}
		files, err := tab.Files(t.Context(), snap)
		require.NoError(t, err)
		dry := where(t, snap, c.where)
		dry.DryRun = true
		looked, err := tab.Erase(t.Context(), snap, files, dry)
		require.NoError(t, err)
		next, done := erase(t, tab, snap, where(t, snap, c.where))
		var out, in, added int
		var gone, kept int64
		for i, r := range done.Rewrites {
			out, in, gone, kept = out+len(r.Remove), in+len(r.Add), gone+r.Gone, kept+r.Kept
			added += len(looked.Rewrites[i].Add)
			require.Equal(t, []int64{r.Gone, r.Kept}, []int64{looked.Rewrites[i].Gone, looked.Rewrites[i].Kept}, c.where)
		}
		require.Equal(t, []any{c.scanned, c.out, c.in, c.gone, c.kept}, []any{done.Scanned, out, in, gone, kept}, c.where)
		require.Zero(t, added, "a dry run writes nothing")
		left, err := tab.Files(t.Context(), next)
		require.NoError(t, err)
		require.EqualValues(t, 10-c.gone, rowsOf(left), c.where)
	}
}

// A row for which the condition fails ends it, as does a condition over columns that there are not.
func TestEraseWhereFails(t *testing.T) {
	tab := open(store.NewMem())
	snap := create(t, tab, 2)
	files, err := tab.Files(t.Context(), snap)
	require.NoError(t, err)
	_, err = tab.Erase(t.Context(), snap, files, where(t, snap, "1 / n > 0"))
	require.ErrorContains(t, err, "DIVIDE_BY_ZERO")
	_, err = tab.Erase(t.Context(), snap, files, where(t, snap, "n + 1"))
	require.ErrorContains(t, err, "not a condition")
}

// What has the same key as rows of files that nothing names yet goes.
func TestEraseSameAs(t *testing.T) {
	tab := open(store.NewMem())
	snap := create(t, tab, 6)
	staged := stage(t, tab, "new", 2, 4, 9)
	next, done := erase(t, tab, snap, lakehouse.Erasure{Columns: []string{"n"}, SameAs: staged, Prefix: func(string) string { return "merged" }})
	require.Equal(t, 2, done.Scanned)
	require.Equal(t, 4, next.Files)
}

// Over partitions and random bounds, what is left is what a look at each row leaves.
func TestEraseWhereRandom(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		tab := open(store.NewMem())
		snap, err := tab.Snapshot(t.Context())
		require.NoError(t, err)
		left := map[string]bool{}
		for commit := range 10 {
			values := make([]int64, 1+rng.IntN(40))
			for i := range values {
				values[i] = int64(commit*100 + i)
				left[rowText(values[i])] = true
			}
			c := change(int64(commit), stagePartitioned(t, tab, values))
			if commit == 0 {
				c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema, PartitionBy: []string{"s"}}
			}
			snap, err = tab.Commit(t.Context(), snap, c)
			require.NoError(t, err)
			from := rng.Int64N(1000)
			until, third := from+rng.Int64N(150), rng.Int64N(4)
			snap, _ = erase(t, tab, snap, where(t, snap, fmt.Sprintf("n >= %d AND n < %d AND s <> 'p%d'", from, until, third)))
			for v := from; v < until; v++ {
				if v%3 != third {
					delete(left, rowText(v))
				}
			}
			got := inOrder(t, tab, snap)
			slices.Sort(got)
			require.Len(t, got, len(left), "seed %d commit %d", seed, commit)
			for _, text := range got {
				require.True(t, left[text], text)
			}
		}
	}
}

// An entry tells which files only moved: their rows lie in others now.
func TestMovedFiles(t *testing.T) {
	tab := open(store.NewMem())
	snap := create(t, tab, 3)
	files, err := tab.Files(t.Context(), snap)
	require.NoError(t, err)
	c := change(3, stage(t, tab, "new", 7))
	c.Remove = files[:1]
	c.Rearranged = lakehouse.Rearranged{Remove: files[1:], Add: stage(t, tab, "moved", 1, 2)}
	next, err := tab.Commit(t.Context(), snap, c)
	require.NoError(t, err)
	entries, err := tab.History(t.Context(), next, 1)
	require.NoError(t, err)
	require.Equal(t, lakehouse.Moved{Out: []string{files[1].Path, files[2].Path}, In: []string{c.Rearranged.Add[0].Path}}, entries[0].Moved)
	require.Len(t, entries[0].Removes, 3)
}
