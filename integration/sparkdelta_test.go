//go:build integration

package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/integration/internal/pyenv"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// sparkDelta is a running tables.py.
type sparkDelta struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	log *os.File
}

// startSpark starts Spark 4.0.1 with Delta 4.0.0, which LAKEWHEEL_SKIP_SPARK=1 leaves out.
func startSpark(t *testing.T) *sparkDelta {
	if os.Getenv("LAKEWHEEL_SKIP_SPARK") == "1" {
		t.Skip("LAKEWHEEL_SKIP_SPARK=1")
	}
	cache, err := filepath.Abs("../.cache")
	require.NoError(t, err)
	interpreter := os.Getenv("LAKEWHEEL_SPARK_PYTHON")
	if interpreter == "" {
		interpreter, err = pyenv.Python(filepath.Join(cache, "spark"), "spark/requirements.txt")
		require.NoError(t, err)
	}
	jars := filepath.Join(cache, "delta")
	if _, err := os.Stat(filepath.Join(jars, "delta-spark_2.13-4.0.0.jar")); err != nil {
		require.NoError(t, loud(exec.Command("mvn", "-B", "-q", "-f", "sparkdelta/pom.xml", "org.apache.maven.plugins:maven-dependency-plugin:3.10.0:copy-dependencies",
			"-DincludeScope=runtime", "-DoutputDirectory="+jars)))
	}
	s := &sparkDelta{t: t}
	s.log, err = os.CreateTemp(t.TempDir(), "spark-*.log")
	require.NoError(t, err)
	cmd := exec.Command(interpreter, "sparkdelta/tables.py", jars, t.TempDir())
	cmd.Stderr = s.log
	s.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	s.out = bufio.NewReader(out)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = s.in.Close(); _ = cmd.Wait() })
	return s
}

// ask sends a request of one word and its argument.
func (s *sparkDelta) ask(answer any, what, argument string) {
	s.t.Helper()
	text, err := json.Marshal(map[string]string{what: argument})
	require.NoError(s.t, err)
	_, err = s.in.Write(append(text, '\n'))
	require.NoError(s.t, err)
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		said, _ := os.ReadFile(s.log.Name())
		require.FailNow(s.t, "Spark ended", "%s %s: %s", what, argument, said)
	}
	require.NoError(s.t, json.Unmarshal(line, answer), "%s", line)
}

func (s *sparkDelta) sql(format string, args ...any) (rows [][]string) {
	s.t.Helper()
	s.ask(&rows, "sql", fmt.Sprintf(format, args...))
	return rows
}

// requireRows asserts that Spark finds these rows, in the JSON of lakewheel cat.
func (s *sparkDelta) requireRows(table string, want []string) {
	s.t.Helper()
	var rows []string
	s.ask(&rows, "rows", table)
	for i := range rows {
		rows[i] = canonical(s.t, []byte(rows[i]))
	}
	slices.Sort(rows)
	require.Equal(s.t, want, rows)
}

// Spark reads what we write, of every type, nested and in partitions; statistics hide no row from it; it and we write into one table in turns, and rows
// that it has deleted do not come back.
func TestSparkAndLakewheel(t *testing.T) {
	spark := startSpark(t)
	t.Run("every type", func(t *testing.T) { sparkReadsEveryType(t, spark) })
	t.Run("an old table", func(t *testing.T) { sparkReadsAnOldTable(t, spark) })
	t.Run("sorted, with filters, compacted", func(t *testing.T) { sparkReadsLaidOutFiles(t, spark) })
	t.Run("merged by key", func(t *testing.T) { sparkReadsMergedRows(t, spark) })
	t.Run("both write", func(t *testing.T) { sparkWritesBetweenRuns(t, spark) })
	t.Run("tables of Spark", func(t *testing.T) { lakewheelReadsTablesOfSpark(t, spark) })
}

func sparkReadsEveryType(t *testing.T, spark *sparkDelta) {
	for name, c := range map[string]struct {
		schema *columnar.Schema
		by     []string
	}{
		"nested": {nested, nil}, "plain": {plain, nil}, "partitions": {plain, []string{"text", "day", "money", "at", "flag"}},
	} {
		b := randomRows(c.schema, rand.New(rand.NewPCG(7, 0)), 60)
		defer b.Release()
		dir := filepath.Join(t.TempDir(), name)
		spark.requireRows(dir, writeTable(t, dir, b, c.by...))
		if c.schema == plain {
			var wrong []string
			spark.ask(&wrong, "predicates", dir)
			require.Empty(t, wrong, name)
		}
	}
}

// sparkReadsLaidOutFiles reads what is sorted, has filters and was compacted.
func sparkReadsLaidOutFiles(t *testing.T, spark *sparkDelta) {
	dir := t.TempDir()
	laidOut(t, dir, true)
	spark.requireRows(dir, catRows(t, dir))
	var wrong []string
	spark.ask(&wrong, "predicates", dir)
	require.Empty(t, wrong)
	for _, key := range spark.sql("SELECT DISTINCT int FROM delta.`%s` WHERE int IS NOT NULL LIMIT 5", dir) {
		n := spark.sql("SELECT count(*) FROM delta.`%s` WHERE int = %s", dir, key[0])
		all := spark.sql("SELECT count_if(int = %s) FROM delta.`%s`", key[0], dir)
		require.Equal(t, all, n, "a filter hides no row with %s", key[0])
	}
}

// sparkReadsMergedRows reads a table whose rows were replaced and deleted by key.
func sparkReadsMergedRows(t *testing.T, spark *sparkDelta) {
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := pipeline(t, topic, "", "")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	sink := fmt.Sprintf("sink: {delta: {path: %q}", table)
	require.Contains(t, string(text), sink)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), sink, sink+`, merge: {keys: [id], delete_when: "n = 99"}`, 1)), 0o644))
	for round := range 3 {
		for id := range 5 {
			n := round
			if id == round {
				n = 99
			}
			produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":%d}`, id, n))
		}
		res := lakewheel(t, "run", "--available-now", file)
		require.Zero(t, res.code, res.stderr)
		require.Len(t, catRows(t, table), 4)
		spark.requireRows(table, catRows(t, table))
	}
}

// catRows are the rows of a table as lakewheel cat prints them.
func catRows(t *testing.T, table string) (rows []string) {
	res := lakewheel(t, "cat", table)
	require.Zero(t, res.code, res.stderr)
	for line := range strings.Lines(res.stdout) {
		rows = append(rows, canonical(t, []byte(line)))
	}
	slices.Sort(rows)
	return rows
}

// sparkReadsAnOldTable reads a table of 500 commits that was compacted, got a column, and whose log is cut behind its checkpoint.
func sparkReadsAnOldTable(t *testing.T, spark *sparkDelta) {
	dir := t.TempDir()
	objects, err := store.NewLocal(dir)
	require.NoError(t, err)
	table := delta.Open(objects, uuid.NewString)
	base, err := table.Snapshot(t.Context())
	require.NoError(t, err)
	narrow := columnar.NewSchema(nullable("id", columnar.BigInt))
	wide := columnar.NewSchema(nullable("id", columnar.BigInt), nullable("twice", columnar.BigInt))
	var want []string
	for i := range int64(500) {
		c := lakehouse.Change{App: "lakewheel/p", Txn: lakehouse.Txn{Batch: i, Token: i + 1}, Time: 1_790_000_000_000 + i, DataChange: true, Operation: "STREAMING UPDATE"}
		schema, cols := narrow, []columnar.Column{columnar.NewInt64Column([]int64{i}, nil)}
		if i >= 250 {
			schema, cols = wide, append(cols, columnar.NewInt64Column([]int64{2 * i}, nil))
			c.Schema = wide
		}
		b := columnar.NewBatch(schema, cols, 1)
		w, err := table.Stage(t.Context(), schema, lakehouse.WriteOptions{Prefix: "part-p-e1"})
		require.NoError(t, err)
		require.NoError(t, w.Write(t.Context(), 0, b))
		b.Release()
		c.Add, err = w.Finish(t.Context())
		require.NoError(t, err)
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: uuid.NewString(), Schema: narrow}
		}
		if files, err := table.Files(t.Context(), base); i%40 == 39 {
			require.NoError(t, err)
			c.Rearranged.Remove = files
			c.Rearranged.Add, err = table.MergeFiles(t.Context(), base, files, "part-p.merged1")
			require.NoError(t, err)
		}
		base, err = table.Commit(t.Context(), base, c)
		require.NoError(t, err)
		require.NoError(t, table.Maintain(t.Context(), base, c.Time))
		twice := "null"
		if i >= 250 {
			twice = fmt.Sprint(2 * i)
		}
		want = append(want, fmt.Sprintf(`{"id":%d,"twice":%s}`, i, twice))
	}
	require.NotZero(t, cutBelow(t, dir, 400))
	slices.Sort(want)
	spark.requireRows(dir, want)
	history := spark.sql("DESCRIBE HISTORY delta.`%s` LIMIT 2", dir)
	require.Equal(t, "499", history[0][0])
	require.Contains(t, strings.Join(history[0], " "), "STREAMING UPDATE")
}

// cutBelow removes the log entries below a version, as a clean-up does.
func cutBelow(t *testing.T, dir string, below int64) (n int) {
	for v := range below {
		if err := os.Remove(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", v))); err == nil {
			n++
		}
	}
	return n
}

// sparkWritesBetweenRuns lets Spark do everything to a table of ours while no commit of ours is under way: on disk its commits are no put-if-absent.
func sparkWritesBetweenRuns(t *testing.T, spark *sparkDelta) {
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := pipeline(t, topic, "", "limits: {rows_per_batch: 1}\ncommit: {interval: 0s, compaction: {files: 3}}\n")
	n := 0
	feed := func() {
		for range 5 {
			produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":%d}`, n, n))
			n++
		}
		res := lakewheel(t, "run", "--available-now", file)
		require.Zero(t, res.code, res.stderr)
	}
	feed()
	deleted, foreign := 0, 0
	for _, what := range []string{"append", "DELETE FROM delta.`%s` WHERE n %% 4 = 1", "OPTIMIZE delta.`%s`", "UPDATE delta.`%s` SET n = -1 WHERE n = 0", "VACUUM delta.`%s` RETAIN 0 HOURS", "append"} {
		switch {
		case what == "append":
			var ok bool
			spark.ask(&ok, "append", table)
			foreign++
		case strings.HasPrefix(what, "DELETE"):
			before := spark.sql("SELECT count(*) FROM delta.`%s` WHERE n %% 4 = 1", table)
			_, err := fmt.Sscan(before[0][0], &deleted)
			require.NoError(t, err)
			fallthrough
		default:
			spark.sql(what, table)
		}
		feed()
		got := spark.sql("SELECT count(*), count(DISTINCT id), count_if(id IS NULL) FROM delta.`%s`", table)
		require.Equal(t, []string{fmt.Sprint(n + foreign - deleted), fmt.Sprint(n - deleted), fmt.Sprint(foreign)}, got[0], "after %s", what)
	}
	require.Equal(t, n-deleted, read(t, "count", table, "id").Distinct, "delta-rs finds the same")
}

// lakewheelReadsTablesOfSpark reads tables with what only Spark makes of them.
func lakewheelReadsTablesOfSpark(t *testing.T, spark *sparkDelta) {
	for name, statements := range map[string][]string{
		"deletion vectors": {"CREATE TABLE delta.`%s` (id BIGINT, s STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
			"INSERT INTO delta.`%s` SELECT id, 'a' FROM range(100)", "DELETE FROM delta.`%s` WHERE id %% 3 = 0"},
		"column mapping": {"CREATE TABLE delta.`%s` (a BIGINT, b STRING, c INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')",
			"INSERT INTO delta.`%s` SELECT id, 'x', 1 FROM range(10)", "ALTER TABLE delta.`%s` RENAME COLUMN a TO id", "ALTER TABLE delta.`%s` DROP COLUMN c", "INSERT INTO delta.`%s` SELECT id, 'y' FROM range(10, 20)"},
		"partitions": {"CREATE TABLE delta.`%s` (id BIGINT, day DATE, k STRING) USING delta PARTITIONED BY (day, k)",
			"INSERT INTO delta.`%s` SELECT id, date_add(DATE'2024-02-28', CAST(id AS INT)), if(id = 3, NULL, 'a/b =%%' || id) FROM range(5)"},
		"V2 checkpoints": {"CREATE TABLE delta.`%s` (id BIGINT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
			"INSERT INTO delta.`%s` SELECT id FROM range(3)", "INSERT INTO delta.`%s` SELECT id FROM range(3, 6)", "INSERT INTO delta.`%s` SELECT id FROM range(6, 9)"},
	} {
		dir := filepath.Join(t.TempDir(), "table")
		for _, s := range statements {
			spark.sql(s, dir)
		}
		rows := catRows(t, dir)
		require.NotEmpty(t, rows, name)
		spark.requireRows(dir, rows)
	}
}
