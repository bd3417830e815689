package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
)

// newSink returns what builds columns of type t of pages of the file's type. Where the two differ, the
// value must stay the same: narrow integers and floats may become wider ones, timestamps of any unit become microseconds.
func newSink(t columnar.Type, from parquet.Type) (sink, error) {
	if neverHasValues(from) {
		return nullsOnly{sinkOf(t, from)}, nil
	}
	has, err := typeOf(from)
	if err != nil {
		return nil, err
	}
	if !readable(t, has, from) {
		return nil, fmt.Errorf("it is %s here, and %s in the file", t, has)
	}
	return sinkOf(t, from), nil
}

// neverHasValues reports whether a column has the type NULL, as that of a writer who saw no value and knew no type.
func neverHasValues(t parquet.Type) bool {
	l := t.LogicalType()
	if l == nil {
		return false
	}
	_, ok := l.Value.(*format.NullType)
	return ok
}

// nullsOnly is a sink that is given no values.
type nullsOnly struct{ sink }

func (n nullsOnly) dictionary(_ encoding.Values, values int) error {
	return n.page(encoding.Values{}, values)
}
func (n nullsOnly) ids(_ []int32, values int) error { return n.page(encoding.Values{}, values) }

func (nullsOnly) page(_ encoding.Values, values int) error {
	if values > 0 {
		return fmt.Errorf("%w: %d values of the type NULL", ErrDamaged, values)
	}
	return nil
}

func sinkOf(t columnar.Type, from parquet.Type) sink {
	switch t.Kind {
	case columnar.BooleanKind:
		return &fixed[bool]{typ: t, decode: unpackBits, pack: packBits}
	case columnar.TinyIntKind:
		return &fixed[int8]{typ: t, decode: narrow[int8], pack: arrow.Int8Traits.CastToBytes}
	case columnar.SmallIntKind:
		return &fixed[int16]{typ: t, decode: narrow[int16], pack: arrow.Int16Traits.CastToBytes}
	case columnar.IntKind, columnar.DateKind:
		return &fixed[int32]{typ: t, decode: ints, pack: arrow.Int32Traits.CastToBytes}
	case columnar.BigIntKind:
		return &fixed[int64]{typ: t, decode: longs(from), pack: arrow.Int64Traits.CastToBytes}
	case columnar.FloatKind:
		return &fixed[float32]{typ: t, decode: floats, pack: arrow.Float32Traits.CastToBytes}
	case columnar.DoubleKind:
		return &fixed[float64]{typ: t, decode: doubles, pack: arrow.Float64Traits.CastToBytes}
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		return &fixed[int64]{typ: t, decode: micros(from), pack: arrow.Int64Traits.CastToBytes}
	case columnar.DecimalKind:
		return &fixed[decimal128.Num]{typ: t, decode: decimals, pack: arrow.Decimal128Traits.CastToBytes}
	default:
		return &texts{typ: t}
	}
}

// readable reports whether values of the file's type, which is has to Spark, have an exact place in t.
func readable(t, has columnar.Type, from parquet.Type) bool {
	switch {
	case t.Kind == columnar.DecimalKind:
		return has.Kind == columnar.DecimalKind && has.Scale == t.Scale && has.Precision <= t.Precision
	case t.Kind == columnar.BinaryKind:
		return has.Kind == columnar.StringKind || has.Kind == columnar.BinaryKind
	case t.Kind == columnar.StringKind: // old writers do not mark text
		return has.Kind == columnar.StringKind || has.Kind == columnar.BinaryKind && from.Kind() == parquet.ByteArray
	case t.Integral():
		return has.Integral() && has.Kind <= t.Kind
	case t.Kind == columnar.TimestampKind: // of no zone means UTC; the other way round, a zone would be dropped
		return has.Kind == columnar.TimestampKind || has.Kind == columnar.TimestampNTZKind
	case t.Kind == columnar.DoubleKind:
		return has.Kind == columnar.DoubleKind || has.Kind == columnar.FloatKind
	}
	return has == t
}

func unpackBits(v encoding.Values, n int, scratch []bool) ([]bool, error) {
	bits := v.Boolean()
	out := grow(scratch, min(n, 8*len(bits)))
	for i := range out {
		out[i] = bitutil.BitIsSet(bits, i)
	}
	return out, nil
}

func packBits(values []bool) []byte {
	out := make([]byte, bitutil.BytesForBits(int64(len(values))))
	for i, v := range values {
		if v {
			bitutil.SetBit(out, i)
		}
	}
	return out
}

func ints(v encoding.Values, _ int, _ []int32) ([]int32, error)         { return v.Int32(), nil }
func floats(v encoding.Values, _ int, _ []float32) ([]float32, error)   { return v.Float(), nil }
func longsOfLongs(v encoding.Values, _ int, _ []int64) ([]int64, error) { return v.Int64(), nil }

func narrow[T int8 | int16](v encoding.Values, _ int, scratch []T) ([]T, error) {
	values := v.Int32()
	out := grow(scratch, len(values))
	for i, x := range values {
		out[i] = T(x)
	}
	return out, nil
}

// longs takes INT64 as it is and widens INT32, which without a sign holds more than an int32.
func longs(from parquet.Type) decoder[int64] {
	if from.Kind() == parquet.Int64 {
		return longsOfLongs
	}
	mask := int64(-1)
	if l := from.LogicalType(); l != nil {
		if i, ok := l.Value.(*format.IntType); ok && !i.IsSigned {
			mask = 1<<32 - 1
		}
	}
	return func(v encoding.Values, _ int, scratch []int64) ([]int64, error) {
		values := v.Int32()
		out := grow(scratch, len(values))
		for i, x := range values {
			out[i] = int64(x) & mask
		}
		return out, nil
	}
}

func doubles(v encoding.Values, _ int, scratch []float64) ([]float64, error) {
	if v.Kind() == encoding.Double {
		return v.Double(), nil
	}
	values := v.Float()
	out := grow(scratch, len(values))
	for i, x := range values {
		out[i] = float64(x)
	}
	return out, nil
}

var errFarTime = errors.New("a timestamp in milliseconds is too far away for microseconds")

// micros converts timestamps of any unit, and the old INT96, to microseconds; what is below is cut off towards the past.
func micros(from parquet.Type) decoder[int64] {
	if from.Kind() == parquet.Int96 {
		return microsOfInt96
	}
	multiply, divide := timestampUnit(from)
	if multiply == 1 && divide == 1 {
		return longsOfLongs
	}
	return func(v encoding.Values, _ int, scratch []int64) ([]int64, error) {
		values := v.Int64()
		out := grow(scratch, len(values))
		for i, x := range values {
			if x > math.MaxInt64/multiply || x < math.MinInt64/multiply {
				return nil, errFarTime
			}
			out[i] = floorDiv(x*multiply, divide)
		}
		return out, nil
	}
}

// timestampUnit is what makes microseconds of a unit.
func timestampUnit(from parquet.Type) (multiply, divide int64) {
	if l := from.LogicalType(); l != nil {
		if ts, ok := l.Value.(*format.TimestampType); ok {
			switch ts.Unit.Value.(type) {
			case *format.MilliSeconds:
				return 1000, 1
			case *format.NanoSeconds:
				return 1, 1000
			}
		}
	}
	return 1, 1
}

func microsOfInt96(v encoding.Values, _ int, scratch []int64) ([]int64, error) {
	values := v.Int96()
	out := grow(scratch, len(values))
	for i, x := range values {
		out[i] = int96Micros(x)
	}
	return out, nil
}

// int96Micros reads nanoseconds of a day and a Julian day.
func int96Micros(v deprecated.Int96) int64 {
	const julianEpoch = 2440588
	return (int64(v[2])-julianEpoch)*86400_000000 + int64(uint64(v[1])<<32|uint64(v[0]))/1000
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func decimals(v encoding.Values, n int, scratch []decimal128.Num) ([]decimal128.Num, error) {
	switch v.Kind() {
	case encoding.Int32:
		return decimalsOfInts(v.Int32(), scratch), nil
	case encoding.Int64:
		return decimalsOfInts(v.Int64(), scratch), nil
	}
	values, err := variableOf(v, n)
	if err != nil {
		return nil, err
	}
	out := grow(scratch, n)
	for i := range out {
		out[i] = bigEndian(values.at(int32(i)))
	}
	return out, nil
}

func decimalsOfInts[T int32 | int64](values []T, scratch []decimal128.Num) []decimal128.Num {
	out := grow(scratch, len(values))
	for i, x := range values {
		out[i] = decimal128.FromI64(int64(x))
	}
	return out
}

// bigEndian reads a number in two's complement. Bytes above the lowest 16 only repeat the sign in what a DECIMAL can hold.
func bigEndian(b []byte) decimal128.Num {
	var wide [16]byte
	if len(b) > 0 && b[0] >= 0x80 {
		for i := range wide {
			wide[i] = 0xff
		}
	}
	if len(b) > len(wide) {
		b = b[len(b)-len(wide):]
	}
	copy(wide[len(wide)-len(b):], b)
	return decimal128.New(int64(binary.BigEndian.Uint64(wide[:8])), binary.BigEndian.Uint64(wide[8:]))
}
