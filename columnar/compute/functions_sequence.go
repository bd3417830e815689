package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

var sequenceFunctions = []function{
	entry("sequence", "sequence(from, to[, step])", "An ARRAY from one number, date or time to another, both included; the step of times is an interval, 1 day if left out.", "sequence(1, 5)", 2, 3, bindSequence),
}

func bindSequence(name string, args []Expr) (Expr, error) {
	if isTemporal(args[0].Type()) || isTemporal(args[1].Type()) {
		return bindTimeSequence(name, args)
	}
	list, t, ok := common(args)
	if !ok || !t.Integral() && t != columnar.Null {
		return nil, mismatch("SEQUENCE_WRONG_INPUT_TYPES", "%s uses the wrong parameter type: start and stop should be of one integral type, got %s.", name, typeList(args))
	}
	if t == columnar.Null {
		return typedNull(columnar.Array(columnar.Null)), nil
	}
	list = castAll(list, columnar.BigInt)
	wide := &call{name: name, args: list, typ: columnar.Array(columnar.BigInt), run: sequences}
	return implicit(wide, columnar.Array(t)), nil
}

func sequences(f *frame) {
	elements := f.out.kids[0]
	for _, i := range f.rows {
		from, to := valueAt[int64](f.args[0], i), valueAt[int64](f.args[1], i)
		step := int64(1)
		if from > to {
			step = -1
		}
		if len(f.args) == 3 {
			step = valueAt[int64](f.args[2], i)
		}
		n, err := steps(from, to, step)
		if err != nil {
			f.fail(i, err)
			continue
		}
		if n > uint64(f.mostElements) {
			f.fail(i, errTooManyElements)
			continue
		}
		start := elements.n
		for k := range n {
			pushFixed(elements, from+int64(k)*step)
		}
		f.closeList(f.out, i, start)
	}
}

// steps counts the values from one number to another.
func steps(from, to, step int64) (uint64, error) {
	switch {
	case from == to:
		return 1, nil
	case step > 0 && from < to:
		return (uint64(to)-uint64(from))/uint64(step) + 1, nil
	case step < 0 && from > to:
		return (uint64(from)-uint64(to))/uint64(-step) + 1, nil
	}
	return 0, &EvalError{"ILLEGAL_SEQUENCE_BOUNDARIES", fmt.Sprintf("Illegal sequence boundaries: %d to %d by %d.", from, to, step)}
}
