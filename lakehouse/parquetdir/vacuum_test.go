package parquetdir

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Garbage is what was staged and never committed: not what is due, not what is young, and never what readers see.
func TestGarbage(t *testing.T) {
	objects, now := store.NewMem(), time.UnixMilli(1_700_000_000_000)
	objects.SetClock(func() int64 { return now.UnixMilli() })
	tab := open(objects, "a")
	s := commit(t, tab, newest(t, tab), 1)
	stage(t, tab, nil, 2) // a002: its commit never came
	require.NoError(t, objects.Put(t.Context(), "stranger.parquet", []byte("theirs")))
	due := stage(t, tab, nil, 3) // a003: committed, and the process died
	s, err := tab.Commit(t.Context(), s, change(1, s, nil, due))
	require.NoError(t, err)
	kept := stage(t, tab, nil, 4) // a004
	now = now.Add(25 * time.Hour)
	stage(t, tab, nil, 5) // a005: of a batch under way

	next := open(objects, "b")
	g, err := next.Garbage(t.Context(), lakehouse.VacuumOptions{Retain: -1, Now: now, Keep: map[string]bool{kept[0].Staged: true}})
	require.NoError(t, err)
	require.Equal(t, lakehouse.Garbage{Version: 1, Retain: 24 * time.Hour, Files: g.Files}, g)
	require.Len(t, g.Files, 1)
	require.Equal(t, "_lakewheel/p/staged/part-p-e1-a002", g.Files[0].Name)
	for range 2 {
		require.NoError(t, next.Discard(t.Context(), g))
	}
	require.NoError(t, next.Publish(t.Context(), s))
	require.Equal(t, []string{"part-p-e1-a001.parquet", "part-p-e1-a003.parquet", "stranger.parquet"}, names(t, objects))
	g, err = next.Garbage(t.Context(), lakehouse.VacuumOptions{Retain: 0, Unsafe: true, Now: now.Add(time.Second)})
	require.NoError(t, err)
	require.Len(t, g.Files, 2)

	_, err = next.Garbage(t.Context(), lakehouse.VacuumOptions{Retain: time.Minute, Now: now})
	require.ErrorContains(t, err, "a batch under way could lose its files")
	_, err = Open(objects, "q", "", nil).Garbage(t.Context(), lakehouse.VacuumOptions{Retain: -1, Now: now})
	require.ErrorContains(t, err, "holds no log of pipeline q")
}
