package committer

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// Every start, by what it finds.
func TestResolve(t *testing.T) {
	ours := map[string]lakehouse.Txn{"lakewheel/p": {Batch: 7, Token: 99}}
	old := map[string]lakehouse.Txn{"lakewheel/old": {Batch: 7, Token: 99}}
	record := &Record{Token: 99, LastBatch: 7, Epoch: 3, Pipeline: "p"}
	restored := &lakehouse.Entry{Version: 12, Operation: "RESTORE"}
	for name, c := range map[string]struct {
		facts Facts
		kind  Kind
		err   error
		says  string
	}{
		"no table":                         {Facts{Version: -1}, Fresh, nil, ""},
		"an empty table":                   {Facts{Version: 3, Live: 0}, Fresh, nil, ""},
		"a table with rows":                {Facts{Version: 3, Live: 2}, Refuse, ErrRefused, "it holds no pipeline's commits"},
		"a table whose files are not read": {Facts{Version: 3, Live: -1}, Refuse, ErrRefused, "sink.existing: append"},
		"a table with rows, accepted":      {Facts{Version: 3, Live: 2, Append: true}, Fresh, nil, ""},
		"a misspelt name":                  {Facts{Version: 3, Live: 2, Apps: old}, Refuse, ErrRefused, "it holds commits of old"},
		"an emptied table of another":      {Facts{Version: 3, Live: 0, Apps: old}, Refuse, ErrRefused, "it holds commits of old"},
		"our own":                          {Facts{Version: 3, Live: 2, Apps: ours, Record: record}, Continue, nil, ""},
		"our record is gone":               {Facts{Version: 3, Live: 2, Apps: ours}, Refuse, ErrPositionLost, "record 99 of batch 7"},
		"our record is damaged":            {Facts{Version: 3, Live: 2, Apps: ours, RecordErr: errors.New("bad byte")}, Refuse, ErrPositionLost, "bad byte"},
		"a record of another batch":        {Facts{Version: 3, Live: 2, Apps: ours, Record: &Record{Token: 99, LastBatch: 6}}, Refuse, ErrPositionLost, "speaks of batch 6"},
		"renamed since":                    {Facts{Version: 3, Live: 2, Apps: ours, Record: record, Successor: "new"}, Refuse, ErrRefused, "goes on as new"},
		"restored since":                   {Facts{Version: 12, Live: 2, Apps: ours, Record: record, Taken: restored}, Refuse, ErrPositionLost, "version 12"},
		"restored since, accepted":         {Facts{Version: 12, Live: 2, Apps: ours, Record: record, Taken: restored, AcceptLoss: true}, Continue, nil, ""},
		"our txn is gone":                  {Facts{Version: 3, Live: 2, Proof: 5}, Refuse, ErrPositionLost, "record 5 proves an earlier commit"},
		"our table is gone":                {Facts{Version: -1, Proof: 5}, Refuse, ErrPositionLost, "--accept-loss"},
		"files without a log":              {Facts{Version: -1, Occupied: "x.parquet"}, Refuse, ErrRefused, "holds x.parquet; to add to it say sink.existing: append"},
		"files without a log, append":      {Facts{Version: -1, Occupied: "x.parquet", Append: true}, Fresh, nil, ""},
		"our table is gone, accepted":      {Facts{Version: -1, Proof: 5, AcceptLoss: true}, Fresh, nil, ""},
		"renamed":                          {Facts{Version: 3, Live: 2, Previous: "old", Apps: old, Record: record}, Continue, nil, ""},
		"renamed, and committed since":     {Facts{Version: 3, Live: 2, Previous: "old", Apps: map[string]lakehouse.Txn{"lakewheel/p": {Batch: 7, Token: 99}, "lakewheel/old": {Batch: 5, Token: 1}}, Record: record}, Continue, nil, ""},
		"renamed from a name not there":    {Facts{Version: 3, Live: 2, Previous: "odl", Apps: old}, Refuse, ErrRefused, "previous_name is odl"},
		"renamed, its record is gone":      {Facts{Version: 3, Live: 2, Previous: "old", Apps: old}, Refuse, ErrPositionLost, "of pipeline old"},
	} {
		t.Run(name, func(t *testing.T) {
			c.facts.Name, c.facts.Table = "p", "/lake/t"
			d := Resolve(c.facts)
			require.Equal(t, c.kind, d.Kind)
			require.Equal(t, c.kind == Continue, d.Record != nil)
			if c.err == nil {
				require.NoError(t, d.Err)
				return
			}
			require.ErrorIs(t, d.Err, c.err)
			require.ErrorContains(t, d.Err, c.says)
		})
	}
}

func TestJudge(t *testing.T) {
	ours := map[string]lakehouse.Txn{"lakewheel/p": {Batch: 1, Token: 5}}
	require.Equal(t, own, judge(lakehouse.Entry{Txns: ours}, "lakewheel/p", 5))
	require.Equal(t, fenced, judge(lakehouse.Entry{Txns: ours}, "lakewheel/p", 6))
	require.Equal(t, foreign, judge(lakehouse.Entry{Txns: ours}, "lakewheel/q", 5))
}

// A DELETE is a wish about rows; these put the table elsewhere.
func TestTakesRows(t *testing.T) {
	removes := []string{"a"}
	for want, entries := range map[bool][]lakehouse.Entry{
		true:  {{Operation: "RESTORE"}, {Operation: "CREATE OR REPLACE TABLE"}, {Operation: "REPLACE TABLE"}, {Operation: "WRITE", Mode: "Overwrite", Removes: removes, DataChange: true}},
		false: {{Operation: "WRITE", Mode: "Append"}, {Operation: "DELETE", Removes: removes, DataChange: true}, {Operation: "OPTIMIZE", Removes: removes}, {Operation: "MERGE", Removes: removes, DataChange: true}},
	} {
		for _, e := range entries {
			require.Equal(t, want, takesRows(e), e.Operation)
		}
	}
}
