package columnar_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
)

var everyType = columnar.NewSchema(
	columnar.Field{Name: "b", Type: columnar.Boolean, Nullable: true},
	columnar.Field{Name: "i8", Type: columnar.TinyInt, Nullable: true},
	columnar.Field{Name: "i16", Type: columnar.SmallInt, Nullable: true},
	columnar.Field{Name: "i32", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "i64", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "d", Type: columnar.Decimal(20, 3), Nullable: true},
	columnar.Field{Name: "f", Type: columnar.Float, Nullable: true},
	columnar.Field{Name: "x", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "y", Type: columnar.Binary, Nullable: true},
	columnar.Field{Name: "dt", Type: columnar.Date, Nullable: true},
	columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true})

var printedRows = []string{
	`{"b":true,"i8":-128,"i16":1,"i32":2,"i64":9223372036854775807,"d":"-0.050","f":0.1,"x":1e+300,"s":"a\"é","y":"00ff","dt":"2024-02-29","ts":"2024-02-29T12:34:56.789Z"}`,
	`{"b":null,"i8":null,"i16":null,"i32":null,"i64":null,"d":null,"f":null,"x":null,"s":null,"y":null,"dt":null,"ts":null}`,
	`{"b":false,"i8":0,"i16":0,"i32":0,"i64":0,"d":"12345678901234567.000","f":"NaN","x":"-Infinity","s":"","y":"","dt":"1969-12-31","ts":"1969-12-31T23:59:59.999999Z"}`,
}

func everyTypeBatch(t *testing.T, mem memory.Allocator) *columnar.Batch {
	var docs columnar.BinaryBuffer
	docs.AppendString(`{"b":true,"i8":-128,"i16":1,"i32":2,"i64":9223372036854775807,"d":-0.05,"f":0.1,"x":1e300,"s":"a\"é","y":"AP8=","dt":"2024-02-29","ts":"2024-02-29T12:34:56.789Z"}`)
	docs.AppendString(`{}`)
	docs.AppendString(`{"b":false,"i8":0,"i16":0,"i32":0,"i64":0,"d":12345678901234567,"f":"NaN","x":"-Infinity","s":"","y":"","dt":"1969-12-31","ts":"1969-12-31T23:59:59.999999Z"}`)
	in := docs.Finish()
	defer in.Release()
	b, errs, err := decode.NewJSON(everyType, mem).Decode(in)
	require.NoError(t, err)
	require.Empty(t, errs)
	return b
}

func print(b *columnar.Batch) []string {
	out := []string{}
	for i := range b.Rows() {
		out = append(out, string(columnar.AppendRowJSON(nil, b, i)))
	}
	return out
}

// TestMovesOfRows: slice, gather and concatenation keep every type, nulls included.
func TestMovesOfRows(t *testing.T) {
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	b := everyTypeBatch(t, mem)
	defer b.Release()
	require.Equal(t, printedRows, print(b))

	tail := columnar.Slice(b, 1, 3)
	defer tail.Release()
	require.Equal(t, printedRows[1:], print(tail))

	picked := columnar.GatherBatch(tail, columnar.Selection{0, 1})
	defer picked.Release()
	require.Equal(t, printedRows[1:], print(picked))

	none := columnar.GatherBatch(b, columnar.Selection{})
	defer none.Release()
	require.Empty(t, print(none))

	all, err := columnar.Concat([]*columnar.Batch{tail, none, b})
	require.NoError(t, err)
	defer all.Release()
	require.Equal(t, append(append([]string{}, printedRows[1:]...), printedRows...), print(all))
}

func TestBuildAndRead(t *testing.T) {
	c := columnar.NewInt64Column([]int64{1, 2, 3}, []bool{true, false, true})
	defer c.Release()
	require.EqualValues(t, 3, columnar.Int64At(c, 2))
	require.True(t, c.IsNull(1))
	s := columnar.NewStringConstant("ab", 2)
	defer s.Release()
	require.Equal(t, "ab", columnar.StringAt(s, 1))
	require.Equal(t, []byte("ab"), columnar.BinaryAt(s, 0))
	require.Equal(t, `null`, string(columnar.AppendValueJSON(nil, c, 1)))
}

func TestSelection(t *testing.T) {
	require.Equal(t, 4, columnar.Selection(nil).Len(4))
	require.Equal(t, 0, columnar.Selection{}.Len(4))
}
