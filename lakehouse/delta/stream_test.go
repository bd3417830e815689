package delta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// streamRows are the rows of the files of a step, as JSON, sorted. Their places in the files are checked on the way.
func streamRows(t *testing.T, s *Stream, step Step, columns *columnar.Schema) (out []string) {
	layout, err := s.Layout(context.Background(), step.Version)
	require.NoError(t, err)
	for _, a := range step.Added {
		f, err := layout.Open(context.Background(), a.Text, columns)
		require.NoError(t, err)
		last := int64(-1)
		for {
			b, err := f.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			places := f.At(nil, b.Rows())
			require.Len(t, places, b.Rows())
			for i, at := range places {
				require.Greater(t, at, last)
				require.False(t, f.rows.deleted != nil && f.rows.deleted.has(at), "a deleted row")
				last = at
				out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
			}
			require.Less(t, last, f.File.Rows())
			b.Release()
		}
		require.NoError(t, f.Close())
	}
	slices.Sort(out)
	return out
}

// A stream that begins with the newest version has the rows of the table, whoever wrote it: partitioned, with deletion vectors, other names in the files.
func TestStreamsBeginWithTheTable(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "fuzz" {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			objects, err := store.NewLocal("testdata/" + e.Name())
			require.NoError(t, err)
			tab := open(objects)
			snap, err := tab.Snapshot(context.Background())
			require.NoError(t, err)
			if snap.Version < 0 {
				t.Skip("no table")
			}
			var want []string
			require.NoError(t, tab.Scan(context.Background(), snap, func(b *columnar.Batch) error {
				for i := range b.Rows() {
					want = append(want, string(columnar.AppendRowJSON(nil, b, i)))
				}
				return nil
			}))
			slices.Sort(want)
			s := tab.Stream("")
			step, err := s.Begin(context.Background(), snap.Version)
			require.NoError(t, err)
			require.Equal(t, want, streamRows(t, s, step, snap.Schema))
			_, ok, err := s.Next(context.Background(), snap.Version+1)
			require.NoError(t, err)
			require.False(t, ok, "there is no next version yet")
		})
	}
}

// Each version gives what it added; the start and all after it are the table.
func TestStreamsFollow(t *testing.T) {
	tab := open(store.NewMem())
	create(t, tab, 12)
	for start := range int64(12) {
		s := tab.Stream("")
		step, err := s.Begin(context.Background(), start)
		require.NoError(t, err)
		require.Len(t, step.Added, int(start)+1)
		for v := start + 1; v < 12; v++ {
			step, ok, err := s.Next(context.Background(), v)
			require.NoError(t, err)
			require.True(t, ok)
			require.Len(t, step.Added, 1)
			require.Zero(t, step.Removed)
			require.Equal(t, "STREAMING UPDATE", step.Operation)
		}
		again := tab.Stream("")
		_, ok, err := again.Next(context.Background(), 11)
		require.NoError(t, err)
		require.True(t, ok, "a stream may go on anywhere")
	}
}

// A table that was made anew while a stream waited has another id, and none of its versions is taken for one of the old table.
func TestStreamsSeeAnotherTable(t *testing.T) {
	objects := store.NewMem()
	create(t, open(objects), 3)
	s := open(objects).Stream("")
	_, err := s.Begin(context.Background(), 2)
	require.NoError(t, err)
	was, err := s.Layout(context.Background(), 2)
	require.NoError(t, err)
	_, ok, err := s.Next(context.Background(), 3)
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, objects.Walk(context.Background(), "", func(in store.Info) error { return objects.Delete(context.Background(), in.Name) }))
	tab, snap := open(objects), lakehouse.Snapshot{Version: -1}
	for i := range int64(5) {
		c := change(i, stage(t, tab, fmt.Sprintf("other-%d", i), i))
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: "another", Schema: schema}
		}
		snap, err = tab.Commit(context.Background(), snap, c)
		require.NoError(t, err)
	}
	_, ok, err = s.Next(context.Background(), 3)
	require.NoError(t, err)
	require.True(t, ok)
	is, err := s.Layout(context.Background(), 3)
	require.NoError(t, err)
	require.NotEqual(t, was.ID, is.ID)
}

// The newest version at or before a time. Versions are a millisecond apart.
func TestVersionAt(t *testing.T) {
	tab := open(store.NewMem())
	create(t, tab, 12)
	for ms, want := range map[int64]int64{0: 0, 3: 3, 11: 11, 1000: 11} {
		got, err := tab.Stream("").VersionAt(context.Background(), 1_700_000_000_000+ms)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := tab.Stream("").VersionAt(context.Background(), 1_699_999_999_999)
	require.ErrorContains(t, err, "no version is as old as that; the first one is 0")
}

// A cleaned log: what it reaches, and what is behind it.
func TestCleanedStreams(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	snap := create(t, tab, 1)
	for i := int64(1); i < 105; i++ {
		var err error
		snap, err = tab.Commit(context.Background(), snap, change(i, nil))
		require.NoError(t, err)
		require.NoError(t, tab.Maintain(context.Background(), snap, 1_700_000_000_000))
	}
	for v := range int64(50) {
		require.NoError(t, objects.Delete(context.Background(), entryName(v)))
	}
	s := tab.Stream("")
	oldest, newest, err := s.Reach(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 104, newest)
	require.EqualValues(t, 100, oldest)
	for _, v := range []int64{3, 49} {
		_, _, err = s.Next(context.Background(), v)
		require.ErrorIs(t, err, ErrCleaned)
		_, err = s.Begin(context.Background(), v)
		require.ErrorIs(t, err, ErrCleaned)
	}
	_, err = s.VersionAt(context.Background(), 1_600_000_000_000)
	require.ErrorIs(t, err, ErrCleaned, "a version that is gone may have been as old")
	_, err = s.Begin(context.Background(), 102)
	require.NoError(t, err)
	_, _, err = open(store.NewMem()).Stream("").Reach(context.Background())
	require.NoError(t, err)
}

// The files of a version come in the order of the event time that they begin with, whatever their names and ages are; those that do not tell come last, by age.
func TestFilesInTheOrderOfAColumn(t *testing.T) {
	file := func(name, from string, modified int) string {
		stats := ""
		if from != "" {
			stats = fmt.Sprintf(`{\"numRecords\":1,\"minValues\":{\"ts\":\"2026-01-01T%s\"}}`, from)
		}
		return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1,"modificationTime":%d,"dataChange":true,"stats":"%s"}}`, name, modified, stats)
	}
	head := `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"ts\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}`
	adds := []string{file("d", "03:00:00.000Z", 1), file("b", "10:00:00Z", 2), file("c", "", 9), file("a", "", 8), file("z", "01:00:00.000001Z", 3)}
	objects := store.NewMem()
	require.NoError(t, objects.Put(t.Context(), entryName(0), []byte(strings.Join(append([]string{head}, adds...), "\n"))))
	require.NoError(t, objects.Put(t.Context(), entryName(1), []byte(strings.Join(adds, "\n"))))
	for order, want := range map[string]string{"ts": "zdbac", "": "dbzac", "none": "dbzac"} {
		s := open(objects).Stream(order)
		whole, err := s.Begin(t.Context(), 0)
		require.NoError(t, err)
		next, ok, err := s.Next(t.Context(), 1)
		require.NoError(t, err)
		require.True(t, ok)
		for _, step := range []Step{whole, next} {
			got := ""
			for _, a := range step.Added {
				got += a.Path
			}
			require.Equal(t, want, got, order)
		}
	}
}
