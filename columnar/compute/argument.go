package compute

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
)

// What the functions that are bound elsewhere, aggregates, share with those of this package.

// Parameter casts the argument at a position (from 0) to the type that a function wants, or fails with a [*TypeError].
func Parameter(name string, position int, arg Expr, want columnar.Type) (Expr, error) {
	return parameter(name, position, arg, want)
}

// Implicit casts e to a type that an implicit cast leads to; the caller knows that it does.
func Implicit(e Expr, t columnar.Type) Expr { return implicit(e, t) }

// Orderable reports whether values of a type can be compared: a MAP cannot, at any depth.
func Orderable(t columnar.Type) bool { return orderable(t) }

// UnexpectedInput says that the argument at a position (from 0) is not of the type that is wanted.
func UnexpectedInput(name string, position int, want string, arg Expr) error {
	return unexpectedInput(name, position, want, arg)
}

// WrongCount says that a function takes another number of arguments: "2", "[1, 2]", "> 0".
func WrongCount(name, want string, got int) error { return wrongCount(name, want, got) }

// DecimalQuotient returns the division of decimals of two types, rounded half up to a third one. It fails if the quotient
// does not fit; the divisor is not zero.
func DecimalQuotient(l, r, out columnar.Type) func(a, b decimal128.Num) (decimal128.Num, error) {
	s := decimalShape{op: "/", l: l, r: r, out: out}
	if s.fitsNarrow() {
		return s.fast
	}
	return s.wide
}
