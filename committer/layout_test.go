package committer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// The layout of the settings becomes that of the table, once in a run; settings that say nothing leave the table's as it is.
func TestLayout(t *testing.T) {
	ctx := t.Context()
	objects := store.NewMem()
	at := func(l lakehouse.Layout, writer string) (*Committer, func() lakehouse.Layout) {
		o := options(objects, writer)
		o.Layout = l
		c, err := Open(ctx, o)
		require.NoError(t, err)
		return c, func() lakehouse.Layout {
			snap, err := o.Table.Snapshot(ctx)
			require.NoError(t, err)
			return snap.Layout
		}
	}
	sorted := lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "id"}}}
	filtered := lakehouse.Layout{BloomFilters: []string{"id"}}
	c, layout := at(sorted, "one")
	require.NoError(t, commitRows(ctx, c, 0, 3))
	require.Equal(t, sorted, layout())
	c, layout = at(lakehouse.Layout{}, "two")
	require.NoError(t, commitRows(ctx, c, 3, 6))
	require.Equal(t, sorted, layout())
	c, layout = at(filtered, "three")
	require.NoError(t, commitRows(ctx, c, 6, 9))
	require.Equal(t, lakehouse.Layout{SortBy: sorted.SortBy, BloomFilters: filtered.BloomFilters}, layout())

	other := lakehouse.Layout{SortBy: []lakehouse.SortColumn{}, BloomFilters: []string{}}
	_, err := c.opts.Table.Commit(ctx, c.base, lakehouse.Change{Operation: "SET TBLPROPERTIES", Layout: &other})
	require.NoError(t, err)
	require.NoError(t, commitRows(ctx, c, 9, 12))
	require.Equal(t, lakehouse.Layout{}, layout(), "what others set while a run goes on stays")
	requireOnce(t, objects, 12, 3)
}
