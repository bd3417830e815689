package parquetdir

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var schema = columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "k", Type: columnar.String, Nullable: true})

// open is the table of pipeline p as one process has it; ids are those of the process.
func open(objects store.Store, process string) *Table {
	n := 0
	return Open(objects, "p", "", func() string { n++; return fmt.Sprintf("%s%03d", process, n) })
}

func newest(t testing.TB, tab *Table) lakehouse.Snapshot {
	s, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	return s
}

// stage stages a file with the numbers, and with texts of them.
func stage(t testing.TB, tab *Table, by []string, numbers ...int64) []lakehouse.DataFile {
	w, err := tab.Stage(context.Background(), schema, lakehouse.WriteOptions{Prefix: "part-p-e1", PartitionBy: by})
	require.NoError(t, err)
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint("a/", n)
	}
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(numbers, nil), columnar.NewStringColumn(texts)}, len(numbers))
	defer b.Release()
	require.NoError(t, w.Write(context.Background(), 0, b))
	files, err := w.Finish(context.Background())
	require.NoError(t, err)
	return files
}

// change is batch number n of pipeline p; the first one makes the table.
func change(n int64, base lakehouse.Snapshot, by []string, files []lakehouse.DataFile) lakehouse.Change {
	c := lakehouse.Change{App: "lakewheel/p", Txn: lakehouse.Txn{Batch: n, Token: 100 + n}, Time: 1_700_000_000_000 + n, Add: files, DataChange: true, Operation: "STREAMING UPDATE"}
	if base.Version < 0 {
		c.Create = &lakehouse.Creation{ID: "id", Schema: schema, PartitionBy: by}
	}
	return c
}

// commit commits numbers as the next batch, and publishes it.
func commit(t testing.TB, tab *Table, base lakehouse.Snapshot, numbers ...int64) lakehouse.Snapshot {
	next, err := tab.Commit(t.Context(), base, change(base.Version+1, base, nil, stage(t, tab, nil, numbers...)))
	require.NoError(t, err)
	require.NoError(t, tab.Publish(t.Context(), next))
	return next
}

// visible are the rows that readers see, as JSON, in the order of files.
func visible(t testing.TB, objects store.Store) (rows []string) {
	f, err := OpenFolder(context.Background(), objects)
	require.NoError(t, err)
	require.NoError(t, f.Scan(context.Background(), func(b *columnar.Batch) error {
		for i := range b.Rows() {
			rows = append(rows, string(columnar.AppendRowJSON(nil, b, i)))
		}
		return nil
	}))
	return rows
}

// names are all objects whose names have the suffix that readers look for.
func names(t testing.TB, objects store.Store) (out []string) {
	require.NoError(t, objects.Walk(context.Background(), "", func(in store.Info) error {
		if strings.HasSuffix(in.Name, suffix) {
			out = append(out, in.Name)
		}
		return nil
	}))
	return out
}

// The rows of a commit have no name that a reader looks for before the entry, and have one after Publish, which may be repeated by anyone.
func TestVisibleOnceCommitted(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	files := stage(t, tab, nil, 1, 2)
	require.Empty(t, names(t, objects))
	base := newest(t, tab)
	s, err := tab.Commit(t.Context(), base, change(0, base, nil, files))
	require.NoError(t, err)
	require.Empty(t, names(t, objects))
	other := open(objects, "b")
	require.Equal(t, s, newest(t, other), "another process reads what this one put")
	for _, p := range []*Table{other, tab, other, open(objects, "c")} {
		require.NoError(t, p.Publish(t.Context(), s))
		require.Equal(t, []string{"part-p-e1-a001.parquet"}, names(t, objects))
	}
	require.Equal(t, []string{`{"n":1,"k":"a/1"}`, `{"n":2,"k":"a/2"}`}, visible(t, objects))
}

// The next entry is not put before the one before it is published, whoever puts it.
func TestCommitPublishesItsBase(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	base := newest(t, tab)
	_, err := tab.Commit(t.Context(), base, change(0, base, nil, stage(t, tab, nil, 1)))
	require.NoError(t, err)
	next := open(objects, "b")
	objects.Inject(store.Meet(store.Fault{Op: store.OpRename, Every: true, Outcome: store.Fail, Err: errors.New("503")}))
	s := newest(t, next)
	_, err = next.Commit(t.Context(), s, change(1, s, nil, nil))
	require.ErrorContains(t, err, "publish part-p-e1-a001.parquet")
	_, err = objects.Stat(t.Context(), entryName("p", 1))
	require.ErrorIs(t, err, store.ErrNotExist)
	objects.Inject(nil)
	_, err = next.Commit(t.Context(), s, change(1, s, nil, nil))
	require.NoError(t, err)
	require.Len(t, names(t, objects), 1)
}

// Readers may take files away as soon as they see them; none comes back, and nobody stops.
func TestFilesTakenAway(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	commit(t, tab, newest(t, tab), 1)
	require.NoError(t, objects.Delete(t.Context(), "part-p-e1-a001.parquet"))
	again := open(objects, "b")
	s := newest(t, again)
	require.NoError(t, again.Publish(t.Context(), s))
	commit(t, again, s, 2)
	require.Equal(t, []string{`{"n":2,"k":"a/2"}`}, visible(t, objects))
}

// Files of a partition lie in Hive's folders without the column; readers get it from the name.
func TestPartitions(t *testing.T) {
	objects := store.NewMem()
	tab, by := open(objects, "a"), []string{"k"}
	base := newest(t, tab)
	files := stage(t, tab, by, 1, 0, 1)
	s, err := tab.Commit(t.Context(), base, change(0, base, by, files))
	require.NoError(t, err)
	require.NoError(t, tab.Publish(t.Context(), s))
	require.ElementsMatch(t, []string{"k=a%2F0/part-p-e1-a002.parquet", "k=a%2F1/part-p-e1-a001.parquet"}, names(t, objects))
	require.Equal(t, []string{`{"n":0,"k":"a/0"}`, `{"n":1,"k":"a/1"}`, `{"n":1,"k":"a/1"}`}, visible(t, objects))
	_, err = tab.Stage(t.Context(), schema, lakehouse.WriteOptions{Prefix: "x"})
	require.ErrorContains(t, err, "is partitioned by [k], not by []")
}

// Rows lie in files as the pipeline wishes, with partitions and without.
func TestLayout(t *testing.T) {
	for _, by := range [][]string{nil, {"k"}} {
		objects := store.NewMem()
		tab := open(objects, "a")
		base := newest(t, tab)
		w, err := tab.Stage(t.Context(), schema, lakehouse.WriteOptions{Prefix: "p", PartitionBy: by, Layout: lakehouse.Layout{SortBy: []lakehouse.SortColumn{{Column: "n", Descending: true}}}})
		require.NoError(t, err)
		b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column([]int64{2, 3, 1}, nil), columnar.NewStringColumn([]string{"a", "a", "a"})}, 3)
		require.NoError(t, w.Write(t.Context(), 0, b))
		b.Release()
		files, err := w.Finish(t.Context())
		require.NoError(t, err)
		s, err := tab.Commit(t.Context(), base, change(0, base, by, files))
		require.NoError(t, err)
		require.NoError(t, tab.Publish(t.Context(), s))
		require.Equal(t, []string{`{"n":3,"k":"a"}`, `{"n":2,"k":"a"}`, `{"n":1,"k":"a"}`}, visible(t, objects))
	}
}

// What a plain folder cannot do is refused, and nothing is written.
func TestRefusedChanges(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	none := newest(t, tab)
	s := commit(t, tab, none, 1)
	writes := objects.Writes()
	staged := lakehouse.DataFile{Path: "x.parquet", Staged: "_lakewheel/p/staged/x"}
	for want, c := range map[string]lakehouse.Change{
		"none is taken away: use a Delta table":       {Remove: []lakehouse.DataFile{staged}},
		"so none is taken away":                       {Rearranged: lakehouse.Rearranged{Add: []lakehouse.DataFile{staged}}},
		"it is not begun again":                       change(1, none, nil, nil),
		"is no path of a staged file":                 {Add: []lakehouse.DataFile{{Path: "x.parquet"}}},
		`"../x.parquet" is no path of a data file`:    {Add: []lakehouse.DataFile{{Path: "../x.parquet", Staged: "_lakewheel/p/staged/x"}}},
		"is partitioned by [], and file x.parquet by": {Add: []lakehouse.DataFile{{Path: "x.parquet", Staged: "_lakewheel/p/staged/x", Partition: map[string]*string{"k": nil}}}},
		"cannot become c BIGINT":                      {Schema: columnar.NewSchema(columnar.Field{Name: "c", Type: columnar.BigInt})},
	} {
		_, err := tab.Commit(t.Context(), s, c)
		require.ErrorContains(t, err, want)
	}
	_, err := tab.Commit(t.Context(), none, lakehouse.Change{})
	require.ErrorContains(t, err, "its first commit must begin one")
	require.Equal(t, writes, objects.Writes())
}

// What lies in a folder without a log of the pipeline.
func TestOccupied(t *testing.T) {
	for files, want := range map[string]string{
		"":                                      "",
		"_lakewheel/p/records/1.json readme.md": "",
		"_lakewheel/q/log/00000000000000000003.json":                                                      "commits of q",
		"_lakewheel/q/log/00000000000000000003.json _lakewheel/r/log/00000000000000000000.json x.parquet": "commits of q, r",
		"day=1/x.parquet":                      "day=1/x.parquet, which no log of it names",
		"_delta_log/00000000000000000000.json": "error: it is a Delta table",
		"_spark_metadata/0":                    "error: Spark, which wrote it as a stream",
	} {
		objects := store.NewMem()
		for _, name := range strings.Fields(files) {
			require.NoError(t, objects.Put(t.Context(), name, nil))
		}
		s, err := open(objects, "a").Snapshot(t.Context())
		if text, ok := strings.CutPrefix(want, "error: "); ok {
			require.ErrorContains(t, err, text)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, -1, s.Version)
		require.Equal(t, want, s.Occupied)
	}
}

// After a change of name the log goes on where it is, again and again, also for those who do not know the name before.
func TestChangesOfName(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	commit(t, tab, newest(t, tab), 1)
	for i, names := range [][2]string{{"q", "p"}, {"q", ""}, {"r", "q"}, {"r", ""}, {"p", ""}} {
		later := Open(objects, names[0], names[1], func() string { return fmt.Sprint("later", i) })
		s := newest(t, later)
		require.EqualValues(t, i, s.Version, "%v", names)
		commit(t, later, s, int64(i))
	}
	require.Len(t, visible(t, objects), 6)
	logs, err := lakehouse.PlainLogs(t.Context(), objects)
	require.NoError(t, err)
	require.Equal(t, []string{"p"}, logs)
}

// A start reads the hint, the names behind it and the newest entry, however old the table is; an entry stays as small as the first.
func TestStartOfAnOldTable(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	s := newest(t, tab)
	var first, last int64
	for i := range int64(10_000) {
		var err error
		s, err = tab.Commit(t.Context(), s, change(i, s, nil, nil))
		require.NoError(t, err)
		require.NoError(t, tab.Publish(t.Context(), s))
		require.NoError(t, tab.Maintain(t.Context(), s, i*1000))
		if last = s.EntrySize; i == 1 {
			first = last
		}
	}
	require.Less(t, last, first+20)
	again := objects.Reopen()
	again.Inject(func(int, store.Op, string) (store.Outcome, error) { return store.Normal, nil })
	require.Equal(t, s, newest(t, open(again, "b")))
	require.Equal(t, 3, again.Ops(), "hint, list, entry")
}

// Entries go when they are past the retention, oldest first; the newest hundred and what the hint names stay.
func TestLogRetention(t *testing.T) {
	objects, now := store.NewMem(), int64(0)
	objects.SetClock(func() int64 { return now })
	tab := open(objects, "a")
	s := newest(t, tab)
	for i := range int64(500) {
		var err error
		s, err = tab.Commit(t.Context(), s, change(i, s, nil, nil))
		require.NoError(t, err)
		require.NoError(t, tab.Maintain(t.Context(), s, now))
		now += keepLogFor.Milliseconds() / 250
	}
	list, err := objects.List(t.Context(), logFolder("p"), "")
	require.NoError(t, err)
	first, ok := lakehouse.EntryNumber(list[0].Name)
	require.True(t, ok)
	require.EqualValues(t, 150, first, "those that were a day old when the newest hint was written")
	again := open(objects, "b")
	require.Equal(t, s, newest(t, again))
	entries, err := again.History(t.Context(), s, 1000)
	require.NoError(t, err)
	require.Len(t, entries, 350)
	_, err = again.Files(t.Context(), commit(t, again, s, 1))
	require.NoError(t, err)
}

// A log that someone has cut is not gone on with, and a wrong hint changes nothing.
func TestDamagedLogs(t *testing.T) {
	full := func() *store.Mem {
		objects := store.NewMem()
		tab := open(objects, "a")
		s := newest(t, tab)
		for i := range int64(5) {
			s = commit(t, tab, s, i)
		}
		return objects
	}
	for name, c := range map[string]struct {
		harm func(objects *store.Mem) error
		want string // "": it is read as ever
	}{
		"an entry is missing":       {func(o *store.Mem) error { return o.Delete(t.Context(), entryName("p", 3)) }, "entry 3 is missing, and 4 is there"},
		"the first are missing":     {func(o *store.Mem) error { return o.Delete(t.Context(), entryName("p", 0)) }, ""},
		"the newest is no JSON":     {func(o *store.Mem) error { return o.Put(t.Context(), entryName("p", 4), []byte("{")) }, "unexpected end"},
		"the newest is a newer one": {func(o *store.Mem) error { return o.Put(t.Context(), entryName("p", 4), []byte(`{"format":2}`)) }, "has format 2, this program reads format 1"},
		"a hint at nothing":         {func(o *store.Mem) error { return o.Put(t.Context(), hintName("p"), []byte(`{"format":1,"number":99}`)) }, ""},
		"a hint of garbage":         {func(o *store.Mem) error { return o.Put(t.Context(), hintName("p"), []byte(`nonsense`)) }, ""},
		"a hint at the middle":      {func(o *store.Mem) error { return o.Put(t.Context(), hintName("p"), []byte(`{"format":1,"number":2}`)) }, ""},
	} {
		objects := full()
		require.NoError(t, c.harm(objects), name)
		s, err := open(objects, "b").Snapshot(t.Context())
		if c.want != "" {
			require.ErrorIs(t, err, errDamaged, name)
			require.ErrorContains(t, err, c.want, name)
			continue
		}
		require.NoError(t, err, name)
		require.EqualValues(t, 4, s.Version, name)
	}
}

// The base entry is looked at again: another, or none, means another table.
func TestVerify(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	s := commit(t, tab, newest(t, tab), 1)
	require.NoError(t, tab.Verify(t.Context(), s))
	require.NoError(t, objects.Put(t.Context(), entryName("p", 0), []byte("{}")))
	require.ErrorIs(t, tab.Verify(t.Context(), s), lakehouse.ErrReplaced)
	require.NoError(t, objects.Delete(t.Context(), entryName("p", 0)))
	require.ErrorIs(t, tab.Verify(t.Context(), s), lakehouse.ErrReplaced)
}
