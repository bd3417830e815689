package delta

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func sortedBy(names ...string) (out []lakehouse.SortColumn) {
	for _, n := range names {
		column, down := strings.CutSuffix(n, descending)
		out = append(out, lakehouse.SortColumn{Column: column, Descending: down})
	}
	return out
}

// A layout is read as it was written; people may write it in other ways.
func TestLayoutProperties(t *testing.T) {
	for _, l := range []lakehouse.Layout{
		{},
		{SortBy: sortedBy("ts", "user_id DESC")},
		{BloomFilters: []string{"user_id", "s.n"}},
		{SortBy: sortedBy("a,b", "`q` DESC", "a DESC DESC"), BloomFilters: []string{"x`, y"}},
	} {
		m := relaid(&metaData{Configuration: map[string]string{"k": "v"}}, nil, &l)
		require.Equal(t, "v", m.Configuration["k"])
		require.Equal(t, l, layoutOf(m.Configuration))
		require.Equal(t, map[string]string{"k": "v"}, relaid(m, nil, &lakehouse.Layout{}).Configuration)
	}
	for text, want := range map[string][]lakehouse.SortColumn{
		"":                   {},
		" , ":                {},
		"ts desc,user_id":    sortedBy("ts DESC", "user_id"),
		"`a b` DESC , c ASC": sortedBy("a b DESC", "c"),
		"`unended":           sortedBy("`unended"),
		"desc":               sortedBy("desc"),
	} {
		require.Equal(t, want, layoutOf(map[string]string{sortByProperty: text}).SortBy, text)
	}
}

// stageIn stages values with a layout of its own.
func stageIn(t *testing.T, tab *Table, prefix string, l lakehouse.Layout, values ...int64) []lakehouse.DataFile {
	w, err := tab.Stage(t.Context(), schema, lakehouse.WriteOptions{Prefix: prefix, Layout: l})
	require.NoError(t, err)
	b := row(values...)
	defer b.Release()
	require.NoError(t, w.Write(t.Context(), 0, b))
	files, err := w.Finish(t.Context())
	require.NoError(t, err)
	return files
}

// laid makes a table with a layout and two files of other rows.
func laid(t *testing.T, tab *Table, l lakehouse.Layout) lakehouse.Snapshot {
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	for i, values := range [][]int64{{5, 1, 3}, {2, 6, 4}} {
		c := change(int64(i), stageIn(t, tab, "part", l, values...))
		if i == 0 {
			c.Create, c.Layout = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema}, &l
		}
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
	}
	return snap
}

// Files are laid out as their writer says, or else as the table says, which another setting changes for the files to come; those that are
// merged follow the table.
func TestLayoutOfFiles(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	l := lakehouse.Layout{SortBy: sortedBy("n DESC"), BloomFilters: []string{"s"}}
	snap := laid(t, tab, l)
	require.Equal(t, l, snap.Layout)
	require.Equal(t, map[string]string{sortByProperty: "n DESC", bloomFiltersProperty: "s"}, snap.Properties)
	require.Equal(t, []string{"5 3 1", "6 4 2"}, fileNumbers(t, tab, snap))

	tab, snap = compacted(t, objects)
	require.Equal(t, []string{"6 5 4 3 2 1"}, fileNumbers(t, tab, snap), "merged in order")

	c := change(7, stage(t, tab, "next", 8, 9))
	c.Layout = &lakehouse.Layout{SortBy: sortedBy("s")}
	snap, err := tab.Commit(t.Context(), snap, c)
	require.NoError(t, err)
	require.Equal(t, []string{"6 5 4 3 2 1", "9 8"}, fileNumbers(t, tab, snap), "staged before the change")
	require.Equal(t, []string{"10 7"}, staged(t, objects, stage(t, tab, "again", 7, 10)), "s is v10, v7")
	require.Equal(t, []string{"7 10"}, staged(t, objects, stageIn(t, tab, "own", lakehouse.Layout{SortBy: []lakehouse.SortColumn{}}, 7, 10)))

	_, snap = compacted(t, objects)
	require.Equal(t, []string{"1 2 3 4 5 6 8 9"}, fileNumbers(t, tab, snap))
}

// fileNumbers are the values of n of each live file, in path order.
func fileNumbers(t *testing.T, tab *Table, snap lakehouse.Snapshot) []string {
	files, err := tab.Files(t.Context(), snap)
	require.NoError(t, err)
	return staged(t, tab.objects, files)
}

func staged(t *testing.T, objects store.Store, files []lakehouse.DataFile) (out []string) {
	for _, file := range files {
		f, err := objects.Open(t.Context(), file.Path)
		require.NoError(t, err)
		defer f.Close()
		r, err := parquetfile.OpenReader(f, columnar.NewSchema(schema.Fields[0]))
		require.NoError(t, err)
		b, err := r.Next(t.Context())
		require.NoError(t, err)
		var values []string
		for i := range b.Rows() {
			values = append(values, string(columnar.AppendValueJSON(nil, b.Column(0), i)))
		}
		out = append(out, strings.Join(values, " "))
		b.Release()
	}
	return out
}

// Columns of the layout that files do not have, as others renamed them, are left out, and what comes behind them in the order.
func TestFittingLayout(t *testing.T) {
	inFile := columnar.NewSchema(columnar.Field{Name: "a", Type: columnar.Int}, columnar.Field{Name: "l", Type: columnar.Array(columnar.Int)}, columnar.Field{Name: "c", Type: columnar.Double})
	for _, c := range []struct{ has, want lakehouse.Layout }{
		{lakehouse.Layout{SortBy: sortedBy("a", "gone", "c")}, lakehouse.Layout{SortBy: sortedBy("a")}},
		{lakehouse.Layout{SortBy: sortedBy("c", "l")}, lakehouse.Layout{SortBy: sortedBy("c")}},
		{lakehouse.Layout{BloomFilters: []string{"gone", "a", "l", "c"}}, lakehouse.Layout{BloomFilters: []string{"a"}}},
	} {
		require.True(t, c.want.Equal(fittingLayout(c.has, inFile)))
	}
}

// Files that statistics cannot tell apart are skipped by their filters; nothing is hidden.
func TestScanWhereFilters(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	snap := laid(t, tab, lakehouse.Layout{BloomFilters: []string{"n", "s"}})
	for _, c := range []struct {
		where   string
		rows    string
		skipped int
	}{
		{"n = 3", "3", 1},
		{"s = 'v4'", "4", 1},
		{"s IN ('v4', 'v6')", "6 4", 1},
		{"s IN ('v4', 'v5')", "5 4", 0},
		{"n IN (0, 9)", "", 2},
		{"n IN (3, NULL)", "3", 0},
		{"n = 3 OR n = 4", "3 4", 0},
		{"n = 3 AND s = 'v4'", "", 2},
		{"n NOT IN (1, 2)", "5 3 6 4", 0},
		{"n = 3.0", "3", 0},
	} {
		requireWhere(t, tab, snap, "n", c.where, c.rows, c.skipped)
	}
}
