package compute

import "github.com/lakewheel/lakewheel/columnar"

// integralDigits is the width of the DECIMAL that holds every value of an integral kind.
func integralDigits(k columnar.Kind) int {
	switch k {
	case columnar.TinyIntKind:
		return 3
	case columnar.SmallIntKind:
		return 5
	case columnar.IntKind:
		return 10
	}
	return 20
}

// decimalFor is the DECIMAL that Spark uses for values of a numeric type.
func decimalFor(t columnar.Type) columnar.Type {
	switch {
	case t.Kind == columnar.DecimalKind:
		return t
	case t.Kind == columnar.FloatKind:
		return columnar.Decimal(14, 7)
	case t.Kind == columnar.DoubleKind:
		return columnar.Decimal(30, 15)
	}
	return columnar.Decimal(integralDigits(t.Kind), 0)
}

func isDecimal(t columnar.Type) bool { return t.Kind == columnar.DecimalKind }

func isFloating(t columnar.Type) bool {
	return t.Kind == columnar.FloatKind || t.Kind == columnar.DoubleKind
}

// tightest is Spark's tightest common type: the one both types widen to without
// parsing strings or losing digits.
func tightest(a, b columnar.Type) (columnar.Type, bool) {
	switch {
	case a == b:
		return a, true
	case a == columnar.Null:
		return b, true
	case b == columnar.Null:
		return a, true
	case a.Numeric() && b.Numeric():
		return tightestNumeric(a, b)
	case datetime(a) && datetime(b):
		return laterDatetime(a, b), true
	case a.Kind == b.Kind && a.Interval():
		return widerInterval(a, b), true
	case a.Nested() && a.Kind == b.Kind:
		return mergeParts(a, b, tightest)
	}
	return columnar.Type{}, false
}

// laterDatetime is the type of two that a DATE or a time without a zone widens to.
func laterDatetime(a, b columnar.Type) columnar.Type {
	if a == columnar.Timestamp || b == columnar.Timestamp {
		return columnar.Timestamp
	}
	return columnar.TimestampNTZ
}

// widerInterval spans the units of both.
func widerInterval(a, b columnar.Type) columnar.Type {
	a.Precision, a.Scale = min(a.Precision, b.Precision), max(a.Scale, b.Scale)
	return a
}

func tightestNumeric(a, b columnar.Type) (columnar.Type, bool) {
	if isDecimal(a) || isDecimal(b) {
		return tightestDecimal(a, b)
	}
	wide := a
	if b.Kind > a.Kind {
		wide = b
	}
	if wide == columnar.Float {
		return columnar.Double, true // FLOAT would lose digits of the integer
	}
	return wide, true
}

func tightestDecimal(a, b columnar.Type) (columnar.Type, bool) {
	if !isDecimal(a) {
		a, b = b, a
	}
	if !b.Integral() || int(a.Precision-a.Scale) < integralDigits(b.Kind) {
		return columnar.Type{}, false
	}
	return a, true
}

// wider is the common type of values that are merged (CASE, coalesce, IN): the
// tightest one, or a wider DECIMAL, or what a string is promoted to.
func wider(a, b columnar.Type) (columnar.Type, bool) {
	if t, ok := tightest(a, b); ok {
		return t, true
	}
	if a.Numeric() && b.Numeric() {
		if isFloating(a) || isFloating(b) {
			return columnar.Double, true
		}
		return widerDecimal(decimalFor(a), decimalFor(b)), true
	}
	if a.Nested() && a.Kind == b.Kind {
		return mergeParts(a, b, wider)
	}
	return promoteString(a, b)
}

// promoteString is what a string becomes beside a value of another type.
func promoteString(a, b columnar.Type) (columnar.Type, bool) {
	if a != columnar.String {
		a, b = b, a
	}
	switch {
	case a != columnar.String || b == columnar.String || b.Nested() || b.Interval():
		return columnar.Type{}, false
	case b.Integral():
		return columnar.BigInt, true
	case b.Numeric():
		return columnar.Double, true
	}
	return b, true
}

// unpromoted is wider without the promotion of strings.
func unpromoted(a, b columnar.Type) (columnar.Type, bool) {
	t, ok := tightest(a, b)
	switch {
	case ok:
		return t, true
	case a.Numeric() && b.Numeric():
		return wider(a, b)
	case a.Nested() && a.Kind == b.Kind:
		return mergeParts(a, b, unpromoted)
	}
	return columnar.Type{}, false
}

// common merges the types of a list of expressions and casts each to the result.
func common(list []Expr) ([]Expr, columnar.Type, bool) { return commonBy(list, wider) }

func commonBy(list []Expr, merge func(a, b columnar.Type) (columnar.Type, bool)) ([]Expr, columnar.Type, bool) {
	t := list[0].Type()
	for _, e := range list[1:] {
		var ok bool
		if t, ok = merge(t, e.Type()); !ok {
			return nil, t, false
		}
	}
	return castAll(list, t), t, true
}

func castAll(list []Expr, t columnar.Type) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = implicit(e, t)
	}
	return out
}

// implicit casts e to t where it is of another type; the caller knows that the cast exists.
func implicit(e Expr, t columnar.Type) Expr {
	if e.Type() == t {
		return e
	}
	if e.Type() == columnar.Null && Literal(e) {
		return typedNull(t)
	}
	return newCast(e, t, false, false)
}

// assignable reports whether a parameter of type want takes an argument of type t
// with an implicit cast.
func assignable(t, want columnar.Type) bool {
	switch {
	case t == want, t == columnar.Null:
		return true
	case t.Nested(), want.Nested():
		return false
	case t == columnar.String, want == columnar.String:
		return true
	case t.Numeric() && want.Numeric():
		return true
	}
	return datetime(t) && datetime(want)
}

func datetime(t columnar.Type) bool {
	return t == columnar.Date || t == columnar.Timestamp || t == columnar.TimestampNTZ
}

// parameter casts the argument at a position to the type a function wants.
func parameter(name string, position int, arg Expr, want columnar.Type) (Expr, error) {
	if !assignable(arg.Type(), want) {
		return nil, unexpectedInput(name, position, want.String(), arg)
	}
	return implicit(arg, want), nil
}

// numericParameter casts NULL and strings to DOUBLE and refuses what is not a number.
func numericParameter(name string, position int, arg Expr) (Expr, error) {
	switch t := arg.Type(); {
	case t.Numeric():
		return arg, nil
	case t == columnar.Null, t == columnar.String:
		return implicit(arg, columnar.Double), nil
	}
	return nil, unexpectedInput(name, position, "NUMERIC", arg)
}

// WiderType is the type that values of both types fit in a UNION.
func WiderType(a, b columnar.Type) (columnar.Type, bool) { return unpromoted(a, b) }
