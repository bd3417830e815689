package partition

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
)

// Value reads a partition value of a type that is not nested: a bool, int64, float64, *big.Int (unscaled), or string, as parquetfile.Repeat takes it.
func Value(t columnar.Type, text string) (any, error) {
	switch t.Kind {
	case columnar.BooleanKind:
		return strconv.ParseBool(text)
	case columnar.TinyIntKind, columnar.SmallIntKind, columnar.IntKind, columnar.BigIntKind:
		bits := map[columnar.Kind]int{columnar.TinyIntKind: 8, columnar.SmallIntKind: 16, columnar.IntKind: 32, columnar.BigIntKind: 64}
		return strconv.ParseInt(text, 10, bits[t.Kind])
	case columnar.FloatKind, columnar.DoubleKind:
		return strconv.ParseFloat(text, 64)
	case columnar.DecimalKind:
		return decimal(t, text)
	case columnar.DateKind:
		d, err := time.Parse("2006-01-02", text)
		return d.Unix() / 86400, err
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		return Timestamp(text)
	case columnar.BinaryKind:
		return binary(text)
	}
	return text, nil
}

func decimal(t columnar.Type, text string) (any, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "eE/") {
		return nil, strconv.ErrSyntax
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
	if r.Mul(r, new(big.Rat).SetInt(scale)); !r.IsInt() || len(new(big.Int).Abs(r.Num()).String()) > int(t.Precision) {
		return nil, strconv.ErrRange
	}
	return r.Num(), nil
}

// Timestamp reads both forms that Delta has, without a zone in UTC, as microseconds since 1970.
func Timestamp(text string) (int64, error) {
	ts, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		ts, err = time.Parse(time.RFC3339, text)
	}
	return ts.UnixMicro(), err
}

// binary reads bytes that are spelled as the characters U+0000 to U+00FF.
func binary(text string) (any, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, strconv.ErrRange
		}
		out = append(out, byte(r))
	}
	return string(out), nil
}
