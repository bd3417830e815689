package delta

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

var schema = columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "s", Type: columnar.String, Nullable: true})

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(s store.Store) *Table {
	n := 0
	return Open(s, func() string { n++; return fmt.Sprintf("id%03d", n) })
}

// row has a row for each value.
func row(values ...int64) *columnar.Batch {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint("v", v)
	}
	return columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(values, nil), columnar.NewStringColumn(texts)}, len(values))
}

func stage(t *testing.T, tab *Table, prefix string, values ...int64) []lakehouse.DataFile {
	w, err := tab.Stage(context.Background(), schema, lakehouse.WriteOptions{Prefix: prefix})
	require.NoError(t, err)
	b := row(values...)
	defer b.Release()
	require.NoError(t, w.Write(context.Background(), 0, b))
	files, err := w.Finish(context.Background())
	require.NoError(t, err)
	return files
}

func change(batch int64, files []lakehouse.DataFile) lakehouse.Change {
	return lakehouse.Change{App: "lakewheel/p", Txn: lakehouse.Txn{Batch: batch, Token: 1000 + batch}, Time: 1_700_000_000_000 + batch, Add: files, DataChange: true, Operation: "STREAMING UPDATE"}
}

// create makes a table of n commits of one row each.
func create(t *testing.T, tab *Table, n int) lakehouse.Snapshot {
	ctx := context.Background()
	snap, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	require.EqualValues(t, -1, snap.Version)
	for i := range int64(n) {
		c := change(i, stage(t, tab, fmt.Sprintf("part-%d", i), i))
		if i == 0 {
			c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema, Properties: map[string]string{"k": "v"}}
		}
		snap, err = tab.Commit(ctx, snap, c)
		require.NoError(t, err)
		require.NoError(t, tab.Maintain(ctx, snap, c.Time))
	}
	return snap
}

func rows(t *testing.T, tab *Table, snap lakehouse.Snapshot) (n int, sum int64) {
	require.NoError(t, tab.Scan(context.Background(), snap, func(b *columnar.Batch) error {
		for i := range b.Rows() {
			n, sum = n+1, sum+columnar.Int64At(b.Column(0), i)
		}
		return nil
	}))
	return n, sum
}

// What a process committed, another one reads: through entries alone, and through a checkpoint.
func TestReopen(t *testing.T) {
	for _, commits := range []int{1, 5, 101, 130} {
		objects := store.NewMem()
		want := create(t, open(objects), commits)
		again := open(objects)
		got, err := again.replaySnapshot(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, lakehouse.Txn{Batch: int64(commits - 1), Token: int64(1000 + commits - 1)}, got.Txns["lakewheel/p"])
		n, sum := rows(t, again, got)
		require.Equal(t, commits, n)
		require.EqualValues(t, commits*(commits-1)/2, sum)
		_, err = objects.Stat(context.Background(), checkpointName(100))
		require.Equal(t, commits > 100, err == nil, "a checkpoint every 100 commits")
	}
}

// Two processes with the same base: one version, one winner, and the loser reads the winner's entry.
func TestConflict(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	a := open(objects)
	base := create(t, a, 1)
	b := open(objects)
	_, err := a.Commit(ctx, base, change(1, stage(t, a, "a", 1)))
	require.NoError(t, err)
	_, err = b.Commit(ctx, base, change(7, stage(t, b, "b", 2)))
	require.ErrorIs(t, err, lakehouse.ErrConflict)
	next, e, ok, err := b.Next(ctx, base)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, lakehouse.Txn{Batch: 1, Token: 1001}, e.Txns["lakewheel/p"])
	require.Equal(t, "STREAMING UPDATE", e.Operation)
	require.True(t, e.DataChange)
	_, err = b.Commit(ctx, next, change(7, nil))
	require.NoError(t, err)
}

// A put whose answer was lost is found by the next try of the same change.
func TestCommitOutcomes(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		outcome store.Outcome
		want    error
	}{
		"lost reply":                        {store.LoseReply, lakehouse.ErrUnknown},
		"lost call":                         {store.LoseCall, lakehouse.ErrUnknown},
		"late":                              {store.Late, lakehouse.ErrUnknown},
		"our own object found by a retry":   {store.Twice, nil},
		"no space: certainly not committed": {store.Fail, nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects := store.NewMem()
			tab := open(objects)
			base := create(t, tab, 1)
			files := stage(t, tab, "x", 5)
			objects.Inject(func(n int, op store.Op, _ string) (store.Outcome, error) {
				if op == store.OpPutIfAbsent && n == 0 {
					return c.outcome, fmt.Errorf("boom")
				}
				return store.Normal, nil
			})
			_, err := tab.Commit(ctx, base, change(1, files))
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
			if err != nil {
				_, err = tab.Commit(ctx, base, change(1, files))
				require.NoError(t, err, "the same change may be sent again")
			}
			snap, err := open(objects).Snapshot(ctx)
			require.NoError(t, err)
			n, _ := rows(t, tab, snap)
			require.Equal(t, 2, n)
		})
	}
}

// The base check tells a table that was dropped, cleaned or made again.
func TestVerify(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	tab := open(objects)
	base := create(t, tab, 2)
	require.NoError(t, tab.Verify(ctx, base))
	body, _, err := objects.Get(ctx, entryName(1))
	require.NoError(t, err)
	require.NoError(t, objects.Delete(ctx, entryName(1)))
	require.ErrorIs(t, tab.Verify(ctx, base), lakehouse.ErrReplaced)
	require.NoError(t, objects.Put(ctx, entryName(1), body))
	require.ErrorIs(t, tab.Verify(ctx, base), lakehouse.ErrReplaced, "the same bytes, put there again, are another table")
}

func TestDamagedLogs(t *testing.T) {
	ctx := context.Background()
	for name, damage := range map[string]func(s *store.Mem){
		"_delta_log/00000000000000000001.json: log entry is damaged: action 1": func(s *store.Mem) { _ = s.Put(ctx, entryName(1), []byte("{")) },
		"version 1 is missing, 2 is there":                                     func(s *store.Mem) { _ = s.Delete(ctx, entryName(1)) },
		"version 2 has no protocol or metaData":                                func(s *store.Mem) { _ = s.Put(ctx, entryName(0), []byte("{}")) },
	} {
		objects := store.NewMem()
		create(t, open(objects), 3)
		damage(objects)
		_, err := open(objects).replaySnapshot(ctx)
		require.ErrorContains(t, err, name)
	}
}

// A table with a feature that is not known here is refused, by name.
func TestRefusedTables(t *testing.T) {
	meta := func(config, fields string) string {
		return `{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[` + fields + `]}","partitionColumns":[],"configuration":{` + config + `}}}`
	}
	plain := `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`
	for want, entry := range map[string]string{
		"":                            plain + meta(``, ``),
		"writer feature newShiny":     `{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","newShiny"]}}` + meta(``, ``),
		"reader feature v2Checkpoint": `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":[]}}` + meta(``, ``),
		"protocol reader 4, writer 9": `{"protocol":{"minReaderVersion":4,"minWriterVersion":9}}` + meta(``, ``),
		"property delta.enableDeletionVectors=true":  plain + meta(`"delta.enableDeletionVectors":"true"`, ``),
		"CHECK constraint positive":                  plain + meta(`"delta.constraints.positive":"n > 0"`, ``),
		"UNSET TBLPROPERTIES":                        plain + meta(`"delta.setTransactionRetentionDuration":"interval 7 days"`, ``),
		"column a is an ARRAY without NULL elements": plain + meta(``, `{\"name\":\"a\",\"type\":{\"type\":\"array\",\"elementType\":\"long\",\"containsNull\":false},\"nullable\":true,\"metadata\":{}}`),
		"column g has delta.generationExpression":    plain + meta(``, `{\"name\":\"g\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"delta.generationExpression\":\"1\"}}`),
	} {
		objects := store.NewMem()
		require.NoError(t, objects.Put(context.Background(), entryName(0), []byte(entry)))
		snap, err := open(objects).Snapshot(context.Background())
		require.NoError(t, err)
		if want == "" {
			require.NoError(t, snap.Unusable)
			continue
		}
		require.ErrorIs(t, snap.Unusable, lakehouse.ErrUnsupported)
		require.ErrorContains(t, snap.Unusable, want)
	}
}

// Old entries go once a checkpoint covers them and the retention is over; what a reader of the retained versions needs stays.
func TestLogCleanup(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	now := int64(1_700_000_000_000)
	objects.SetClock(func() int64 { return now })
	tab := open(objects)
	snap := create(t, tab, 150)
	now += 31 * 24 * 3600 * 1000
	for i := int64(150); i < 250; i++ {
		var err error
		snap, err = tab.Commit(ctx, snap, change(i, nil))
		require.NoError(t, err)
		require.NoError(t, tab.Maintain(ctx, snap, now))
	}
	_, err := objects.Stat(ctx, entryName(99))
	require.ErrorIs(t, err, store.ErrNotExist)
	_, err = objects.Stat(ctx, entryName(100))
	require.NoError(t, err, "the entry of the oldest kept checkpoint stays")
	again, err := open(objects).replaySnapshot(ctx)
	require.NoError(t, err)
	require.Equal(t, snap, again)
}

func FuzzParseEntry(f *testing.F) {
	f.Add([]byte(`{"commitInfo":{"timestamp":1,"operation":"WRITE"}}` + "\n" + `{"add":{"path":"a%20b","partitionValues":{"p":null},"size":1,"modificationTime":2,"dataChange":true}}`))
	f.Add([]byte(`{"txn":{"appId":"x/record","version":5}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		actions, err := parseEntry("fuzz", body)
		if err != nil {
			return
		}
		s := newState()
		s.apply(0, actions)
		_, _ = s.snapshot()
		entry(0, actions)
	})
}

func FuzzDecodeSchema(f *testing.F) {
	text, _ := encodeSchema(schema)
	f.Add(text)
	f.Add(`{"type":"struct","fields":[{"name":"d","type":"decimal(38,2)","nullable":true,"metadata":{}}]}`)
	f.Add(`{"type":"struct","fields":[{"name":"c","type":{"type":"array","elementType":"long","containsNull":false},"nullable":true,"metadata":{}}]}`)
	f.Add(`{"type":"struct","fields":[{"name":"c","type":{"type":"map","keyType":"string","valueType":{"type":"struct","fields":[{"name":"x","type":"decimal(3,1)"}]}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, problems := decodeSchema(text)
		if s == nil {
			require.NotEmpty(t, problems)
			return
		}
		out, err := encodeSchema(s)
		if err != nil { // two columns of one name
			return
		}
		back, problems := decodeSchema(out)
		require.Empty(t, problems)
		require.True(t, s.Equal(back))
	})
}

// Logs that other programs wrote, cut so that only their checkpoint tells what came before it.
func TestForeignCheckpoints(t *testing.T) {
	for folder, want := range map[string]struct {
		version int64
		files   int
		schema  string
		txns    map[string]lakehouse.Txn
	}{
		"spark-4.0.1":    {7, 1, "id BIGINT, name STRING, amount DECIMAL(12,2), d DATE, ts TIMESTAMP, f DOUBLE, b BOOLEAN", map[string]lakehouse.Txn{}},
		"delta-rs-1.6.6": {3, 4, "id BIGINT, s STRING", map[string]lakehouse.Txn{"lakewheel/p": {Batch: 2, Token: 1002}}},
	} {
		objects := store.NewMem()
		entries, err := os.ReadDir("testdata/" + folder)
		require.NoError(t, err)
		for _, e := range entries {
			body, err := os.ReadFile("testdata/" + folder + "/" + e.Name())
			require.NoError(t, err)
			require.NoError(t, objects.Put(t.Context(), logFolder+"/"+e.Name(), body))
		}
		snap, err := open(objects).Snapshot(t.Context())
		require.NoError(t, err, folder)
		require.Equal(t, want.version, snap.Version)
		require.Equal(t, want.files, snap.Files)
		require.Equal(t, want.schema, snap.Schema.String())
		require.Equal(t, want.txns, snap.Txns)
		require.NoError(t, snap.Unusable)
	}
}

// A table that gets another schema before it has rows keeps the protocol that another program may have raised since.
func TestNewSchemaKeepsTheProtocol(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	c := change(0, nil)
	c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: schema}
	_, err = tab.Commit(t.Context(), snap, c)
	require.NoError(t, err)
	raised := `{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","invariants"]}}`
	require.NoError(t, objects.Put(t.Context(), entryName(1), []byte(raised)))
	snap, err = tab.Snapshot(t.Context())
	require.NoError(t, err)
	again := change(1, nil)
	again.Create = &lakehouse.Creation{ID: snap.ID, Schema: columnar.NewSchema(schema.Fields[0])}
	snap, err = tab.Commit(t.Context(), snap, again)
	require.NoError(t, err)
	require.Equal(t, 1, snap.Schema.Len())
	require.EqualValues(t, 7, tab.known.protocol.MinWriterVersion)
}
