package parquetfile

import (
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// Repeat returns a column of n times the same value: a bool, an int64 (integers, days, microseconds), a float64, a *big.Int (the
// unscaled DECIMAL) or a string (texts and bytes), as the type asks.
func Repeat(t columnar.Type, value any, n int) columnar.Column {
	all := &validity{rows: n}
	switch v := value.(type) {
	case bool:
		return all.wrap(t, packBits(slices.Repeat([]bool{v}, n)))
	case int64:
		return all.wrap(t, repeatInteger(t, v, n))
	case float64:
		if t.Kind == columnar.FloatKind {
			return all.wrap(t, arrow.Float32Traits.CastToBytes(slices.Repeat([]float32{float32(v)}, n)))
		}
		return all.wrap(t, arrow.Float64Traits.CastToBytes(slices.Repeat([]float64{v}, n)))
	case *big.Int:
		return all.wrap(t, arrow.Decimal128Traits.CastToBytes(slices.Repeat([]decimal128.Num{decimal128.FromBigInt(v)}, n)))
	}
	text := value.(string)
	ends := make([]int32, n+1)
	for i := range ends {
		ends[i] = int32(i * len(text))
	}
	return all.wrap(t, arrow.Int32Traits.CastToBytes(ends), slices.Repeat([]byte(text), n))
}

func repeatInteger(t columnar.Type, v int64, n int) []byte {
	switch t.Kind {
	case columnar.TinyIntKind:
		return arrow.Int8Traits.CastToBytes(slices.Repeat([]int8{int8(v)}, n))
	case columnar.SmallIntKind:
		return arrow.Int16Traits.CastToBytes(slices.Repeat([]int16{int16(v)}, n))
	case columnar.IntKind, columnar.DateKind:
		return arrow.Int32Traits.CastToBytes(slices.Repeat([]int32{int32(v)}, n))
	}
	return arrow.Int64Traits.CastToBytes(slices.Repeat([]int64{v}, n))
}
