package compute

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// Cast converts e to a type by the rules of Spark 4 in ANSI mode: a value that does not fit fails its row, or is NULL with try (TRY_CAST).
func Cast(e Expr, to columnar.Type, try bool) (Expr, error) {
	from := e.Type()
	if !castable(from, to) {
		return nil, mismatch("CAST_WITHOUT_SUGGESTION", "cannot cast %s of type %s to %s.", e, from, to)
	}
	return newCast(e, to, try), nil
}

func castable(from, to columnar.Type) bool {
	switch {
	case from == to, from == columnar.Null, from == columnar.String, to == columnar.String:
		return to != columnar.Null
	case from.Numeric() && to.Numeric(), datetime(from) && datetime(to):
		return true
	case from == columnar.Boolean:
		return to.Numeric()
	case to == columnar.Boolean:
		return from.Numeric()
	case from == columnar.Timestamp:
		return to.Numeric()
	case to == columnar.Timestamp:
		return from.Numeric()
	case to == columnar.Binary:
		return from.Integral()
	}
	return false
}

func newCast(e Expr, to columnar.Type, try bool) Expr {
	from := e.Type()
	if from == columnar.Null {
		return typedNull(to)
	}
	if from == to {
		return e
	}
	name := "CAST"
	if try {
		name = "TRY_CAST"
	}
	return &call{name: "cast", args: []Expr{e}, typ: to, nullable: try, run: castKernel(from, to, try),
		text: func(a []Expr) string { return name + "(" + a[0].String() + " AS " + to.String() + ")" }}
}

// castKernel converts row by row; the pair of types is looked at once.
func castKernel(from, to columnar.Type, try bool) kernel {
	convert := converter(from, to)
	return func(ev *Evaluator, out *vector, in []*vector, rows []int32) {
		for _, r := range rows {
			if err := convert(out, r, in[0], r&in[0].mask); err != nil {
				if try {
					out.setNull(r, ev.n)
				} else {
					ev.reject(out, r, err)
				}
			}
		}
	}
}

// convert writes row r of out from position at of in.
type convert func(out *vector, r int32, in *vector, at int32) error

func converter(from, to columnar.Type) convert {
	switch {
	case from == to:
		return func(out *vector, r int32, in *vector, at int32) error { copyAt(out, r, in, at); return nil }
	case to == columnar.String:
		return func(out *vector, r int32, in *vector, at int32) error { out.texts[r] = textAt(in, at); return nil }
	case from == columnar.String:
		return fromText(to)
	case to == columnar.Boolean:
		return toBoolean(from)
	case to == columnar.Timestamp || to == columnar.Date:
		return toTime(from, to)
	case to == columnar.Binary:
		return toBinary(from)
	case isDecimal(to):
		return toDecimal(from, to)
	case isFloating(to):
		return toFloat(from, to)
	}
	return toInteger(from, to)
}

func copyAt(out *vector, r int32, in *vector, at int32) {
	switch {
	case out.ints != nil:
		out.ints[r] = in.ints[at]
	case out.floats != nil:
		out.floats[r] = in.floats[at]
	case out.bools != nil:
		out.bools[r] = in.bools[at]
	case out.decimals != nil:
		out.decimals[r] = in.decimals[at]
	case out.texts != nil:
		out.texts[r] = in.texts[at]
	}
}

// textAt prints a value as CAST(... AS STRING) does.
func textAt(v *vector, at int32) string {
	switch {
	case v.typ == columnar.Boolean:
		return strconv.FormatBool(v.bools[at])
	case isFloating(v.typ):
		return formatFloat(v.floats[at], v.typ)
	case isDecimal(v.typ):
		return formatDecimal(v.decimals[at], v.typ)
	case isText(v.typ.Kind):
		return strings.ToValidUTF8(v.texts[at], "\uFFFD")
	case v.typ == columnar.Date:
		return string(columnar.AppendDateText(nil, v.ints[at]))
	case v.typ == columnar.Timestamp:
		return string(columnar.AppendTimestampText(nil, v.ints[at]))
	}
	return strconv.FormatInt(v.ints[at], 10)
}

func invalid(text string, to columnar.Type) error {
	if len(text) > 64 {
		text = text[:64] + "..."
	}
	return &EvalError{"CAST_INVALID_INPUT", fmt.Sprintf("The value '%s' of the type \"STRING\" cannot be cast to \"%s\" because it is malformed. Correct the value, or use `try_cast` to tolerate malformed input and return NULL instead.", text, to)}
}

func castOverflow(v string, from, to columnar.Type) error {
	return &EvalError{"CAST_OVERFLOW", fmt.Sprintf("The value %s of the type \"%s\" cannot be cast to \"%s\" due to an overflow. Use `try_cast` to tolerate overflow and return NULL instead.", v, from, to)}
}

func fromText(to columnar.Type) convert {
	return func(out *vector, r int32, in *vector, at int32) error {
		raw := in.texts[at]
		if to == columnar.Binary {
			out.texts[r] = raw
			return nil
		}
		text := strings.TrimFunc(raw, func(c rune) bool { return c <= ' ' })
		if !parseText(out, r, text, to) {
			return invalid(raw, to)
		}
		return nil
	}
}

var booleans = map[string]bool{"t": true, "true": true, "y": true, "yes": true, "1": true, "f": false, "false": false, "n": false, "no": false, "0": false}

// parseText reads a trimmed text as a value of the type.
func parseText(out *vector, r int32, text string, to columnar.Type) bool {
	switch {
	case to == columnar.Boolean:
		v, ok := booleans[strings.ToLower(text)]
		out.bools[r] = v
		return ok
	case to == columnar.Date:
		v, ok := columnar.ParseDate([]byte(text))
		out.ints[r] = int64(v)
		return ok
	case to == columnar.Timestamp:
		v, ok := columnar.ParseTimestamp([]byte(text))
		out.ints[r] = v
		return ok
	case isDecimal(to):
		v, ok := columnar.ParseDecimal([]byte(text), to)
		out.decimals[r] = v
		return ok
	case isFloating(to):
		v, ok := parseFloat(text, to)
		out.floats[r] = v
		return ok
	}
	v, err := strconv.ParseInt(text, 10, 64)
	limit := intLimits[to.Kind]
	out.ints[r] = v
	return err == nil && v <= limit && v >= -limit-1 && !strings.Contains(text, "_")
}

// parseFloat reads what Java's parseDouble does, and the names of infinity and NaN in any case.
func parseFloat(text string, to columnar.Type) (float64, bool) {
	lower := strings.ToLower(text)
	switch strings.TrimLeft(lower, "+-") {
	case "nan":
		return math.NaN(), lower == "nan"
	case "inf", "infinity":
		if lower[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	if strings.ContainsAny(lower, "x_p") {
		return 0, false
	}
	lower = strings.TrimRight(lower, "fd")
	bits := 64
	if to.Kind == columnar.FloatKind {
		bits = 32
	}
	v, err := strconv.ParseFloat(lower, bits)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

func toBoolean(from columnar.Type) convert {
	return func(out *vector, r int32, in *vector, at int32) error {
		switch {
		case isFloating(from):
			out.bools[r] = in.floats[at] != 0
		case isDecimal(from):
			out.bools[r] = in.decimals[at].Sign() != 0
		default:
			out.bools[r] = in.ints[at] != 0
		}
		return nil
	}
}

const dayMicros = 86400_000000

// toTime converts between DATE and TIMESTAMP, and numbers, which are seconds, to TIMESTAMP.
func toTime(from, to columnar.Type) convert {
	return func(out *vector, r int32, in *vector, at int32) error {
		switch {
		case to == columnar.Date:
			out.ints[r] = floorDiv(in.ints[at], dayMicros)
		case from == columnar.Date:
			out.ints[r] = in.ints[at] * dayMicros
		case isFloating(from):
			v := in.floats[at] * 1e6
			if math.IsNaN(v) || math.Abs(v) >= math.MaxInt64 {
				return castOverflow(textAt(in, at), from, to)
			}
			out.ints[r] = int64(v)
		case isDecimal(from):
			v := rescaleFloor(in.decimals[at].BigInt(), int(from.Scale), 6)
			if !v.IsInt64() {
				return castOverflow(textAt(in, at), from, to)
			}
			out.ints[r] = v.Int64()
		default:
			v, err := mulInt(in.ints[at], 1_000_000)
			if err != nil {
				return castOverflow(textAt(in, at), from, to)
			}
			out.ints[r] = v
		}
		return nil
	}
}

func rescaleFloor(v *big.Int, from, to int) *big.Int {
	if to >= from {
		return new(big.Int).Mul(v, exp10(to-from))
	}
	return new(big.Int).Quo(v, exp10(from-to))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func toBinary(from columnar.Type) convert {
	size := map[columnar.Kind]int{columnar.TinyIntKind: 1, columnar.SmallIntKind: 2, columnar.IntKind: 4, columnar.BigIntKind: 8}[from.Kind]
	return func(out *vector, r int32, in *vector, at int32) error {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(in.ints[at] >> (8 * (size - 1 - i)))
		}
		out.texts[r] = string(b)
		return nil
	}
}

func toDecimal(from, to columnar.Type) convert {
	return func(out *vector, r int32, in *vector, at int32) error {
		switch {
		case from == columnar.Boolean:
			return storeDecimal(out, r, big.NewInt(int64(compareBools(in.bools[at], false))), 0, to)
		case isFloating(from):
			v := in.floats[at]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return outOfRange(textAt(in, at), to)
			}
			n, ok := columnar.ParseDecimal([]byte(strconv.FormatFloat(v, 'e', -1, 64)), to)
			if !ok {
				return outOfRange(textAt(in, at), to)
			}
			out.decimals[r] = n
			return nil
		case isDecimal(from):
			return storeDecimal(out, r, in.decimals[at].BigInt(), int(from.Scale), to)
		case from == columnar.Timestamp:
			return storeDecimal(out, r, big.NewInt(in.ints[at]), 6, to)
		}
		return storeDecimal(out, r, big.NewInt(in.ints[at]), 0, to)
	}
}

func toFloat(from, to columnar.Type) convert {
	return func(out *vector, r int32, in *vector, at int32) error {
		var v float64
		switch {
		case from == columnar.Boolean:
			v = float64(compareBools(in.bools[at], false))
		case isFloating(from):
			v = in.floats[at]
		case isDecimal(from):
			v, _ = strconv.ParseFloat(formatDecimal(in.decimals[at], from), 64)
		case from == columnar.Timestamp:
			v = float64(in.ints[at]) / 1e6
		default:
			v = float64(in.ints[at])
		}
		if to.Kind == columnar.FloatKind {
			v = float64(float32(v))
		}
		out.floats[r] = v
		return nil
	}
}

func toInteger(from, to columnar.Type) convert {
	limit := intLimits[to.Kind]
	return func(out *vector, r int32, in *vector, at int32) error {
		v, ok := wholeAt(in, at, from)
		if !ok || v > limit || v < -limit-1 {
			return castOverflow(textAt(in, at), from, to)
		}
		out.ints[r] = v
		return nil
	}
}

// wholeAt is a value cut to a whole number; a TIMESTAMP is seconds, floored.
func wholeAt(v *vector, at int32, from columnar.Type) (int64, bool) {
	switch {
	case from == columnar.Boolean:
		return int64(compareBools(v.bools[at], false)), true
	case isFloating(from):
		f := math.Trunc(v.floats[at])
		return int64(f), f >= -(1<<63) && f < 1<<63
	case isDecimal(from):
		n := rescaleFloor(v.decimals[at].BigInt(), int(from.Scale), 0)
		return n.Int64(), n.IsInt64()
	case from == columnar.Timestamp:
		return floorDiv(v.ints[at], 1_000_000), true
	}
	return v.ints[at], true
}
