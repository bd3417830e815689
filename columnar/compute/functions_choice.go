package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// choiceFunctions pick one of their arguments.
var choiceFunctions = []function{
	entry("elt", "elt(n, a, b, ...)", "Argument n of those behind n.", "elt(2, 'a', 'b')", 2, -1, bindElt),
	entry("decode", "decode(b, charset) or decode(a, b, c, ...[, d])", "The text of bytes in a charset; or the c behind the first b that equals a, else d.", "decode(2, 1, 'a', 2, 'b', 'c')", 2, -1, bindDecode),
}

// bindElt evaluates the chosen argument only.
func bindElt(name string, args []Expr) (Expr, error) {
	index, err := parameter(name, 0, args[0], columnar.Int)
	if err != nil {
		return nil, err
	}
	t := columnar.String
	if countBinary(args[1:]) == len(args)-1 {
		t = columnar.Binary
	}
	values := castAll(args[1:], t)
	return Once(index, func(n Expr) (Expr, error) {
		whens := []When{{&nullTest{n, 1}, typedNull(t)}}
		for i, v := range values {
			equal, err := bindComparison("=", []Expr{n, Integer(int64(i)+1, columnar.Int)})
			if err != nil {
				return nil, err
			}
			whens = append(whens, When{equal, v})
		}
		return Case(whens, &call{name: "elt", args: []Expr{n}, typ: t, run: func(f *frame) { noSuchArgument(f, len(values)) }})
	})
}

func noSuchArgument(f *frame, count int) {
	for _, i := range f.rows {
		f.fail(i, &EvalError{"INVALID_ARRAY_INDEX", fmt.Sprintf("elt has %d values, the index is %d; use an index of 1 to %d.", count, intAt(f.args[0], i), count)})
	}
}

// bindDecode is a CASE over <=> with more than two arguments.
func bindDecode(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		return bindDecodeCharset(name, args)
	}
	return Once(args[0], func(a Expr) (Expr, error) {
		var whens []When
		rest := args[1:]
		for ; len(rest) >= 2; rest = rest[2:] {
			equal, err := bindComparison("<=>", []Expr{a, rest[0]})
			if err != nil {
				return nil, err
			}
			whens = append(whens, When{equal, rest[1]})
		}
		if len(rest) == 0 {
			return Case(whens, nil)
		}
		return Case(whens, rest[0])
	})
}
