package sqltext

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJavaFloats: digits are those of Java 17, where they are not the shortest too.
func TestJavaFloats(t *testing.T) {
	for want, v := range map[string]float64{
		"0.0": 0, "1.0": 1, "-1.5": -1.5, "0.001": 0.001, "9.9999E-4": 9.9999e-4, "9999999.0": 9999999, "1.0E7": 1e7, "1.2345678912E8": 123456789.12, "9.999999999999999E22": 1e23, "1.9999999999999998E23": 2e23,
		"8.409999999999999E21": 8.41e21, "4.9E-324": 5e-324, "1.7976931348623157E308": math.MaxFloat64, "2.1098088986959632E16": 2.109808898695963e16, "4.8726570056999995E288": 4.8726570057e288, "2.0E-5": 2e-5,
		"9.223372036854776E18": 1 << 63, "1.8446744073709552E19": 1 << 64, "NaN": math.NaN(), "-Infinity": math.Inf(-1),
	} {
		require.Equal(t, want, string(AppendFloat(nil, v, 64)))
	}
	for want, v := range map[string]float32{
		"2.14748365E9": 1 << 31, "2.68435456E8": 1 << 28, "1.6777216E7": 1 << 24, "9.0071993E15": 1 << 53, "1.4E-45": 1e-45, "2.8E-45": 3e-45, "1.17549435E-38": 0x1p-126, "3.4028235E38": math.MaxFloat32, "0.1": 0.1, "3.3554448E7": 3.355445e7,
	} {
		require.Equal(t, want, string(AppendFloat(nil, float64(v), 32)))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		v := math.Float64frombits(rng.Uint64())
		text := AppendFloat(nil, v, 64)
		again, ok := ParseFloat(text, 64)
		require.True(t, ok && (again == v || v != v), "%s", text)
		f := math.Float32frombits(rng.Uint32())
		text = AppendFloat(nil, float64(f), 32)
		again, ok = ParseFloat(text, 32)
		require.True(t, ok && (float32(again) == f || f != f), "%s", text)
	}
}

func BenchmarkAppendFloat(b *testing.B) {
	out := make([]byte, 0, 64)
	for name, v := range map[string]float64{"usual": 1234.5678, "whole": 1e15, "edge": 1e23} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out = AppendFloat(out[:0], v, 64)
			}
		})
	}
}
