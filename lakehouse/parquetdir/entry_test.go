package parquetdir

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// The first two entries of a table in format 1, byte for byte. They stay readable.
const (
	first1 = `{"format":1,"number":0,"time":1700000000000,"operation":"STREAMING EPOCH","parameters":{"outputMode":"Append"},"app":"lakewheel/p","data_change":true,"new_metadata":true,` +
		`"info":{"lakewheel":{"offsets":{"s":{"t":{"0":9007199254740993}}}}},` +
		`"table":{"id":"u-u-i-d","schema":{"type":"struct","fields":[{"name":"n","type":"long","nullable":true,"metadata":{}},{"name":"k","type":"string","nullable":true,"metadata":{}}]},` +
		`"partition_by":["k"],"properties":{"lakewheel.sideOf":"x"}},"txns":{"lakewheel/p":{"batch":-1,"token":7}},"files":0}` + "\n"
	second1 = `{"format":1,"number":1,"time":1700000000001,"operation":"STREAMING UPDATE","app":"lakewheel/p","data_change":true,` +
		`"add":[{"path":"k=a%2F1/part-p-e1-x.parquet","staged":"_lakewheel/p/staged/part-p-e1-x","rows":2,"bytes":345,"partition":{"k":"a/1"}},` +
		`{"path":"k=__HIVE_DEFAULT_PARTITION__/part-p-e1-y.parquet","staged":"_lakewheel/p/staged/part-p-e1-y","rows":1,"bytes":333,"partition":{"k":null}}],` +
		`"table":{"id":"u-u-i-d","schema":{"type":"struct","fields":[{"name":"n","type":"long","nullable":true,"metadata":{}},{"name":"k","type":"string","nullable":true,"metadata":{}}]},` +
		`"partition_by":["k"],"properties":{"lakewheel.sideOf":"x"}},"txns":{"lakewheel/p":{"batch":4,"token":9}},"files":2}` + "\n"
)

func TestEntryFormat1(t *testing.T) {
	objects := store.NewMem()
	tab, k := open(objects, "a"), "a/1"
	s, err := tab.Commit(t.Context(), newest(t, tab), lakehouse.Change{App: "lakewheel/p", Txn: lakehouse.Txn{Batch: -1, Token: 7}, Time: 1_700_000_000_000, DataChange: true, Operation: "STREAMING EPOCH",
		Parameters: map[string]string{"outputMode": "Append"}, Info: map[string]any{"lakewheel": map[string]any{"offsets": map[string]any{"s": map[string]any{"t": map[string]int64{"0": 9007199254740993}}}}},
		Create: &lakehouse.Creation{ID: "u-u-i-d", Schema: schema, PartitionBy: []string{"k"}, Properties: map[string]string{"lakewheel.sideOf": "x"}}})
	require.NoError(t, err)
	_, err = tab.Commit(t.Context(), s, lakehouse.Change{App: "lakewheel/p", Txn: lakehouse.Txn{Batch: 4, Token: 9}, Time: 1_700_000_000_001, DataChange: true, Operation: "STREAMING UPDATE", Add: []lakehouse.DataFile{
		{Path: "k=a%2F1/part-p-e1-x.parquet", Staged: "_lakewheel/p/staged/part-p-e1-x", Rows: 2, Bytes: 345, Partition: map[string]*string{"k": &k}},
		{Path: "k=__HIVE_DEFAULT_PARTITION__/part-p-e1-y.parquet", Staged: "_lakewheel/p/staged/part-p-e1-y", Rows: 1, Bytes: 333, Partition: map[string]*string{"k": nil}}}})
	require.NoError(t, err)
	for number, want := range []string{first1, second1} {
		body, _, err := objects.Get(t.Context(), entryName("p", int64(number)))
		require.NoError(t, err)
		require.Equal(t, want, string(body))
		e, err := parseEntry("x", int64(number), body)
		require.NoError(t, err)
		back, err := e.encode()
		require.NoError(t, err)
		require.Equal(t, want, string(back))
	}
	again := open(objects, "b")
	s = newest(t, again)
	require.True(t, s.Schema.Equal(schema))
	require.Equal(t, map[string]lakehouse.Txn{"lakewheel/p": {Batch: 4, Token: 9}}, s.Txns)
	entries, err := again.History(t.Context(), s, 10)
	require.NoError(t, err)
	require.Equal(t, []int{2, 0}, []int{entries[0].Adds, entries[1].Adds})
	require.True(t, entries[1].MetadataChanged && !entries[0].MetadataChanged)
	require.Equal(t, json.Number("9007199254740993"), entries[1].Info["lakewheel"].(map[string]any)["offsets"].(map[string]any)["s"].(map[string]any)["t"].(map[string]any)["0"])
}

// Columns are added by a commit; files before it stay as they are.
func TestEvolution(t *testing.T) {
	objects := store.NewMem()
	tab := open(objects, "a")
	s := commit(t, tab, newest(t, tab), 1)
	c := change(1, s, nil, stage(t, tab, nil, 2))
	c.Schema = columnar.NewSchema(append(schema.Fields[:2:2], columnar.Field{Name: "more", Type: columnar.Array(columnar.Int), Nullable: true})...)
	s, err := tab.Commit(t.Context(), s, c)
	require.NoError(t, err)
	require.NoError(t, tab.Publish(t.Context(), s))
	require.True(t, newest(t, open(objects, "b")).Schema.Equal(c.Schema))
	require.Equal(t, []string{`{"n":1,"k":"a/1","more":null}`, `{"n":2,"k":"a/2","more":null}`}, visible(t, objects))
}

// What is not an entry that this program could have written is refused: an entry tells which files are given which names.
func FuzzParseEntry(f *testing.F) {
	for _, seed := range []string{first1, second1, `{"format":2}`, `{"format":1,"unknown":1}`, first1 + first1,
		`{"format":1,"number":0,"table":{"id":"x","schema":{"type":"struct","fields":[]}},"add":[{"path":"../x.parquet","staged":"_lakewheel/p/staged/x"}]}`,
		`{"format":1,"number":0,"table":{"id":"x","schema":{"type":"struct","fields":[]}},"add":[{"path":"x.parquet","staged":"x"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := parseEntry("x", 0, body)
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
			return
		}
		for _, a := range e.Add {
			if a.check() != nil || hidden(a.Path) || !hidden(a.Staged) {
				t.Fatalf("%+v", a)
			}
		}
		if e.snapshot(1, "x").Schema == nil || e.summary().Version != 0 {
			t.Fatal("an entry without a table")
		}
	})
}

// Whatever a hint or a note holds, a start reads the log as it is, or says what is wrong.
func FuzzHintAndNote(f *testing.F) {
	f.Add([]byte(`{"format":1,"number":1}`), []byte(`{"format":1,"log":"p"}`))
	f.Add([]byte(`{"format":1,"number":9223372036854775807}`), []byte(`{"format":1,"log":"../p"}`))
	f.Fuzz(func(t *testing.T, hint, note []byte) {
		objects := store.NewMem()
		tab := open(objects, "a")
		commit(t, tab, commit(t, tab, newest(t, tab), 1), 2)
		if objects.Put(t.Context(), hintName("p"), hint) != nil || objects.Put(t.Context(), noteName("q"), note) != nil {
			t.Fatal()
		}
		if s := newest(t, open(objects, "b")); s.Version != 1 {
			t.Fatal(s.Version)
		}
		s, err := Open(objects, "q", "", nil).Snapshot(t.Context())
		if err != nil && !errors.Is(err, errDamaged) || err == nil && s.Version != 1 && s.Occupied == "" {
			t.Fatal(s, err)
		}
	})
}
