package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/microbatch/state"
)

// ran writes a pipeline file and runs it over documents, one commit for each list of them, and returns the file.
func ran(t *testing.T, file string, batches ...[]string) string {
	path, src := filepath.Join(t.TempDir(), "p.yaml"), memory.New("events", true)
	for _, documents := range append(batches, nil) {
		for _, d := range documents {
			src.Append(0, []byte(d), 0)
		}
		require.NoError(t, runOver(t, path, file, src, io.Discard))
	}
	return path
}

// runOver writes a pipeline file and runs it over what a source has.
func runOver(t *testing.T, path, file string, src source.Source, log io.Writer) error {
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(file, "TABLE", filepath.Join(filepath.Dir(path), "table"))), 0o600))
	p, err := config.Load(path, os.LookupEnv)
	require.NoError(t, err)
	p.Trigger = microbatch.Trigger{AvailableNow: true}
	w := wire.Real(slog.New(slog.NewTextHandler(log, nil)))
	w.Source = func(context.Context, *config.Source, bool) (source.Source, error) { return src, nil }
	q, _, err := wire.Build(t.Context(), p, w)
	require.NoError(t, err)
	return microbatch.Run(t.Context(), q)
}

// lakewheel runs a command of the binary.
func lakewheel(args ...string) (stdout, stderr string, err error) {
	var out, said bytes.Buffer
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&said)
	err = root.ExecuteContext(context.Background())
	return out.String(), said.String(), err
}

// rowsOf reads a Parquet file as JSON lines.
func rowsOf(t *testing.T, path string) (lines []string) {
	folder, err := store.NewLocal(filepath.Dir(path))
	require.NoError(t, err)
	r, err := folder.Open(t.Context(), filepath.Base(path))
	require.NoError(t, err)
	defer r.Close()
	f, err := parquetfile.Open(r)
	require.NoError(t, err)
	schema, err := parquetfile.SchemaOf(f)
	require.NoError(t, err)
	rd, err := parquetfile.OpenReader(r, schema)
	require.NoError(t, err)
	defer rd.Close()
	for {
		b, err := rd.Next(t.Context())
		if err == io.EOF {
			return lines
		}
		require.NoError(t, err)
		for i := range b.Rows() {
			lines = append(lines, string(columnar.AppendRowJSON(nil, b, i)))
		}
		b.Release()
	}
}

const header = "name: p\nsources: {events: {memory: {}, schema: \"ts TIMESTAMP, k STRING, v DECIMAL(10,2), list ARRAY<INT>, `a b` DATE\", watermark: {column: ts, delay: 10 seconds}"

func event(second int, k string, v int) string {
	return fmt.Sprintf(`{"ts":"1970-01-01T00:%02d:%02dZ","k":%s,"v":%d,"list":[%d],"a b":"2024-02-29"}`, second/60, second%60, k, v, v)
}

// What the command says of a pipeline, and the rows that it exports.
func TestState(t *testing.T) {
	for _, c := range []struct {
		name, more string
		batches    [][]string
		state      string // op, rows, times, oldest, newest of each operator
		export     string
		rows       []string
	}{
		{
			"windows", "}}\nquery: \"SELECT window.start AS s, count(*) AS n, avg(v) AS a, max(list) AS l, `a b` AS d FROM events GROUP BY window(ts, '10 seconds', '5 seconds'), k, `a b`\"\n",
			[][]string{{event(7, `"a"`, 1), event(8, `"a"`, 2)}, {event(21, "null", 3)}},
			"0 3 window 1970-01-01T00:00:05Z 1970-01-01T00:00:30Z", "0",
			[]string{
				`{"window_start":"1970-01-01T00:00:15.000Z","window_end":"1970-01-01T00:00:25.000Z","k":null,"a b":"2024-02-29","count(1).count":1,"avg(v).sum":"3.00","avg(v).overflow":false,"avg(v).count":1,"max(list).value":[3]}`,
				`{"window_start":"1970-01-01T00:00:20.000Z","window_end":"1970-01-01T00:00:30.000Z","k":null,"a b":"2024-02-29","count(1).count":1,"avg(v).sum":"3.00","avg(v).overflow":false,"avg(v).count":1,"max(list).value":[3]}`,
				`{"window_start":"1970-01-01T00:00:05.000Z","window_end":"1970-01-01T00:00:15.000Z","k":"a","a b":"2024-02-29","count(1).count":2,"avg(v).sum":"3.00","avg(v).overflow":false,"avg(v).count":2,"max(list).value":[2]}`,
			},
		},
		{
			"sessions over duplicates", ", dedup: {keys: [k, ts]}}}\nquery: \"SELECT k, string(max(ts - TIMESTAMP '1970-01-01 00:00:00')) AS gap, count(*) AS n FROM events GROUP BY session_window(ts, '5 seconds'), k\"\n",
			[][]string{{event(11, `"a"`, 1), event(11, `"a"`, 2)}, {event(13, `"a"`, 2), event(40, `"b"`, 9)}},
			"0 1 session 1970-01-01T00:00:40Z 1970-01-01T00:00:45Z; 1 1 event time 1970-01-01T00:00:40Z 1970-01-01T00:00:40Z", "session_aggregate",
			[]string{`{"k":"b","session_start":"1970-01-01T00:00:40.000Z","session_end":"1970-01-01T00:00:45.000Z","max((ts - TIMESTAMP '1970-01-01 00:00:00')).value":"\"INTERVAL '0 00:00:40' DAY TO SECOND\"","count(1).count":1}`},
		},
		{
			"duplicates within the watermark", ", dedup: {keys: [k], within_watermark: true}}}\nquery: SELECT k FROM events\n",
			[][]string{{event(11, `"a"`, 1), event(12, `"b"`, 2)}},
			"0 2 expiry 1970-01-01T00:00:21Z 1970-01-01T00:00:22Z", "0:dedup_within",
			[]string{`{"k":"a","expires":"1970-01-01T00:00:21.000Z"}`, `{"k":"b","expires":"1970-01-01T00:00:22.000Z"}`},
		},
		{
			"duplicates for ever", ", dedup: {keys: [k]}}}\nquery: SELECT k FROM events\n",
			[][]string{{event(11, `"a"`, 1)}, {event(11, `"b"`, 1), event(11, `"a"`, 1)}},
			"0 2   ", "dedup",
			[]string{`{"k":"b","expires":null}`, `{"k":"a","expires":null}`},
		},
		{
			"no groups left", "}}\nquery: SELECT ts, count(*) AS n FROM events GROUP BY ts\n",
			[][]string{{event(11, `"a"`, 1)}, {event(50, `"a"`, 1)}, {event(20, `"a"`, 1)}},
			"0 1 event time 1970-01-01T00:00:50Z 1970-01-01T00:00:50Z", "0",
			[]string{`{"ts":"1970-01-01T00:00:50.000Z","count(1).count":1}`},
		},
		{"no state", "}}\nquery: SELECT ts FROM events\n", [][]string{{event(11, `"a"`, 1)}}, "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := ran(t, header+c.more+"sink: {delta: {path: TABLE}}\n", c.batches...)
			require.Equal(t, c.state, stateText(t, file))
			_, _, err := lakewheel("state", file)
			require.NoError(t, err)
			if c.export == "" {
				return
			}
			to := filepath.Join(t.TempDir(), "state.parquet")
			_, said, err := lakewheel("state", file, "--export", c.export, "--to", to)
			require.NoError(t, err)
			require.Contains(t, said, fmt.Sprintf("%d rows of ", len(c.rows)))
			require.ElementsMatch(t, c.rows, rowsOf(t, to))
			_, _, err = lakewheel("state", file, "--export", c.export, "--to", to)
			require.ErrorContains(t, err, "is there already")
		})
	}
}

// stateText is a part of what the command prints as JSON.
func stateText(t *testing.T, file string) string {
	out, _, err := lakewheel("state", file, "--json")
	require.NoError(t, err)
	var s storedState
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	require.True(t, s.Committed)
	var parts []string
	for _, o := range s.Operators {
		require.Equal(t, o.Rows > 0, o.Files > 0 && o.Bytes > 0)
		parts = append(parts, fmt.Sprintf("%d %d %s %s %s", o.Op, o.Rows, o.Times, o.Oldest, o.Newest))
	}
	return strings.Join(parts, "; ")
}

// A query that has changed says which aggregates begin and which end; of one that cannot go on, the state is still shown.
func TestChangedQuerySpeaks(t *testing.T) {
	path, src, log := filepath.Join(t.TempDir(), "p.yaml"), memory.New("events", true), &bytes.Buffer{}
	query := func(list, keys string) string {
		return header + "}}\nquery: \"SELECT ts, " + list + " FROM events GROUP BY " + keys + "\"\nsink: {delta: {path: TABLE, schema_evolution: add_columns}}\n"
	}
	src.Append(0, []byte(event(11, `"a"`, 1)), 0)
	require.NoError(t, runOver(t, path, query("count(*) AS n", "ts"), src, log))
	require.NoError(t, runOver(t, path, query("count(*) AS n", "ts"), src, log))
	require.Empty(t, log.String())
	src.Append(0, []byte(event(12, `"a"`, 1)), 0)
	require.NoError(t, runOver(t, path, query("max(v) AS m", "ts"), src, log))
	require.Contains(t, log.String(), "max(v) is new in aggregate by ts: groups that are there already count from now on")
	require.Contains(t, log.String(), "count(1) is gone from aggregate by ts: its state is dropped")
	require.ErrorIs(t, runOver(t, path, query("max(v) AS m", "ts, k"), src, log), committer.ErrRefused)
	require.Equal(t, "0 2 event time 1970-01-01T00:00:11Z 1970-01-01T00:00:12Z", stateText(t, path))
}

// What is refused, and what is damaged.
func TestStateFaults(t *testing.T) {
	file := ran(t, header+"}}\nquery: SELECT ts, count(*) AS n FROM events GROUP BY ts\nsink: {delta: {path: TABLE}}\n", []string{event(11, `"a"`, 1)})
	_, _, err := lakewheel("state", file, "--export", "1", "--to", "x.parquet")
	require.ErrorContains(t, err, "no such operator with state, only [0:aggregate]")
	_, _, err = lakewheel("state", file, "--export", "0")
	require.ErrorContains(t, err, "go together")
	files, err := filepath.Glob(filepath.Join(filepath.Dir(file), "table/_lakewheel/p/state/*.arrow"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	body, err := os.ReadFile(files[0])
	require.NoError(t, err)
	body[len(body)/2]++
	require.NoError(t, os.WriteFile(files[0], body, 0o600))
	_, _, err = lakewheel("state", file)
	require.ErrorIs(t, err, state.ErrDamaged)
	empty := ran(t, header+"}}\nquery: SELECT ts FROM events\nsink: {delta: {path: TABLE}}\n")
	out, _, err := lakewheel("state", empty)
	require.NoError(t, err)
	require.Contains(t, out, "none yet")
}
