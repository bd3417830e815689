package delta

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Tables of Spark 4.0.1 with what we do not write: renamed, dropped and added columns with names of their own in the files, told by name and by
// id. Each row is what Spark reads.
func TestSparkTables(t *testing.T) {
	for name, want := range map[string][]string{
		"spark-mapping-name": {
			`{"id":1,"b c":{"ex":1,"y":[{"z":"q"},null]},"part":"k","extra":null}`,
			`{"id":2,"b c":{"ex":null,"y":null},"part":null,"extra":null}`,
			`{"id":3,"b c":{"ex":3,"y":[]},"part":"m","extra":[["k",{"u":5}]]}`,
		},
		"spark-mapping-id": {`{"id":1,"s":{"y":1},"m":[["k",{"v":7}]]}`, `{"id":2,"s":{"y":null},"m":null}`, `{"id":3,"s":{"y":3},"m":[]}`},
	} {
		tab := open(fixture(t, name))
		snap, err := tab.Snapshot(context.Background())
		require.NoError(t, err)
		require.ErrorIs(t, snap.Unusable, lakehouse.ErrUnsupported, "for writing")
		got := scan(t, tab, snap)
		slices.Sort(got)
		require.Equal(t, want, got, name)
	}
}

// Rows that a deletion vector names are gone: whole ranges, single ones, and in a second vector of the same file.
func TestSparkDeletionVectors(t *testing.T) {
	tab := open(fixture(t, "spark-dv"))
	snap, err := tab.Snapshot(context.Background())
	require.NoError(t, err)
	require.ErrorContains(t, snap.Unusable, "deletionVectors")
	rows, sum := 0, int64(0)
	require.NoError(t, tab.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			n := columnar.Int64At(b.Column(0), i)
			require.False(t, n%3 == 0 && n < 5000 || n >= 7000 && n < 8000 || n == 1 || n == 10004, n)
			rows, sum = rows+1, sum+n
		}
		return nil
	}))
	require.Equal(t, 7341, rows)
	require.EqualValues(t, 38419707, sum)
	files, err := tab.Files(context.Background(), snap)
	require.NoError(t, err)
	require.EqualValues(t, 7341, files[0].Rows+files[1].Rows)
}

// V2 checkpoints, the main file in Parquet and in JSON, the files of the table in sidecars; the entries before are gone.
func TestSparkV2Checkpoints(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"spark-v2-parquet", "spark-v2-json"} {
		objects := fixture(t, name)
		tab := open(objects)
		snap, err := tab.Snapshot(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 7, snap.Version)
		require.Equal(t, 5, snap.Files)
		require.ErrorContains(t, snap.Unusable, "writer feature v2Checkpoint")
		got := scan(t, tab, snap)
		slices.Sort(got)
		require.Equal(t, []string{`{"n":0,"s":"v0"}`, `{"n":1,"s":"v1"}`, `{"n":3,"s":"v3"}`, `{"n":4,"s":"v4"}`, `{"n":5,"s":"v5"}`}, got)
		sidecars, err := objects.List(ctx, sidecarFolder, "")
		require.NoError(t, err)
		require.Len(t, sidecars, 2)
		require.NoError(t, objects.Delete(ctx, sidecars[1].Name))
		_, err = open(objects).Snapshot(ctx)
		require.ErrorContains(t, err, "version 0 is missing, 4 is there")
		require.ErrorContains(t, err, sidecars[1].Name)
	}
}

// Where entries carry their time, ours do: later than the one before, whatever our clock says, also on top of a checkpoint.
func TestInCommitTimestamps(t *testing.T) {
	ctx := context.Background()
	objects := fixture(t, "spark-ict")
	tab := open(objects)
	base, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	require.NoError(t, base.Unusable)
	history, err := tab.History(ctx, base, 1)
	require.NoError(t, err)
	last := history[0].Time
	times := func() int64 {
		_, e, ok, err := open(objects).Next(ctx, base)
		require.NoError(t, err)
		require.True(t, ok)
		return e.Time
	}
	commit := func(now int64) lakehouse.Snapshot {
		c := change(0, nil)
		c.Time = now
		next, err := tab.Commit(ctx, base, c)
		require.NoError(t, err)
		return next
	}
	next := commit(5)
	require.Equal(t, last+1, times(), "our clock is behind")
	require.NoError(t, tab.checkpoint(ctx, next, 0))
	tab, base = open(objects), next
	_, err = tab.replaySnapshot(ctx)
	require.NoError(t, err)
	require.Zero(t, tab.known.stamp, "a checkpoint does not say it")
	next = commit(5)
	require.Equal(t, last+2, times())
	base = next
	commit(last + 1000)
	require.Equal(t, last+1000, times())
	body, _, err := objects.Get(ctx, entryName(base.Version+1))
	require.NoError(t, err)
	require.Regexp(t, `^{"commitInfo":{.*"inCommitTimestamp":\d+`, string(body), "it stands first")

	made := open(store.NewMem())
	none, err := made.Snapshot(ctx)
	require.NoError(t, err)
	c := change(0, nil)
	c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema, Properties: map[string]string{"delta.enableInCommitTimestamps": "true"}}
	first, err := made.Commit(ctx, none, c)
	require.NoError(t, err)
	require.NoError(t, first.Unusable)
	require.Equal(t, []string{stampFeature}, made.known.protocol.WriterFeatures, "a table that we make has them from its first entry on")
	second, err := made.Commit(ctx, first, change(1, nil))
	require.NoError(t, err)
	require.EqualValues(t, 1, second.Version)
}
