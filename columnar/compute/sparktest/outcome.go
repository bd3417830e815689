package sparktest

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Outcome is what an expression is worth in a row: a value, printed by Value, or the
// condition of its failure.
type Outcome struct{ Value, Error string }

// Same reports whether both are the same value of a type, or the same failure.
func (o Outcome) Same(other Outcome, t columnar.Type) bool {
	return o.Error == other.Error && (o.Error != "" || SameCell(o.Value, other.Value, t))
}

func (o Outcome) String() string {
	if o.Error != "" {
		return "error " + o.Error
	}
	return o.Value
}

// Outcomes evaluates an expression in the rows of a selection; the others are left empty.
func Outcomes(ev *compute.Evaluator, e compute.Expr, b *columnar.Batch, sel columnar.Selection) ([]Outcome, error) {
	ev.Reset()
	c, err := ev.Eval(e, b, sel)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	out := make([]Outcome, b.Rows())
	for _, failed := range ev.Errors() {
		if at := &out[failed.Row]; at.Error == "" {
			at.Error = Condition(failed.Err)
		}
	}
	for i := range sel.Len(b.Rows()) {
		row := i
		if sel != nil {
			row = int(sel[i])
		}
		if out[row].Error == "" {
			out[row].Value = Value(e.Type(), c, row)
		}
	}
	return out, nil
}
