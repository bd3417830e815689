package committer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Wherever a run dies, the side files that the next start makes visible were pending, or live.
func TestPendingSideFiles(t *testing.T) {
	rolled := false
	for k := 0; ; k++ {
		objects := store.NewMem()
		require.NoError(t, runTo(t.Context(), objects, 3))
		mortal := objects.Reopen()
		mortal.CrashAfter(k)
		ended := runTo(t.Context(), mortal, 9)

		snap, before := tableFiles(t, objects, "t", "dead")
		stay, err := PendingSideFiles(t.Context(), store.Sub(objects, "t"), snap.Txns)
		require.NoError(t, err)
		for _, f := range before {
			stay[f.Path] = true
		}
		_, err = Open(t.Context(), options(objects, "next"))
		require.NoError(t, err)
		_, after := tableFiles(t, objects, "t", "dead")
		rolled = rolled || len(after) > len(before)
		for _, f := range after {
			require.Contains(t, stay, f.Path, "crash after write %d", k)
		}
		if ended == nil {
			require.True(t, rolled, "a start made files visible that were pending")
			return
		}
	}
}

// tableFiles are the newest version of one table and the files of another.
func tableFiles(t *testing.T, objects store.Store, table, side string) (lakehouse.Snapshot, []lakehouse.DataFile) {
	main, err := delta.Open(store.Sub(objects, table), nil).Snapshot(t.Context())
	require.NoError(t, err)
	d := delta.Open(store.Sub(objects, side), nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, main.ID, SideOf(snap.Properties))
	files, err := d.Files(t.Context(), snap)
	require.NoError(t, err)
	return main, files
}

// Without the newest record nobody knows what is due.
func TestPendingWithoutRecord(t *testing.T) {
	_, err := PendingSideFiles(t.Context(), store.NewMem(), map[string]lakehouse.Txn{"lakewheel/p": {Batch: 1, Token: 7}})
	require.ErrorContains(t, err, "record 7 of p is not there")
}
