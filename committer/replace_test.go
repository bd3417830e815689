package committer

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// commitWhole commits ids as the complete result of a batch.
func commitWhole(ctx context.Context, c *Committer, batch int64, ids ...int64) error {
	out, err := c.NewOutput(ctx)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := writeIDs(ids, func(b *columnar.Batch) error { return out.Write(ctx, 0, b) }); err != nil {
		return err
	}
	_, err = c.Commit(ctx, Batch{First: batch, Last: batch, Sources: progressAt(batch + 1), Output: out, Replace: true})
	return err
}

// A complete result takes the place of the one before, in one version.
func TestReplace(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.NoError(t, commitWhole(t.Context(), c, 0, 1, 2, 3))
	require.NoError(t, commitWhole(t.Context(), c, 1, 7))
	require.Equal(t, map[int64]int{7: 1}, ids(t, objects, "t"))
	require.NoError(t, commitWhole(t.Context(), c, 2))
	require.Empty(t, ids(t, objects, "t"), "an empty result is a result")
}

// Rows of another writer are never replaced, wherever they come from.
func TestReplaceKeepsForeignRows(t *testing.T) {
	objects := store.NewMem()
	c, err := Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.NoError(t, commitWhole(t.Context(), c, 0, 1))
	foreignRows(t, objects, "f", 99)
	err = commitWhole(t.Context(), c, 1, 2)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "give the result a table of its own")
	c, err = Open(t.Context(), options(objects, "driver"))
	require.NoError(t, err)
	require.ErrorIs(t, commitWhole(t.Context(), c, 1, 2), ErrRefused)
	require.Equal(t, map[int64]int{1: 1, 99: 1}, ids(t, objects, "t"))
}

// foreignRows appends rows as another program does, in a file of that id.
func foreignRows(t *testing.T, objects store.Store, id string, list ...int64) {
	d := delta.Open(store.Sub(objects, "t"), func() string { return id })
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	w, err := d.Stage(t.Context(), rowSchema, lakehouse.WriteOptions{Prefix: "foreign"})
	require.NoError(t, err)
	require.NoError(t, writeIDs(list, func(b *columnar.Batch) error { return w.Write(t.Context(), 0, b) }))
	files, err := w.Finish(t.Context())
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "WRITE", DataChange: true, Add: files})
	require.NoError(t, err)
}
