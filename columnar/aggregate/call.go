package aggregate

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Call is a bound aggregate: what is computed for each group. It is immutable.
type Call struct {
	name     string
	distinct bool
	inputs   []compute.Expr // the arguments, then the filter
	settings []compute.Expr // arguments that are constants of the call and no inputs; they come behind the first
	filtered bool
	def      definition
	typ      columnar.Type
	nullable bool
}

// definition is what is particular to a function over arguments of certain types.
type definition struct {
	ordered    bool  // the result depends on the order of the rows
	idempotent bool  // a value counts once however often it comes: DISTINCT changes nothing
	undistinct error // why DISTINCT is refused
	state      []columnar.Field
	make       func() Accumulator
}

// Name is the name of the function, in small letters.
func (c *Call) Name() string { return c.name }

// Type of the result.
func (c *Call) Type() columnar.Type { return c.typ }

// Nullable reports whether a group with rows may have the result NULL.
func (c *Call) Nullable() bool { return c.nullable }

// Inputs are the arguments, cast to what the function takes; the filter, a BOOLEAN, comes last if there is one.
func (c *Call) Inputs() []compute.Expr { return c.inputs }

// With returns the same call over other inputs of the same types.
func (c *Call) With(inputs []compute.Expr) *Call {
	same := *c
	same.inputs = inputs
	return &same
}

// OrderMatters reports whether the result depends on the order of the rows.
func (c *Call) OrderMatters() bool { return c.def.ordered }

// State describes the columns in which partial aggregates travel and are stored.
func (c *Call) State() []columnar.Field { return c.def.state }

// New makes the state of no groups.
func (c *Call) New() Accumulator {
	a := c.def.make()
	if c.filtered {
		a = &filtered{Accumulator: a}
	}
	return a
}

// String prints the call as Spark does: "sum(amount) FILTER (WHERE (v > 1))".
func (c *Call) String() string {
	args, filter := c.inputs, ""
	if c.filtered {
		last := len(args) - 1
		args, filter = args[:last], " FILTER (WHERE "+args[last].String()+")"
	}
	texts := make([]string, 0, len(args)+len(c.settings))
	for k, a := range args {
		if texts = append(texts, a.String()); k == 0 {
			texts = appendTexts(texts, c.settings)
		}
	}
	list := strings.Join(texts, ", ")
	if c.name == "count" && len(texts) == 0 {
		list = "1"
	}
	if c.distinct {
		list = "DISTINCT " + list
	}
	return c.name + "(" + list + ")" + filter
}

func appendTexts(texts []string, list []compute.Expr) []string {
	for _, e := range list {
		texts = append(texts, e.String())
	}
	return texts
}
