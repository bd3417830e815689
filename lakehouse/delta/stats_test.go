package delta

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// How a bound stands in the statistics, below and above; "" where there is none.
func TestBounds(t *testing.T) {
	text := func(s string) parquet.Value { return parquet.ByteArrayValue([]byte(s)) }
	long, last := strings.Repeat("é", 33), "\U0010ffff"
	for name, c := range map[string]struct {
		t            columnar.Type
		v            parquet.Value
		lower, upper string
	}{
		"byte":                     {columnar.TinyInt, parquet.Int32Value(-5), "-5", "-5"},
		"long":                     {columnar.BigInt, parquet.Int64Value(math.MinInt64), "-9223372036854775808", "-9223372036854775808"},
		"float":                    {columnar.Float, parquet.FloatValue(0.1), "0.1", "0.1"},
		"double":                   {columnar.Double, parquet.DoubleValue(1e300), "1e+300", "1e+300"},
		"negative zero":            {columnar.Double, parquet.DoubleValue(math.Copysign(0, -1)), "0", "0"},
		"infinite":                 {columnar.Double, parquet.DoubleValue(math.Inf(1)), "", ""},
		"decimal of 9":             {columnar.Decimal(9, 2), parquet.Int32Value(-5), "-0.05", "-0.05"},
		"decimal of 18":            {columnar.Decimal(18, 0), parquet.Int64Value(12), "12", "12"},
		"decimal of 38":            {columnar.Decimal(38, 2), parquet.FixedLenByteArrayValue([]byte{0xff, 0xfe}), "-0.02", "-0.02"},
		"date":                     {columnar.Date, parquet.Int32Value(-1), `"1969-12-31"`, `"1969-12-31"`},
		"date without four digits": {columnar.Date, parquet.Int32Value(math.MaxInt32), "", ""},
		"whole millisecond":        {columnar.Timestamp, parquet.Int64Value(1_000), `"1970-01-01T00:00:00.001Z"`, `"1970-01-01T00:00:00.001Z"`},
		"microsecond":              {columnar.Timestamp, parquet.Int64Value(1_001), `"1970-01-01T00:00:00.001Z"`, `"1970-01-01T00:00:00.002Z"`},
		"before 1970":              {columnar.Timestamp, parquet.Int64Value(-1), `"1969-12-31T23:59:59.999Z"`, `"1970-01-01T00:00:00.000Z"`},
		"year 10000":               {columnar.Timestamp, parquet.Int64Value(253402300800_000000), "", ""},
		"text":                     {columnar.String, text("a\"<"), `"a\"\u003c"`, `"a\"\u003c"`},
		"32 characters":            {columnar.String, text(long[:64]), `"` + long[:64] + `"`, `"` + long[:64] + `"`},
		"33 characters":            {columnar.String, text(long), `"` + long[:64] + `"`, `"` + long[:62] + `ê"`},
		"nothing above":            {columnar.String, text(strings.Repeat(last, 33)), `"` + strings.Repeat(last, 32) + `"`, ""},
		"not UTF-8":                {columnar.String, text("a\xff"), "", ""},
		"binary":                   {columnar.Binary, text("a"), "", ""},
		"boolean":                  {columnar.Boolean, parquet.BooleanValue(true), "true", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			for upper, want := range map[bool]string{false: c.lower, true: c.upper} {
				got, ok := bound(c.t, c.v, upper)
				require.Equal(t, want != "", ok)
				require.Equal(t, want, string(got))
			}
		})
	}
}

// A column with NaN has no bounds: Spark takes NaN for the largest number, other readers do not.
func TestStatsText(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt}, columnar.Field{Name: "d", Type: columnar.Double}, columnar.Field{Name: "all null", Type: columnar.Int})
	got, err := encodeStats(schema, parquetfile.File{Rows: 3, Stats: []parquetfile.Stats{
		{Rows: 3, Min: parquet.Int64Value(1), Max: parquet.Int64Value(2), Bounded: true},
		{Rows: 3, Nulls: 1, Min: parquet.DoubleValue(1), Max: parquet.DoubleValue(2), Bounded: true, NaN: true},
		{Rows: 3, Nulls: 3},
	}}, defaultStats)
	require.NoError(t, err)
	require.Equal(t, `{"numRecords":3,"minValues":{"n":1},"maxValues":{"n":2},"nullCount":{"all null":3,"d":1,"n":0}}`, got)
}

// A STRUCT is an object in each map; what is in ARRAYs and MAPs has none, but its leaves are passed.
func TestNestedStats(t *testing.T) {
	point := columnar.Struct(columnar.Field{Name: "x", Type: columnar.Int}, columnar.Field{Name: "tags", Type: columnar.Array(columnar.String)}, columnar.Field{Name: "at", Type: columnar.TimestampNTZ})
	schema := columnar.NewSchema(columnar.Field{Name: "m", Type: columnar.Map(columnar.String, point)}, columnar.Field{Name: "p", Type: point}, columnar.Field{Name: "n", Type: columnar.BigInt})
	elements := parquetfile.Stats{Rows: 9, Nulls: 2}
	got, err := encodeStats(schema, parquetfile.File{Rows: 3, Stats: []parquetfile.Stats{
		elements, elements, elements, elements,
		{Rows: 3, Nulls: 1, Min: parquet.Int32Value(-1), Max: parquet.Int32Value(2), Bounded: true}, elements,
		{Rows: 3, Min: parquet.Int64Value(1), Max: parquet.Int64Value(1001), Bounded: true},
		{Rows: 3, Nulls: 3},
	}}, defaultStats)
	require.NoError(t, err)
	require.Equal(t, `{"numRecords":3,"minValues":{"p":{"at":"1970-01-01T00:00:00.000","x":-1}},"maxValues":{"p":{"at":"1970-01-01T00:00:00.002","x":2}},"nullCount":{"n":3,"p":{"at":0,"x":1}}}`, got)
}

// Which columns have statistics: the first 32, unless the table says otherwise.
func TestStatsRule(t *testing.T) {
	s := &columnar.Schema{}
	for i := range 40 {
		s.Fields = append(s.Fields, columnar.Field{Name: fmt.Sprint("c", i), Type: columnar.Int})
	}
	s.Fields = append(s.Fields, columnar.Field{Name: "s", Type: columnar.Struct(field("x", columnar.Int), field("d.e", columnar.Int))})
	for name, c := range map[string]struct {
		properties map[string]string
		want       []string
	}{
		"two":      {map[string]string{"delta.dataSkippingNumIndexedCols": "2"}, []string{"c0", "c1"}},
		"none":     {map[string]string{"delta.dataSkippingNumIndexedCols": "0"}, nil},
		"named":    {map[string]string{"delta.dataSkippingStatsColumns": "c1, C30,`s`.`d.e`", "delta.dataSkippingNumIndexedCols": "5"}, []string{"c1", "c30", "s"}},
		"a STRUCT": {map[string]string{"delta.dataSkippingStatsColumns": "s"}, []string{"s"}},
		"no name":  {map[string]string{"delta.dataSkippingStatsColumns": ""}, nil},
	} {
		text, err := encodeStats(s, parquetfile.File{Stats: make([]parquetfile.Stats, 42)}, statsRuleOf(c.properties))
		require.NoError(t, err)
		var got fileStats
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, c.want, slices.Sorted(maps.Keys(got.NullCount)), name)
	}
	for want, properties := range map[int]map[string]string{32: nil, 41: {"delta.dataSkippingNumIndexedCols": "-1"}} {
		text, err := encodeStats(s, parquetfile.File{Stats: make([]parquetfile.Stats, 42)}, statsRuleOf(properties))
		require.NoError(t, err)
		var got fileStats
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Len(t, got.NullCount, want)
	}
}

func TestTargetFileSize(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "1000": 1000, "128mb": 128 << 20, "1 GB": 1 << 30, "2k": 2048, "-5": 0, "x": 0, "9999999999gb": 0, "5bb": 0} {
		require.Equal(t, want, targetFileSize(map[string]string{"delta.targetFileSize": text}), text)
	}
}
