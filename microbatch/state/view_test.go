package state

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
)

// A file says the types of its columns, whatever they are.
func TestTypesOfAFile(t *testing.T) {
	odd := columnar.Struct(columnar.Field{Name: "a b", Type: columnar.Int}, columnar.Field{Name: "x`y", Type: columnar.Array(columnar.Decimal(38, 10))})
	schema := &columnar.Schema{}
	for _, typ := range []columnar.Type{columnar.Null, columnar.Boolean, columnar.TinyInt, columnar.SmallInt, columnar.Int, columnar.BigInt, columnar.Float, columnar.Double, columnar.String,
		columnar.Binary, columnar.Date, columnar.Timestamp, columnar.TimestampNTZ, columnar.Decimal(12, 2), columnar.DayTimeInterval(columnar.HourUnit, columnar.SecondUnit),
		columnar.YearMonthInterval(columnar.YearUnit, columnar.YearUnit), odd, columnar.Map(columnar.String, odd)} {
		schema.Fields = append(schema.Fields, columnar.Field{Name: keyName(schema.Len()), Type: typ, Nullable: true})
	}
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields {
		cols[i] = columnar.NewNullColumn(f.Type, 1)
	}
	b := columnar.NewBatch(schema, cols, 1)
	defer b.Release()
	body, err := Encode("0:aggregate", b)
	require.NoError(t, err)
	got, err := schemaOf(body)
	require.NoError(t, err)
	require.True(t, schema.Equal(got), "%s\n%s", schema, got)
}

// times is a file of keys with an event time, in seconds, -1 for NULL.
func times(t *testing.T, seconds ...int64) []byte {
	at, valid := make([]int64, len(seconds)), make([]bool, len(seconds))
	for i, s := range seconds {
		at[i], valid[i] = s*1_000_000, s >= 0
	}
	schema := columnar.NewSchema(columnar.Field{Name: "k0", Type: columnar.Timestamp, Nullable: true})
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewTimestampColumn(at, valid)}, len(seconds))
	defer b.Release()
	body, err := Encode("0:aggregate", b)
	require.NoError(t, err)
	return body
}

var byTime = committer.Operator{Name: "0:aggregate", Kind: "aggregate", Keys: []committer.OperatorKey{{SQL: "ts", Type: "TIMESTAMP"}}, Ends: &committer.Ends{Column: "k0", After: 5_000_000}}

// What the watermark has ended is not there; what has no time never ends.
func TestViewLeavesOutWhatHasEnded(t *testing.T) {
	for watermark, want := range map[int64]Summary{
		0:      {Rows: 4, Times: "event time", Timed: true, Oldest: 1_000_000, Newest: 30_000_000},
		5_999:  {Rows: 4, Times: "event time", Timed: true, Oldest: 1_000_000, Newest: 30_000_000},
		6_000:  {Rows: 3, Times: "event time", Timed: true, Oldest: 20_000_000, Newest: 30_000_000},
		60_000: {Rows: 1, Times: "event time", Oldest: math.MaxInt64, Newest: math.MinInt64},
	} {
		v, err := NewView(byTime, [][]byte{times(t, 1, 20), times(t, 20, 30, -1)}, watermark)
		require.NoError(t, err)
		got, err := v.Summary()
		require.NoError(t, err)
		require.Equal(t, want, got, "watermark %d", watermark)
	}
}

// Files and record have to speak of the same columns.
func TestViewOfOtherFiles(t *testing.T) {
	two, elsewhere := byTime, byTime
	two.Keys = append(two.Keys, committer.OperatorKey{SQL: "k", Type: "STRING"})
	elsewhere.Ends = &committer.Ends{Column: "expires"}
	for _, op := range []committer.Operator{two, elsewhere} {
		_, err := NewView(op, [][]byte{times(t, 1)}, 0)
		require.ErrorIs(t, err, ErrDamaged)
	}
	_, err := NewView(byTime, [][]byte{[]byte("no file")}, 0)
	require.ErrorIs(t, err, ErrDamaged)
	v, err := NewView(byTime, nil, 0)
	require.NoError(t, err)
	s, err := v.Summary()
	require.NoError(t, err)
	require.Zero(t, s.Rows)
}

// Readable names are those of the query, each once; what cannot be stored is text.
func TestReadable(t *testing.T) {
	op := committer.Operator{Name: "0:window_aggregate", Kind: "aggregate",
		Keys:  []committer.OperatorKey{{SQL: "window(ts, '1 minute')", Window: 60_000_000}, {SQL: "`a b`"}, {SQL: "`a b`"}, {SQL: "ts - x"}},
		Calls: []committer.OperatorCall{{SQL: "avg(v)"}}}
	schema := columnar.NewSchema(columnar.Field{Name: "k0", Type: columnar.Timestamp}, columnar.Field{Name: "k1", Type: columnar.BigInt}, columnar.Field{Name: "k2", Type: columnar.BigInt},
		columnar.Field{Name: "k3", Type: columnar.DayTimeInterval(columnar.DayUnit, columnar.SecondUnit), Nullable: true}, columnar.Field{Name: "a0_sum", Type: columnar.BigInt}, columnar.Field{Name: "a0_count", Type: columnar.BigInt})
	one := func() columnar.Column { return columnar.NewInt64Column([]int64{7}, nil) }
	b := columnar.NewBatch(schema, []columnar.Column{columnar.NewTimestampColumn([]int64{-60_000_000}, nil), one(), one(), columnar.NewNullColumn(schema.Fields[3].Type, 1), one(), one()}, 1)
	defer b.Release()
	body, err := Encode(op.Name, b)
	require.NoError(t, err)
	v, err := NewView(op, [][]byte{body}, 0)
	require.NoError(t, err)
	r := v.Readable(func(t columnar.Type) bool { return !t.Interval() })
	require.NoError(t, v.Scan(func(rows *columnar.Batch) error {
		out := r.Rows(rows)
		defer out.Release()
		require.Equal(t, `{"window_start":"1969-12-31T23:59:00.000Z","window_end":"1970-01-01T00:00:00.000Z","a b":7,"a b#2":7,"ts - x":null,"avg(v).sum":7,"avg(v).count":7}`, string(columnar.AppendRowJSON(nil, out, 0)))
		require.Equal(t, columnar.String, out.Schema().Fields[4].Type)
		return nil
	}))
}
