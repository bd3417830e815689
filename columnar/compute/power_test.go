package compute

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPower compares whole powers with exact ones, and has the edges of the standard library.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		x, n := math.Ldexp(r.Float64()+0.5, r.IntN(8)-4), r.IntN(120)
		exact := new(big.Float).SetPrec(2000).SetInt64(1)
		for range n {
			exact.Mul(exact, new(big.Float).SetPrec(2000).SetFloat64(x))
		}
		want, _ := exact.Float64()
		require.Equal(t, want, power(x, float64(n)), "%v^%d", x, n)
		require.InEpsilon(t, math.Pow(x, 0.3+float64(n)), power(x, 0.3+float64(n)), 1e-13)
	}
	require.Equal(t, 1e300, power(10, 300))
	require.InEpsilon(t, 2.7182804690957534, power(1.000001, 1_000_000), 1e-15)
	require.Equal(t, -8.0, power(-2, 3))
	require.Equal(t, math.Inf(1), power(10, 400))
	require.Equal(t, 0.0, power(10, -400))
	require.Equal(t, 5e-324, power(2, -1074))
	require.True(t, math.IsNaN(power(-8, 1.0/3)))
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
		for _, y := range []float64{0, 1, -1, 0.5, 2, 3, math.Inf(1), math.Inf(-1), math.NaN()} {
			got, want := power(x, y), math.Pow(x, y)
			require.True(t, got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want, "%v^%v: %v, not %v", x, y, got, want)
		}
	}
}
