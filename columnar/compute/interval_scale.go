package compute

import (
	"math"
	"math/big"

	"github.com/lakewheel/lakewheel/columnar"
)

var (
	errIntervalByZero   = &EvalError{"INTERVAL_DIVIDED_BY_ZERO", "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."}
	errQuotientOverflow = &EvalError{"INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "Interval value overflows after being divided by -1. Use `try_divide` to tolerate overflow and return NULL instead."}
	errIntervalOverflow = &EvalError{"INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", "overflow while operating with intervals."}
)

// bindScaled binds interval * number and interval / number; both round half away from zero.
func bindScaled(op string, l, r Expr) (Expr, bool, error) {
	lt := l.Type()
	if !lt.Interval() {
		return nil, false, nil
	}
	name := map[string]string{"*": "multiply", "/": "divide"}[op] + map[bool]string{true: "_dtinterval", false: "_yminterval"}[isDayTime(lt)]
	number, err := numericParameter(name, 1, r)
	if err != nil {
		return nil, true, err
	}
	t := daySecond
	if isYearMonth(lt) {
		t = yearMonth
	}
	return &call{name: op, args: []Expr{l, number}, typ: t, run: scaleKernel(op, number.Type(), t)}, true, nil
}

func scaleKernel(op string, number, t columnar.Type) kernel {
	one := scaleInteger(op)
	switch {
	case isDecimal(number):
		one = scaleDecimal(op, number)
	case isFloating(number):
		one = scaleFloat(op)
	}
	return func(f *frame) {
		read, factor := wideIntegers(f.args[0]), one(f.args[1])
		for _, i := range f.rows {
			v, err := factor(read(i), i)
			switch {
			case err != nil:
				f.fail(i, err)
			case isDayTime(t):
				slice[int64](f.out)[i] = v
			case v == 1<<31 && op == "/":
				f.fail(i, errQuotientOverflow)
			case v != int64(int32(v)):
				f.fail(i, errIntervalOverflow)
			default:
				slice[int32](f.out)[i] = int32(v)
			}
		}
	}
}

// A scaler multiplies or divides by the value of a row.
type scaler func(v int64, row int32) (int64, error)

func scaleInteger(op string) func(*vector) scaler {
	return func(n *vector) scaler {
		read := integers(n)
		if op == "*" {
			return func(v int64, row int32) (int64, error) {
				by := read(row)
				product := v * by
				if v != 0 && (product/v != by || v == -1 && by == math.MinInt64) {
					return 0, errIntervalOverflow
				}
				return product, nil
			}
		}
		return func(v int64, row int32) (int64, error) { return dividedRounded(v, read(row)) }
	}
}

// integers reads the values of any integral type.
func integers(v *vector) func(row int32) int64 {
	m := v.mask()
	switch v.typ.Kind {
	case columnar.TinyIntKind:
		in := slice[int8](v)
		return func(i int32) int64 { return int64(in[i&m]) }
	case columnar.SmallIntKind:
		in := slice[int16](v)
		return func(i int32) int64 { return int64(in[i&m]) }
	}
	return wideIntegers(v)
}

func dividedRounded(a, b int64) (int64, error) {
	if b == 0 {
		return 0, errIntervalByZero
	}
	if a == math.MinInt64 && b == -1 {
		return 0, errQuotientOverflow
	}
	q, r := a/b, a%b
	if r == 0 {
		return q, nil
	}
	if twice, size := absolute(r), absolute(b); twice >= size-twice {
		if (a < 0) == (b < 0) {
			return q + 1, nil
		}
		return q - 1, nil
	}
	return q, nil
}

func absolute(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func scaleDecimal(op string, t columnar.Type) func(*vector) scaler {
	ten := tenTo(int(t.Scale))
	return func(n *vector) scaler {
		in, m := slice[decimalValue](n), n.mask()
		return func(v int64, row int32) (int64, error) {
			by, whole := in[row&m].BigInt(), big.NewInt(v)
			if op == "*" {
				whole = roundedQuotient(whole.Mul(whole, by), ten)
			} else {
				if by.Sign() == 0 {
					return 0, errIntervalByZero
				}
				whole = roundedQuotient(whole.Mul(whole, ten), by)
			}
			if !whole.IsInt64() {
				return 0, errIntervalOverflow
			}
			return whole.Int64(), nil
		}
	}
}

func scaleFloat(op string) func(*vector) scaler {
	return func(n *vector) scaler {
		read := floats(n)
		return func(v int64, row int32) (int64, error) {
			by := read(row)
			if op == "*" {
				return roundedFloat(float64(v) * by)
			}
			if by == 0 {
				return 0, errIntervalByZero
			}
			return roundedFloat(float64(v) / by)
		}
	}
}

func floats(v *vector) func(row int32) float64 {
	m := v.mask()
	if v.typ == columnar.Float {
		in := slice[float32](v)
		return func(i int32) float64 { return float64(in[i&m]) }
	}
	in := slice[float64](v)
	return func(i int32) float64 { return in[i&m] }
}

func roundedFloat(x float64) (int64, error) {
	if x = math.Round(x); !(x >= -1<<63 && x < 1<<63) {
		return 0, errIntervalOverflow
	}
	return int64(x), nil
}
