package aggregate

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

const defaultAccuracy = 10_000

func bindApprox(c *Call) error {
	switch t := c.one().Type(); {
	case t.Numeric(), t.Interval(), t == columnar.Date, t == columnar.Timestamp, t == columnar.TimestampNTZ:
	case t == columnar.Null, t == columnar.String:
		c.inputs[0] = compute.Implicit(c.one(), columnar.Double)
	default:
		return compute.UnexpectedInput(c.name, 0, `("NUMERIC" or "DATE" or "TIMESTAMP" or "TIMESTAMP_NTZ" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")`, c.one())
	}
	p, err := c.shares()
	if err != nil {
		return err
	}
	accuracy, err := c.accuracy()
	if err != nil {
		return err
	}
	t := c.one().Type()
	c.typ = p.resultType(t)
	c.def = definition{
		state: quantilesState,
		make:  func() Accumulator { return &quantiles{shares: p, typ: t, e: 1 / float64(accuracy)} },
	}
	return nil
}

// accuracy moves the argument behind the share to the settings.
func (c *Call) accuracy() (int64, error) {
	if len(c.inputs) == 1 {
		c.settings = append(c.settings, compute.Integer(defaultAccuracy, columnar.Int))
		return defaultAccuracy, nil
	}
	e := c.inputs[1]
	if !integral(e.Type()) {
		return 0, compute.UnexpectedInput(c.name, 2, "INTEGRAL", e)
	}
	value, ok := constantOf(compute.Implicit(e, columnar.BigInt))
	switch {
	case !ok:
		return 0, &compute.TypeError{Condition: "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", Message: fmt.Sprintf("The input `accuracy` of %s should be a foldable INTEGRAL expression; however, got %s.", c.name, e)}
	case value.IsNull(0):
		return 0, &compute.TypeError{Condition: "DATATYPE_MISMATCH.UNEXPECTED_NULL", Message: "The accuracy of " + c.name + " must not be null."}
	}
	n := columnar.Int64At(value, 0)
	if n < 1 || n > 1<<31-1 {
		return 0, &compute.TypeError{Condition: "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", Message: fmt.Sprintf("The accuracy must be between (0, 2147483647] (current value = %d).", n)}
	}
	c.settings, c.inputs = append(c.settings, e), c.inputs[:1]
	return n, nil
}
