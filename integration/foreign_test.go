//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Other programs append, optimize and checkpoint between our runs; the position holds, and they read what we wrote through our own checkpoint.
func TestOtherWritersBetweenRuns(t *testing.T) {
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := pipeline(t, topic, "", "limits: {rows_per_batch: 1}\ncommit: {interval: 0s}\n")
	n := 0
	feed := func(rows int) {
		for range rows {
			produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":1}`, n))
			n++
		}
		res := lakewheel(t, "run", "--available-now", file)
		require.Zero(t, res.code, res.stderr)
	}
	feed(105)
	_, err := os.Stat(filepath.Join(table, "_delta_log", fmt.Sprintf("%020d.checkpoint.parquet", 100)))
	require.NoError(t, err, "a checkpoint every 100 commits")
	entries, err := filepath.Glob(filepath.Join(table, "_delta_log", "0000000000000000000*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries { // below the checkpoint: readers have the checkpoint alone
		require.NoError(t, os.Remove(e))
	}
	require.Equal(t, n, read(t, "count", table, "id").Distinct)
	foreign := 0
	for _, what := range []string{"append", "optimize", "checkpoint", "append"} {
		read(t, what, table)
		if what == "append" {
			foreign++
		}
		feed(3)
		c := read(t, "count", table, "id")
		require.Equal(t, n, c.Distinct, "after %s", what)
		require.Equal(t, n+foreign, c.Rows, "after %s", what)
	}
}

// RESTORE takes our rows but not our offsets: the next run stops and publishes nothing.
func TestRestoreByOthers(t *testing.T) {
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := pipeline(t, topic, "", "")
	for i := range 3 {
		produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":1}`, i))
		require.Zero(t, lakewheel(t, "run", "--available-now", file).code)
	}
	read(t, "restore", table, "1")
	version := read(t, "count", table, "id").Version
	produce(t, cl, topic, 0, `{"id":"y","n":1}`)
	res := lakewheel(t, "run", "--available-now", file)
	require.Equal(t, 4, res.code)
	require.Contains(t, res.stderr, "RESTORE")
	require.Equal(t, version, read(t, "count", table, "id").Version)
}

// Faults of the outside world end with one clear sentence and the right exit code, and nothing is written.
func TestFaultsOfTheWorld(t *testing.T) {
	topic := newTopic(t, 1, nil)
	produce(t, client(t), topic, 0, `{"id":"x","n":1}`)
	foreign := filepath.Join(t.TempDir(), "foreign")
	read(t, "make", foreign)
	readOnly := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(readOnly, nil, 0o644))
	edit := func(old, new string) string {
		file, _ := pipeline(t, topic, "", "")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
		return file
	}
	table := func(path string) string {
		file, own := pipeline(t, topic, "", "")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), own, path, 1)), 0o644))
		return file
	}
	for name, c := range map[string]struct {
		file string
		code int
		want string
	}{
		"no such file":        {filepath.Join(t.TempDir(), "none.yaml"), 2, "no such file"},
		"no such topic":       {edit(topic, "no-such-topic"), 1, "topic does not exist: no-such-topic"},
		"dead broker":         {edit(brokers, "127.0.0.1:1"), 1, "Kafka at 127.0.0.1:1 does not answer"},
		"table of another":    {table(foreign), 1, "no commit in it is of pipeline p"},
		"path is a file":      {table(filepath.Join(readOnly, "t")), 1, "not a directory"},
		"unknown column":      {edit("SELECT id, n", "SELECT idd, n"), 2, "p.yaml:6:15: query: [UNRESOLVED_COLUMN.WITH_SUGGESTION]"},
		"schema of the topic": {edit("id STRING, n BIGINT", "id STRING, n BOOLEAN"), 2, "query"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			res := lakewheel(t, "run", "--available-now", c.file)
			require.Equal(t, c.code, res.code, res.stderr)
			require.Contains(t, res.stderr, c.want)
			require.Less(t, strings.Count(strings.TrimSpace(res.stderr), "\n"), 2, "one sentence: %s", res.stderr)
			require.Less(t, time.Since(began), 15*time.Second)
		})
	}
}

// A pipeline that finds its own table knows what fits: another name and another schema are refused.
func TestOwnTableIsRecognised(t *testing.T) {
	topic := newTopic(t, 1, nil)
	produce(t, client(t), topic, 0, `{"id":"x","n":1}`)
	file, table := pipeline(t, topic, "", "")
	require.Zero(t, lakewheel(t, "run", "--available-now", file).code)
	nothing := lakewheel(t, "run", "--available-now", file)
	require.Zero(t, nothing.code)
	require.Equal(t, 0, read(t, "count", table, "id").Version, "nothing new, no table version")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	change := func(old, new string) result {
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o644))
		return lakewheel(t, "run", "--available-now", file)
	}
	misspelt := change("name: p", "name: pp")
	require.Equal(t, 1, misspelt.code)
	require.Contains(t, misspelt.stderr, "it holds commits of p")
	other := change("SELECT id, n", "SELECT id, CAST(n AS STRING) AS n")
	require.Equal(t, 1, other.code)
	require.Contains(t, other.stderr, "column n is BIGINT in the table and STRING in the query")
	renamed := change("name: p", "name: pp\nprevious_name: p")
	require.Zero(t, renamed.code, renamed.stderr)
	require.Equal(t, 1, read(t, "count", table, "id").Rows)
}

// A wrong schema on a full topic commits nothing and drains nothing.
func TestWrongSchemaDrainsNothing(t *testing.T) {
	topic := newTopic(t, 1, nil)
	values := make([]string, 3000)
	for i := range values {
		values[i] = fmt.Sprintf(`{"id":"x%d","n":"text"}`, i)
	}
	produce(t, client(t), topic, 0, values...)
	file, table := pipeline(t, topic, "", "")
	res := lakewheel(t, "run", "--available-now", file)
	require.Equal(t, 1, res.code)
	require.Contains(t, res.stderr, "3000 of 3000 records are bad")
	for _, path := range []string{table, table + "_dead_letter"} {
		_, err := os.Stat(filepath.Join(path, "_delta_log"))
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}
