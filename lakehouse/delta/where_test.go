package delta

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/planner"
)

// matching are the numbers that fulfil a condition, and how many files were not read.
func matching(t *testing.T, tab *Table, snap lakehouse.Snapshot, column, where string) (string, int) {
	e, err := planner.Expression(where, snap.Schema)
	require.NoError(t, err, where)
	var out []string
	skipped, err := tab.ScanWhere(t.Context(), snap, e, func(b *columnar.Batch) error {
		at := b.Schema().Index(column)
		for i := range b.Rows() {
			out = append(out, string(columnar.AppendValueJSON(nil, b.Column(at), i)))
		}
		return nil
	})
	require.NoError(t, err, where)
	return strings.Join(out, " "), skipped
}

// requireWhere looks for what holds, and for the files that need no reading.
func requireWhere(t *testing.T, tab *Table, snap lakehouse.Snapshot, column, where, want string, files int) {
	t.Helper()
	rows, skipped := matching(t, tab, snap, column, where)
	require.Equal(t, want, rows, where)
	require.Equal(t, files, skipped, "files skipped: "+where)
}

// A table of three files: n is 0 to 2, 10 to 12 and 20 to 22; s is v0 and so on.
func TestScanWhere(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	snap := create(t, tab, 1)
	for i := range int64(3) {
		c := change(i+1, stage(t, tab, fmt.Sprintf("q-%d", i), 10*i, 10*i+1, 10*i+2))
		if i == 0 {
			files, err := tab.Files(t.Context(), snap)
			require.NoError(t, err)
			c.Remove = files
		}
		var err error
		snap, err = tab.Commit(t.Context(), snap, c)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		where   string
		rows    string
		skipped int
	}{
		{"n = 11", "11", 2},
		{"n = 12", "12", 2},
		{"n = 10", "10", 2},
		{"n = 5", "", 3},
		{"n < 10", "0 1 2", 2},
		{"n <= 10", "0 1 2 10", 1},
		{"n > 12", "20 21 22", 2},
		{"n >= 12", "12 20 21 22", 1},
		{"12 <= n AND s < 'v21'", "12 20", 1},
		{"s = 'v2'", "2", 2},
		{"n = 1 OR n = 21", "1 21", 0},
		{"n + 1 = 2", "1", 0},
		{"n > 1.5", "2 10 11 12 20 21 22", 0},
		{"n IS NULL", "", 3},
		{"s IS NULL OR n = 1", "1", 0},
		{"n < NULL", "", 3},
		{"n > 20 AND 1 = 1", "21 22", 2},
	} {
		requireWhere(t, tab, snap, "n", c.where, c.rows, c.skipped)
	}
	e, err := planner.Expression("1 / (n - 11) > 0", snap.Schema)
	require.NoError(t, err)
	_, err = tab.ScanWhere(t.Context(), snap, e, func(*columnar.Batch) error { return nil })
	require.ErrorContains(t, err, "DIVIDE_BY_ZERO")
}

// Partition values are compared as values, not as texts.
func TestScanWherePartition(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	by := []string{"s", "b", "t", "d", "x", "day", "ts", "ntz"}
	w, err := tab.Stage(t.Context(), everyPartition, lakehouse.WriteOptions{Prefix: "part", PartitionBy: by})
	require.NoError(t, err)
	b := everyPartitionRows(t)
	defer b.Release()
	require.NoError(t, w.Write(t.Context(), 0, b))
	files, err := w.Finish(t.Context())
	require.NoError(t, err)
	snap, err = tab.Commit(t.Context(), snap, lakehouse.Change{Time: 1, Add: files, DataChange: true, Create: &lakehouse.Creation{ID: "i", Schema: everyPartition, PartitionBy: by}})
	require.NoError(t, err)
	for _, c := range []struct {
		where, rows string
		skipped     int
	}{
		{"day < DATE '2000-01-01'", "2", 3},
		{"day IS NULL", "3 4", 3},
		{"d = 1.5", "1 5", 2},
		{"b AND ts > TIMESTAMP '2024-01-02 01:00:00'", "1", 3},
		{"x = 0.1 AND id > 1", "5", 3},
		{"id > 1 AND s LIKE 'a%'", "", 4},
	} {
		requireWhere(t, tab, snap, "id", c.where, c.rows, c.skipped)
	}
}

// The bounds of other writers never hide a row: at the bounds of each column the rows of tables by Spark and delta-rs are those that reading every file finds.
func TestSkippingHidesNothing(t *testing.T) {
	for _, name := range []string{"delta-rs", "delta-rs-partitioned", "ours", "spark-dv", "spark-ict", "spark-mapping-name", "spark-v2-json", "two-parts"} {
		tab := open(fixture(t, name))
		snap, err := tab.Snapshot(t.Context())
		require.NoError(t, err)
		tried := 0
		for _, f := range snap.Schema.Fields {
			if f.Type.Nested() || f.Type == columnar.Binary {
				continue
			}
			for _, v := range distinct(t, tab, snap, f.Name) {
				literal := fmt.Sprintf("CAST('%s' AS %s)", strings.ReplaceAll(v, "'", `\'`), f.Type)
				for _, op := range []string{"=", "<", "<=", ">", ">="} {
					column := columnar.QuoteName(f.Name)
					got, _ := matching(t, tab, snap, f.Name, column+" "+op+" "+literal)
					want, _ := matching(t, tab, snap, f.Name, "("+column+" "+op+" "+literal+") = true")
					require.Equal(t, want, got, "%s: %s %s %s", name, f.Name, op, literal)
					tried++
				}
			}
		}
		require.Greater(t, tried, 5, name)
	}
}

// distinct are values of a column as texts, at most 20.
func distinct(t *testing.T, tab *Table, snap lakehouse.Snapshot, column string) (out []string) {
	seen := map[string]bool{}
	require.NoError(t, tab.Scan(t.Context(), snap, func(b *columnar.Batch) error {
		c := b.Column(b.Schema().Index(column))
		for i := range b.Rows() {
			text := strings.Trim(string(columnar.AppendValueJSON(nil, c, i)), `"`)
			if !c.IsNull(i) && !seen[text] && len(out) < 20 && !strings.ContainsAny(text, `\`) {
				seen[text] = true
				out = append(out, text)
			}
		}
		return nil
	}))
	return out
}
