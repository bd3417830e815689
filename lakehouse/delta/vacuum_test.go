package delta

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// garbage names what vacuum would remove.
func garbage(t *testing.T, objects store.Store, o lakehouse.VacuumOptions) []string {
	g, err := open(objects).Garbage(t.Context(), o)
	require.NoError(t, err)
	names := []string{}
	for _, in := range g.Files {
		names = append(names, in.Name)
	}
	return names
}

// A table with a day between its versions: files of day 0 to 3, merged at day 4, one more file at day 5; leftovers of day 0 and of now.
func agedTable(t *testing.T) (objects *store.Mem, day func(n int) time.Time) {
	day = func(n int) time.Time { return time.UnixMilli(1_700_000_000_000).Add(time.Duration(n) * 24 * time.Hour) }
	now := day(0)
	objects = store.NewMem()
	objects.SetClock(func() int64 { return now.UnixMilli() })
	tab := open(objects)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	commit := func(n int) {
		now = day(n)
		c := lakehouse.Change{Time: now.UnixMilli(), Add: stage(t, tab, fmt.Sprint("day", n), int64(n)), DataChange: true, Operation: "WRITE"}
		if n == 0 {
			c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema, Properties: map[string]string{}}
		}
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
	}
	for _, name := range []string{"left.parquet", "p=1/left.parquet", "deletion_vector_x.bin", "notes.txt", "_lakewheel/p/state/s.parquet", "p=1/.hidden.parquet", "_p=1/x.parquet",
		"other/_delta_log/00000000000000000000.json", "other/x.parquet", "other/p=1/y.parquet", "plain/_lakewheel/p/log/1", "plain/z.parquet"} {
		require.NoError(t, objects.Put(t.Context(), name, []byte(name)))
	}
	for n := range 4 {
		commit(n)
	}
	now = day(4)
	o := compactOptions()
	o.Now = func() time.Time { return now }
	_, err = Open(objects, func() string { return "all" }).Compact(t.Context(), o)
	require.NoError(t, err)
	snap, err = tab.Snapshot(t.Context())
	require.NoError(t, err)
	commit(5)
	require.NoError(t, objects.Put(t.Context(), "underway.parquet", []byte("x")))
	return objects, day
}

// What is garbage, by the time and the retention.
func TestGarbage(t *testing.T) {
	objects, day := agedTable(t)
	left := []string{"deletion_vector_x.bin", "left.parquet", "p=1/left.parquet"}
	merged := []string{"day0-id001.parquet", "day1-id002.parquet", "day2-id003.parquet", "day3-id004.parquet", "deletion_vector_x.bin", "left.parquet", "p=1/left.parquet"}
	for name, c := range map[string]struct {
		o    lakehouse.VacuumOptions
		want []string
	}{
		"all is young":                      {lakehouse.VacuumOptions{Retain: -1, Now: day(6)}, []string{}},
		"leftovers first":                   {lakehouse.VacuumOptions{Retain: -1, Now: day(8)}, left},
		"then what was merged":              {lakehouse.VacuumOptions{Retain: -1, Now: day(12)}, merged},
		"a longer retention keeps":          {lakehouse.VacuumOptions{Retain: 9 * 24 * time.Hour, Now: day(12)}, left},
		"what the caller keeps":             {lakehouse.VacuumOptions{Retain: -1, Now: day(8), Keep: map[string]bool{"left.parquet": true}}, []string{"deletion_vector_x.bin", "p=1/left.parquet"}},
		"an unsafe retention, at your risk": {lakehouse.VacuumOptions{Retain: 0, Unsafe: true, Now: day(5).Add(time.Second)}, append(merged, "underway.parquet")},
	} {
		require.Equal(t, c.want, garbage(t, objects.Clone(), c.o), name)
	}
}

// After it the table and the versions of the retention are whole, wherever it died.
func TestDiscard(t *testing.T) {
	for k := 0; ; k++ {
		objects, day := agedTable(t)
		g, err := open(objects).Garbage(t.Context(), lakehouse.VacuumOptions{Retain: -1, Now: day(12)})
		require.NoError(t, err)
		objects.CrashAfter(k)
		err = open(objects).Discard(t.Context(), g)
		tab := open(objects.Reopen())
		snap, openErr := tab.Snapshot(t.Context())
		require.NoError(t, openErr)
		n, sum := rows(t, tab, snap)
		require.Equal(t, []any{5, int64(0 + 1 + 2 + 3 + 5)}, []any{n, sum})
		again, openErr := tab.Garbage(t.Context(), lakehouse.VacuumOptions{Retain: -1, Now: day(12)})
		require.NoError(t, openErr)
		require.NoError(t, tab.Discard(t.Context(), again))
		require.Empty(t, garbage(t, objects.Reopen(), lakehouse.VacuumOptions{Retain: -1, Now: day(12)}))
		if err == nil {
			require.Equal(t, 7, k)
			return
		}
	}
}

// A checkpoint that forgot the tombstones does not make files garbage that versions of a longer retention name.
func TestGarbageBehindCheckpoint(t *testing.T) {
	objects, day := agedTable(t)
	tab := open(objects)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	require.NoError(t, tab.checkpoint(t.Context(), snap, day(12).UnixMilli()))
	require.NotContains(t, garbage(t, objects, lakehouse.VacuumOptions{Retain: 9 * 24 * time.Hour, Now: day(12)}), "day0-id001.parquet")
}

// Nothing is removed where it could hurt.
func TestGarbageRefused(t *testing.T) {
	objects, day := agedTable(t)
	for _, o := range []lakehouse.VacuumOptions{{Retain: 0, Now: day(12)}, {Retain: 167 * time.Hour, Now: day(12)}} {
		_, err := open(objects).Garbage(t.Context(), o)
		require.ErrorContains(t, err, "is less than 168h0m0s")
	}
	require.NoError(t, objects.Delete(t.Context(), "merged-all.parquet"))
	_, err := open(objects).Garbage(t.Context(), lakehouse.VacuumOptions{Retain: -1, Now: day(12)})
	require.ErrorContains(t, err, "is not there: nothing is removed")
	_, err = open(store.NewMem()).Garbage(t.Context(), lakehouse.VacuumOptions{Retain: -1})
	require.ErrorContains(t, err, "is not a Delta table")
}
