// Package prune tells by the bounds of columns that no row of a file, or of a part of one, fulfils a condition.
//
// # Model
//
// A condition is a list of expressions that have to be TRUE for a row. Of those that compare a column with constants, each one asks
// something of the lower or upper bound of the column: column < v can hold for a row only if it holds for the lower bound. What does not
// compare says nothing, and neither does a bound that is not known, so that pruning errs only by keeping.
package prune

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// test is what a bound of a column must fulfil if a row can.
type test struct {
	field columnar.Field
	upper bool         // which bound
	holds compute.Expr // over one column
}

// boundsOf says which bound must fulfil what for column op value.
var boundsOf = map[string][]struct {
	upper bool
	op    string
}{"=": {{false, "<="}, {true, ">="}}, "<": {{false, "<"}}, "<=": {{false, "<="}}, ">": {{true, ">"}}, ">=": {{true, ">="}}}

// testsOf are those of a comparison of a column with a constant: op is one of = < <= > >=.
func testsOf(f columnar.Field, op string, value compute.Expr) (out []test) {
	for _, b := range boundsOf[op] {
		holds, err := compute.Call(b.op, compute.Column(0, f.Name, f.Type, true), value)
		if err == nil {
			out = append(out, test{f, b.upper, holds})
		}
	}
	return out
}

// passes reports whether a bound, a column of one row, fulfils the test, or cannot be compared.
func (t test) passes(ev *compute.Evaluator, bound columnar.Column) bool {
	row := columnar.NewBatch(columnar.NewSchema(t.field), []columnar.Column{bound}, 1)
	defer row.Release()
	return Passes(ev, t.holds, row)
}

// Passes reports whether a condition is TRUE for the only row of a batch, or fails for it: then the rows tell.
func Passes(ev *compute.Evaluator, e compute.Expr, row *columnar.Batch) bool {
	ev.Reset()
	sel, err := ev.Filter(e, row, nil)
	return err != nil || len(sel) > 0 || len(ev.Errors()) > 0
}

// Condition is a list of comparisons that have to hold together. It may be used by any number of goroutines.
type Condition struct {
	tests []test
	among [][][]test // a column is one of some values: the tests of each value
}

// NewCondition takes what compares a column of the schema with constants from expressions over it.
func NewCondition(schema *columnar.Schema, where []compute.Expr) *Condition {
	c := &Condition{}
	for _, e := range where {
		if at, values, ok := compute.Among(e); ok {
			var list [][]test
			for _, v := range values {
				list = append(list, testsOf(schema.Fields[at], "=", v))
			}
			c.among = append(c.among, list)
		} else if at, op, value, ok := compute.Compared(e); ok {
			c.tests = append(c.tests, testsOf(schema.Fields[at], op, value)...)
		}
	}
	return c
}

// Empty reports whether nothing can be told.
func (c *Condition) Empty() bool { return c == nil || len(c.tests)+len(c.among) == 0 }

// Denies reports whether no row within some bounds fulfils the condition. bound gives a bound as a column of one row, which Denies releases;
// false if it is not known.
func (c *Condition) Denies(ev *compute.Evaluator, bound func(f columnar.Field, upper bool) (columnar.Column, bool)) bool {
	fails := func(t test) bool {
		b, ok := bound(t.field, t.upper)
		return ok && !t.passes(ev, b)
	}
	return slices.ContainsFunc(c.tests, fails) || slices.ContainsFunc(c.among, func(values [][]test) bool {
		return !slices.ContainsFunc(values, func(tests []test) bool { return !slices.ContainsFunc(tests, fails) })
	})
}
