package planner

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar/compute"
)

func (b *binder) interval(n *interval) compute.Expr {
	e, err := n.value()
	if err != nil {
		b.exprError(n, err)
		return nil
	}
	return e
}

// value is the constant that an interval denotes.
func (n *interval) value() (compute.Expr, error) {
	if first, last, ranged := strings.Cut(n.units[0], " to "); ranged {
		if len(n.values) > 1 {
			return nil, &compute.TypeError{Message: "INTERVAL ... TO ... takes one value."}
		}
		return compute.IntervalFromTo(n.values[0], first, last)
	}
	if n.units[0] == "" {
		e, err := compute.IntervalWords(n.values[0])
		if err != nil {
			return nil, &compute.TypeError{Condition: "INVALID_TYPED_LITERAL", Message: err.Error()}
		}
		return e, nil
	}
	var words strings.Builder
	for i, v := range n.values {
		words.WriteString(" " + v + " " + n.units[i])
	}
	return compute.IntervalWords(words.String())
}
