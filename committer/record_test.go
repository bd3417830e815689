package committer

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/internal/strictjson"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/offsets"
)

// A record of format 1 that an earlier build wrote reads as it did then, and is written as it was.
func TestRecordFormat1(t *testing.T) {
	const file = "testdata/record-format-1.json"
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	r, err := decodeRecord(file, body)
	require.NoError(t, err)
	require.EqualValues(t, 4611686018427387903, r.Token)
	require.Equal(t, offsets.Positions{{Topic: "events", ID: 0}: 120, {Topic: "events", ID: 10}: 7}, r.Sources["events"].Positions())
	require.Equal(t, []lakehouse.DataFile{{Path: "part-p-e3-x.parquet", Rows: 2, Bytes: 900, Stats: "{}"}}, r.Side[0].Files)
	again, err := strictjson.Encode(r)
	require.NoError(t, err)
	require.Equal(t, string(body), string(again))
}

// The same of a record with state.
func TestRecordFormat1WithState(t *testing.T) {
	const file = "testdata/record-format-1-state.json"
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	r, err := decodeRecord(file, body)
	require.NoError(t, err)
	require.Equal(t, []Operator{
		{Name: "0:window_aggregate", Kind: "aggregate", Mode: "append",
			Keys:  []OperatorKey{{SQL: "window(ts, '10 seconds')", Type: "TIMESTAMP", Window: 10_000_000}, {SQL: "page", Type: "STRING"}},
			Calls: []OperatorCall{{SQL: "count(1)", Type: "BIGINT", Inputs: []string{}}, {SQL: "sum(amount)", Type: "DECIMAL(22,2)", Inputs: []string{"DECIMAL(12,2)"}}},
			Ends:  &Ends{Column: "k0", After: 10_000_000}},
		{Name: "1:dedup", Kind: "dedup", Keys: []OperatorKey{{SQL: "id", Type: "BIGINT"}}},
	}, r.Operators)
	again, err := strictjson.Encode(r)
	require.NoError(t, err)
	require.Equal(t, string(body), string(again))
}

func TestDamagedRecords(t *testing.T) {
	for body, want := range map[string]string{
		``:                          "is damaged",
		`{"format":2}`:              "has format 2, this program reads format 1",
		`{"format":1,"surprise":1}`: "unknown field",
		`{"format":1,"token":1,"epoch":0,"pipeline":"p"}`: "epoch 0",
	} {
		_, err := decodeRecord("records/1.json", []byte(body))
		require.ErrorContains(t, err, want)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	body, err := os.ReadFile("testdata/record-format-1.json")
	require.NoError(f, err)
	f.Add(body)
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decodeRecord("fuzz", body)
		if err != nil {
			return
		}
		again, err := strictjson.Encode(r)
		require.NoError(t, err)
		_, err = decodeRecord("fuzz", again)
		require.NoError(t, err)
	})
}
