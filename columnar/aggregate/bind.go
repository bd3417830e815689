package aggregate

import (
	"fmt"
	"sort"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// function is an entry of the registry.
type function struct {
	compute.FunctionInfo
	least, most int // number of arguments; most < 0: no limit
	bind        func(c *Call) error
}

// entry describes a function; bind completes a call that has its arguments as inputs.
func entry(name, signature, summary, example string, least, most int, bind func(c *Call) error) function {
	return function{compute.FunctionInfo{Name: name, Signature: signature, Summary: summary, Example: example}, least, most, bind}
}

func (f *function) arity() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf(">= %d", f.least)
	case f.least == f.most:
		return fmt.Sprint(f.least)
	}
	return fmt.Sprintf("[%d, %d]", f.least, f.most)
}

var registry = index(countFunctions, sumFunctions, extremumFunctions, flagFunctions, firstFunctions, extremumByFunctions, collectFunctions,
	statisticFunctions, sketchFunctions, modeFunctions, percentileFunctions, bitFunctions, listaggFunctions)

func index(lists ...[]function) map[string]*function {
	all := map[string]*function{}
	for _, list := range lists {
		for i := range list {
			all[list[i].Name] = &list[i]
		}
	}
	return all
}

// Known reports whether an aggregate has the name, in small letters.
func Known(name string) bool {
	_, ok := registry[name]
	return ok
}

// Names lists the aggregates.
func Names() []string {
	names := make([]string, 0, len(registry))
	for name := range registry {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Functions describes the aggregates, by name.
func Functions() []compute.FunctionInfo {
	out := make([]compute.FunctionInfo, 0, len(registry))
	for _, name := range Names() {
		out = append(out, registry[name].FunctionInfo)
	}
	return out
}

// Bind resolves an aggregate by its name, in small letters, inserts Spark's implicit casts and checks the arguments.
// count(*) is count without arguments; filter is nil if there is none. Errors are those of [compute.Call].
func Bind(name string, args []compute.Expr, distinct bool, filter compute.Expr) (*Call, error) {
	f, ok := registry[name]
	if !ok {
		return nil, &compute.UnknownFunctionError{Name: name}
	}
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		return nil, compute.WrongCount(name, f.arity(), len(args))
	}
	c := &Call{name: name, inputs: append([]compute.Expr(nil), args...), nullable: true}
	if err := f.bind(c); err != nil {
		return nil, err
	}
	if distinct {
		if err := c.unique(); err != nil {
			return nil, err
		}
	}
	if filter == nil {
		return c, nil
	}
	return c.filter(filter)
}

// filter adds the condition of a FILTER clause.
func (c *Call) filter(cond compute.Expr) (*Call, error) {
	if t := cond.Type(); t != columnar.Boolean && t != columnar.Null {
		return nil, compute.UnexpectedInput("FILTER", 0, "BOOLEAN", cond)
	}
	c.inputs, c.filtered = append(c.inputs, compute.Implicit(cond, columnar.Boolean)), true
	return c, nil
}

// one is the only argument.
func (c *Call) one() compute.Expr { return c.inputs[0] }

// parameter casts the argument at a position to the type that the function wants.
func (c *Call) parameter(position int, want columnar.Type) error {
	e, err := compute.Parameter(c.name, position, c.inputs[position], want)
	if err == nil {
		c.inputs[position] = e
	}
	return err
}
