//go:build integration

package crash

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each fault ends the command within seconds, with its exit code and one sentence, and leaves nothing behind.
func TestFaultsByExitCode(t *testing.T) {
	topic := newTopic(t, 1, nil)
	produce(t, client(t), topic, event(0))
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	require.NoError(t, err)
	defer silent.Close()
	theirs := filepath.Join(t.TempDir(), "theirs")
	foreign(t, "make", theirs)
	for _, c := range []struct {
		name, from, to string
		code           int
		says           []string
	}{
		{"invalid YAML", "sources:", "sources: [", 2, []string{"p.yaml:", "YAML"}},
		{"a tab for a space", "  events:", "\tevents:", 2, []string{"p.yaml:3:"}},
		{"an unknown key", "sink:", "sinks:", 2, []string{"p.yaml:7:1: pipeline: unknown key sinks (did you mean sink?)"}},
		{"a column that is not there", "SELECT id, n", "SELECT id, m", 2, []string{"p.yaml:6:19: ", "[UNRESOLVED_COLUMN.WITH_SUGGESTION]"}},
		{"a type that is not there", "n BIGINT", "n BIGNIT", 2, []string{"p.yaml:5:", "BIGNIT"}},
		{"a topic that is not there", topic, topic + "-not", 1, []string{"topic does not exist: " + topic + "-not"}},
		{"a dead broker", brokers, "127.0.0.1:1", 1, []string{"Kafka at 127.0.0.1:1 does not answer", "check brokers"}},
		{"a silent broker", brokers, silent.Addr().String(), 1, []string{"does not answer"}},
		{"a broker without address", brokers, "no-such-host.invalid:9092", 1, []string{"no-such-host.invalid:9092 does not answer"}},
		{"a folder no one may write", "TABLE", "/proc/lakewheel", 1, []string{"/proc/lakewheel"}},
		{"a table of another program", "TABLE", theirs, 1, []string{theirs, "sink.existing: append"}},
		{"a dead object store", "sink: {delta: {path: \"TABLE\"}}", deadStore, 1, []string{"s3://bucket/table cannot be used", "127.0.0.1:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, table := pipeline(t, topic, "")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			from := strings.Replace(c.from, "TABLE", table, 1)
			require.Contains(t, string(text), from)
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), from, c.to, 1)), 0o644))
			p := start(t, "run", file) // not bounded: it must end by itself
			require.Equal(t, c.code, p.code(t, 15*time.Second), p.err.String())
			for _, says := range c.says {
				require.Contains(t, p.err.String(), says)
			}
			require.NotContains(t, p.err.String(), "goroutine")
			require.Less(t, len(p.err.String()), 600)
			require.Empty(t, p.out.String())
			left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "table*", "*.parquet"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
	require.Equal(t, 3, number(t, theirs, "select count(*) from t"))
	_, err = os.Stat(filepath.Join(theirs, "_lakewheel"))
	require.ErrorIs(t, err, os.ErrNotExist, "nothing was left in the table of another program")
}

// A sink in a bucket of a server that is not there.
const deadStore = `sink: {delta: {path: "s3://bucket/table"}}
s3: {endpoint: "http://127.0.0.1:1", access_key: "a", secret_key: "b", timeout: 1s}`

// Wrong calls say how to call.
func TestWrongCalls(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"run"}, 2, "at least one pipeline file"},
		{[]string{"run", "--nope"}, 2, "unknown flag: --nope"},
		{[]string{"nope"}, 2, `unknown command "nope"`},
		{[]string{"run", "/nope/p.yaml"}, 2, "/nope/p.yaml: no such file"},
		{[]string{"run", "/proc"}, 2, "is a directory"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			p := start(t, c.args...)
			require.Equal(t, c.code, p.code(t, 5*time.Second), p.err.String())
			require.Contains(t, p.err.String(), c.says)
		})
	}
}

// A table that has gone on knows its pipeline: another name, another schema and another topic are refused, and nothing is written.
func TestPipelineThatDoesNotFitItsTable(t *testing.T) {
	topic := newTopic(t, 1, nil)
	produce(t, client(t), topic, event(0))
	file, table := pipeline(t, topic, "")
	drain(t, file)
	produce(t, client(t), topic, event(1))
	original, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, c := range []struct {
		name, from, to string
		code           int
		says           string
	}{
		{"misspelt name", "name: p\n", "name: q\n", 1, "it holds commits of p"},
		{"another type", "SELECT id, n", "SELECT id, CAST(n AS DOUBLE) AS n", 1, "column n is BIGINT in the table and DOUBLE in the query"},
		{"a column more", "SELECT id, n", "SELECT id, n, n + 1 AS m", 1, "m"},
		{"another source name", "  events:", "  others:", 2, "events"},
		{"another topic", topic, newTopic(t, 1, nil), 4, topic},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { require.NoError(t, os.WriteFile(file, original, 0o644)) }()
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(original), c.from, c.to, 1)), 0o644))
			p := start(t, "run", "--available-now", file)
			require.Equal(t, c.code, p.code(t, 20*time.Second), p.err.String())
			require.Contains(t, p.err.String(), c.says)
			require.Zero(t, version(t, table))
		})
	}
	drain(t, file)
	requireEvents(t, table, 2)
}
