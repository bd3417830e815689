package committer

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// countedFiles counts how often the files of a table were replayed.
type countedFiles struct {
	lakehouse.Table
	n int
}

func (t *countedFiles) Files(ctx context.Context, s lakehouse.Snapshot) ([]lakehouse.DataFile, error) {
	t.n++
	return t.Table.Files(ctx, s)
}

// The list of live files is replayed once, follows our commits, and is replayed again after another writer's.
func TestLiveFiles(t *testing.T) {
	objects := store.NewMem()
	o := options(objects, "driver")
	table := &countedFiles{Table: o.Table}
	o.Table = table
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	same := func(replays int, what string) {
		t.Helper()
		got, err := c.live.files(t.Context(), c.base)
		require.NoError(t, err)
		want, err := table.Table.Files(t.Context(), c.base)
		require.NoError(t, err)
		require.Equal(t, inPathOrder(want), inPathOrder(got), what)
		require.Equal(t, replays, table.n, what)
	}
	require.NoError(t, commitRows(t.Context(), c, 0, 2))
	same(1, "the first look")
	require.NoError(t, commitRows(t.Context(), c, 2, 4))
	same(1, "rows were added")
	require.NoError(t, commitWhole(t.Context(), c, 2, 7))
	same(1, "rows were replaced")
	foreignRows(t, objects, "f", 99)
	require.NoError(t, commitRows(t.Context(), c, 4, 6))
	same(2, "another writer came in between")
	require.NoError(t, commitRows(t.Context(), c, 6, 8))
	same(2, "and then ours again")
}

// inPathOrder are files in the order of their names, without the difference between no partition values and an empty set of them.
func inPathOrder(files []lakehouse.DataFile) []lakehouse.DataFile {
	out := slices.Clone(files)
	slices.SortFunc(out, byPath)
	for i := range out {
		if len(out[i].Partition) == 0 {
			out[i].Partition = nil
		}
	}
	return out
}
