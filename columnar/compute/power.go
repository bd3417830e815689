package compute

import "math"

// power is x to the power of y, right to the last digit or next to it: the standard
// library's error grows with y. The whole part of y multiplies in twice the precision.
func power(x, y float64) float64 {
	switch {
	case y == 0.5 && x > 0 && !math.IsInf(x, 0):
		return math.Sqrt(x)
	case x == 0 || x == 1 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || x != x || y != y || math.Abs(y) >= 1<<40:
		return math.Pow(x, y)
	}
	whole := math.Round(y)
	rest := y - whole
	if x < 0 && rest != 0 {
		return math.Pow(x, y)
	}
	p := wholePower(math.Abs(x), uint64(math.Abs(whole)))
	if whole < 0 {
		p = p.inverse()
	}
	if rest != 0 {
		p = p.times(fractionPower(math.Abs(x), rest))
	}
	v := math.Ldexp(p.high+p.low, int(max(min(p.exponent, 1<<20), -1<<20)))
	if x < 0 && math.Mod(whole, 2) != 0 {
		return -v
	}
	return v
}

// wide is (high + low) * 2^exponent, with high from 0.5 up to 1.
type wide struct {
	high, low float64
	exponent  int64
}

func (a wide) times(b wide) wide {
	high := a.high * b.high
	low := math.FMA(a.high, b.high, -high) + a.high*b.low + a.low*b.high
	return normal(high, low, a.exponent+b.exponent)
}

func (a wide) inverse() wide {
	q := 1 / a.high
	low := (math.FMA(-q, a.high, 1) - q*a.low) / a.high
	return normal(q, low, -a.exponent)
}

func normal(high, low float64, exponent int64) wide {
	sum := high + low
	low = low - (sum - high)
	frac, e := math.Frexp(sum)
	return wide{frac, math.Ldexp(low, -e), exponent + int64(e)}
}

// wholePower multiplies by squaring.
func wholePower(x float64, n uint64) wide {
	p := wide{0.5, 0, 1}
	for b := normal(x, 0, 0); n > 0; n >>= 1 {
		if n&1 != 0 {
			p = p.times(b)
		}
		b = b.times(b)
	}
	return p
}

// fractionPower is x to the power of y from -0.5 to 0.5: the exponent of x apart from its
// digits, so that little is left for exp.
func fractionPower(x, y float64) wide {
	digits, e := math.Frexp(x)
	whole := math.Round(float64(e) * y)
	rest := math.FMA(float64(e), y, -whole)
	return normal(math.Exp(y*math.Log(digits)+rest*math.Ln2), 0, int64(whole))
}
