package aggregate

import "github.com/lakewheel/lakewheel/columnar"

var flagFunctions = []function{
	entry("count_if", "count_if(a)", "Number of rows in which a is TRUE.", "count_if(c)", 1, 1, bindCountIf),
	entry("bool_and", "bool_and(a)", "TRUE if a is TRUE in all rows.", "bool_and(c)", 1, 1, bindAll),
	entry("every", "every(a)", "TRUE if a is TRUE in all rows.", "every(c)", 1, 1, bindAll),
	entry("bool_or", "bool_or(a)", "TRUE if a is TRUE in some row.", "bool_or(c)", 1, 1, bindAny),
	entry("some", "some(a)", "TRUE if a is TRUE in some row.", "some(c)", 1, 1, bindAny),
	entry("any", "any(a)", "TRUE if a is TRUE in some row.", "any(c)", 1, 1, bindAny),
}

// bindCountIf counts the rows that pass its argument as a filter.
func bindCountIf(c *Call) error {
	if err := c.parameter(0, columnar.Boolean); err != nil {
		return err
	}
	if err := bindCount(c); err != nil {
		return err
	}
	c.def.make = func() Accumulator { return &filtered{Accumulator: &count{}} }
	return nil
}

func bindAll(c *Call) error { return bindFlag(c, false) }

func bindAny(c *Call) error { return bindFlag(c, true) }

// bindFlag is the least or the greatest BOOLEAN, where FALSE comes before TRUE.
func bindFlag(c *Call, greatest bool) error {
	if err := c.parameter(0, columnar.Boolean); err != nil {
		return err
	}
	c.typ, c.def = columnar.Boolean, extremumOf(columnar.Boolean, greatest)
	return nil
}
