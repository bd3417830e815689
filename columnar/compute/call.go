package compute

import (
	"fmt"
	"sort"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/internal/words"
)

// frame is one run of a kernel: it fills f.out at f.rows, for which no argument is
// NULL (unless the call is lenient).
type frame struct {
	*Evaluator
	rows []int32
	args []*vector
	out  *vector
	try  bool
	// source is the expression that runs, and text its SQL once a row has failed.
	source Expr
	text   string
}

// fail makes the row NULL and, unless this is a try_ function, records why.
func (f *frame) fail(row int32, err error) {
	f.setNull(f.out, row)
	if !f.try {
		f.report(row, err)
	}
}

// report records that a row failed, with the text of the expression.
func (f *frame) report(row int32, err error) {
	if f.source != nil && f.text == "" {
		f.text = clippedText(f.source.String())
	}
	f.Evaluator.fail(row, &placedError{err, f.text})
}

type kernel func(f *frame)

// call applies a kernel to its arguments.
type call struct {
	name     string
	args     []Expr
	typ      columnar.Type
	nullable bool // may be NULL although no argument is
	try      bool // failures are NULL
	lenient  bool // the kernel also sees rows with NULL arguments
	eager    bool // every argument is evaluated for every row
	lead     int  // if lenient: as many arguments at the front must not be NULL
	run      kernel
}

func (c *call) Type() columnar.Type { return c.typ }
func (c *call) Nullable() bool {
	return c.nullable || c.try || !c.lenient && anyNullable(c.args)
}
func (c *call) inputs() []Expr { return c.args }

func (c *call) with(inputs []Expr) Expr {
	same := *c
	same.args = inputs
	return &same
}

// eval computes the arguments one after the other, each for the rows that the ones
// before it did not make NULL: what is not needed must not fail.
func (c *call) eval(ev *Evaluator, rows []int32) *vector {
	f := frame{Evaluator: ev, args: make([]*vector, len(c.args)), try: c.try, source: c}
	absent := &vector{}
	last := len(c.args) - 1
	for k := range c.args {
		if k > 0 && len(rows) == 0 {
			break
		}
		i := k
		if c.backwards() {
			i = last - k
		}
		f.args[i] = c.args[i].eval(ev, rows)
		if !c.lenient && !c.eager || i < c.lead {
			rows = ev.live(rows, absent, f.args[i])
		}
	}
	if c.eager && len(rows) > 0 {
		rows = ev.live(rows, absent, f.args...)
	}
	f.rows, f.out = rows, ev.output(c)
	f.out.null = absent.null
	if len(rows) > 0 {
		c.run(&f)
	}
	return f.out
}

// backwards reports whether the last argument comes first: the divisor, where the
// dividend is not needed if it is NULL, or the text before what is trimmed off it.
func (c *call) backwards() bool {
	switch c.name {
	case "/", "%", "div", "pmod", "try_divide", "try_mod":
		return c.typ.Numeric() && c.args[1].Type().Numeric()
	case "trim", "ltrim", "rtrim", "trunc":
		return true
	}
	return false
}

// String prints operators between their operands and everything else as a call.
func (c *call) String() string {
	switch {
	case c.name == "negate":
		return "(- " + c.args[0].String() + ")"
	case c.name == "like" && len(c.args) == 2:
		return c.args[0].String() + " LIKE " + c.args[1].String()
	case c.name == "like":
		return c.args[0].String() + " LIKE " + c.args[1].String() + " ESCAPE " + c.args[2].String()
	case infix[c.name]:
		return "(" + c.args[0].String() + " " + c.name + " " + c.args[1].String() + ")"
	}
	return c.name + "(" + joined(c.args) + ")"
}

var infix = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "div": true,
	"&": true, "|": true, "^": true, "<<": true, ">>": true, ">>>": true, "=": true, "<=>": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true}

// Call binds an operator or a function by its lower-case name. It resolves the
// overload, inserts Spark's implicit casts and checks the arguments.
func Call(name string, args ...Expr) (Expr, error) {
	f, ok := registry[name]
	if !ok {
		return nil, &UnknownFunctionError{Name: name, Suggestions: suggest(name)}
	}
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		return nil, wrongCount(name, f.arity(), len(args))
	}
	return f.bind(name, args)
}

// function is an entry of the registry.
type function struct {
	FunctionInfo
	least, most int // number of arguments; most < 0: no limit
	bind        func(name string, args []Expr) (Expr, error)
}

func (f *function) arity() string {
	switch {
	case f.most < 0:
		return fmt.Sprintf("> %d", f.least-1)
	case f.least == f.most:
		return fmt.Sprint(f.least)
	}
	return fmt.Sprintf("[%d, %d]", f.least, f.most)
}

// FunctionInfo describes a function or operator for people.
type FunctionInfo struct {
	Name, Signature, Summary, Example string
}

// Functions lists every function and operator, by name.
func Functions() []FunctionInfo {
	out := make([]FunctionInfo, 0, len(registry))
	for _, f := range registry {
		out = append(out, f.FunctionInfo)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

var registry = index(operatorFunctions, logicFunctions, conditionalFunctions, mathFunctions, stringFunctions, timeFunctions,
	constructFunctions,
	arrayFunctions,
	arraySetFunctions,
	mapFunctions,
	higherOrderFunctions,
	jsonFunctions,
	csvFunctions,
	sequenceFunctions,
	clockFunctions,
	truncFunctions,
	patternFunctions,
	makeFunctions,
	zoneFunctions,
	shiftFunctions,
	extractFunctions,
	realFunctions, radixFunctions, bitFunctions, padFunctions, positionFunctions, letterFunctions, utf8Functions, maskFunctions,
	raiseFunctions, choiceFunctions, hashFunctions, encodingFunctions, urlFunctions, regexpFunctions, splitFunctions, formatFunctions, numberTextFunctions)

func index(lists ...[]function) map[string]*function {
	all := map[string]*function{}
	for _, list := range lists {
		for i := range list {
			all[list[i].Name] = &list[i]
		}
	}
	return all
}

// suggest lists at most three names that are close to an unknown one, best first.
func suggest(name string) []string {
	type near struct {
		name string
		far  int
	}
	var found []near
	for known := range registry {
		far := words.Distance(name, known)
		if strings.HasPrefix(known, name) && len(name) > 2 {
			far = 1
		}
		if far <= max(1, len(name)/3) {
			found = append(found, near{known, far})
		}
	}
	sort.Slice(found, func(i, j int) bool {
		return found[i].far < found[j].far || found[i].far == found[j].far && found[i].name < found[j].name
	})
	var out []string
	for _, f := range found[:min(3, len(found))] {
		out = append(out, f.name)
	}
	return out
}
