package compute_test

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

// node is an expression for the interpreter, which computes one row at a time in the
// plainest way. Values are nil, bool, int64, string, *big.Int (hundredths, for money),
// []any for arrays and pairs.
type node struct {
	op   string
	typ  columnar.Type
	args []*node
	lit  any    // of a literal; the position of a column
	name string // of a variable
}

var (
	money = columnar.Decimal(12, 2)
	list  = columnar.Array(columnar.Int)
	pair  = columnar.Struct(columnar.Field{Name: "p", Type: columnar.Int}, columnar.Field{Name: "q", Type: columnar.String})
)

// failure is the condition that a row fails with; it is thrown.
type failure string

type environment struct {
	row  []any
	vars map[string]any
}

// run is the value, or the condition of a row that fails.
func (n *node) run(row []any) (v any, failed string) {
	defer func() {
		if r := recover(); r != nil {
			failed = string(r.(failure))
		}
	}()
	return n.eval(&environment{row, map[string]any{}}), ""
}

func (n *node) eval(e *environment) any {
	arg := func(k int) any { return n.args[k].eval(e) }
	switch n.op {
	case "literal":
		return n.lit
	case "column":
		return e.row[n.lit.(int)]
	case "variable":
		return e.vars[n.name]
	case "AND", "OR":
		decides := n.op == "OR"
		l := arg(0)
		if l == decides {
			return decides
		}
		if r := arg(1); r == decides || l != nil {
			return r
		}
		return nil
	case "IS NULL":
		return arg(0) == nil
	case "<=>":
		l, r := arg(0), arg(1)
		return l == nil && r == nil || l != nil && r != nil && order(l, r) == 0
	case "CASE":
		last := len(n.args) - 1
		for k := 0; k < last; k += 2 {
			if arg(k) == true {
				return arg(k + 1)
			}
		}
		return arg(last)
	case "coalesce":
		for k := range n.args {
			if v := arg(k); v != nil {
				return v
			}
		}
		return nil
	case "nullif":
		l := arg(0)
		if l != nil {
			if r := arg(1); r != nil && order(l, r) == 0 {
				return nil
			}
		}
		return l
	case "IN":
		return n.in(arg)
	case "BETWEEN":
		x := n.args[0]
		return (&node{op: "AND", args: []*node{{op: ">=", args: []*node{x, n.args[1]}}, {op: "<=", args: []*node{x, n.args[2]}}}}).eval(e)
	case "array", "named_struct":
		out := make([]any, len(n.args))
		for k := range out {
			out[k] = arg(k)
		}
		return out
	case "transform", "filter", "exists":
		return n.higher(e)
	}
	values := make([]any, len(n.args))
	for k := range values {
		i := k
		if n.op == "div" || n.op == "%" {
			i = len(values) - 1 - k
		}
		if values[i] = arg(i); values[i] == nil {
			return nil
		}
	}
	return n.strict(values)
}

func (n *node) in(arg func(int) any) any {
	x, unsure := arg(0), false
	for k := 1; k < len(n.args) && x != nil; k++ {
		v := arg(k)
		if v != nil && order(x, v) == 0 {
			return true
		}
		unsure = unsure || v == nil
	}
	if x == nil || unsure {
		return nil
	}
	return false
}

func (n *node) higher(e *environment) any {
	a, ok := n.args[0].eval(e).([]any)
	if !ok {
		return nil
	}
	out, unsure := []any{}, false
	before := e.vars[n.name]
	defer func() { e.vars[n.name] = before }()
	for _, x := range a {
		e.vars[n.name] = x
		v := n.args[1].eval(e)
		switch {
		case n.op == "transform":
			out = append(out, v)
		case n.op == "filter" && v == true:
			out = append(out, x)
		case n.op == "exists" && v == true:
			return true
		}
		unsure = unsure || v == nil
	}
	if n.op == "exists" {
		if unsure {
			return nil
		}
		return false
	}
	return out
}

// strict are the operations that are NULL where an operand is.
func (n *node) strict(v []any) any {
	switch n.op {
	case "NOT":
		return !v[0].(bool)
	case "=", "<>", "<", "<=", ">", ">=":
		accepts := [3]string{"<> < <=", "= <= >=", "<> > >="}[order(v[0], v[1])+1]
		return slices.Contains(strings.Fields(accepts), n.op)
	case "+", "-", "*", "div", "%", "negate":
		return n.arithmetic(v)
	case "CAST", "TRY_CAST":
		return n.cast(v[0])
	case "concat":
		return v[0].(string) + v[1].(string)
	case "upper":
		return strings.ToUpper(v[0].(string))
	case "length":
		return int64(utf8.RuneCountInString(v[0].(string)))
	case "contains":
		return strings.Contains(v[0].(string), v[1].(string))
	case "substring":
		r := []rune(v[0].(string))
		from, size := v[1].(int64), int64(len(r))
		if from > 0 {
			from--
		} else if from < 0 {
			from += size
		}
		until := from + v[2].(int64)
		from, until = max(from, 0), min(until, size)
		return string(r[min(from, size):max(until, min(from, size))])
	case "size":
		return int64(len(v[0].([]any)))
	case "get", "item":
		a, k := v[0].([]any), v[1].(int64)
		if k >= 0 && k < int64(len(a)) {
			return a[k]
		}
		if n.op == "item" {
			panic(failure("INVALID_ARRAY_INDEX"))
		}
		return nil
	case "field":
		return v[0].([]any)[n.lit.(int)]
	}
	panic("unknown operation " + n.op)
}

func order(a, b any) int {
	switch x := a.(type) {
	case bool:
		return order(map[bool]int64{true: 1}[x], map[bool]int64{true: 1}[b.(bool)])
	case int64:
		return map[bool]int{true: 1}[x > b.(int64)] - map[bool]int{true: 1}[x < b.(int64)]
	case string:
		return strings.Compare(x, b.(string))
	case *big.Int:
		return x.Cmp(b.(*big.Int))
	}
	return slices.CompareFunc(a.([]any), b.([]any), func(x, y any) int {
		if x == nil || y == nil {
			return map[bool]int{true: 1}[y == nil] - map[bool]int{true: 1}[x == nil]
		}
		return order(x, y)
	})
}

var widest = map[columnar.Type]*big.Int{columnar.TinyInt: big.NewInt(math.MaxInt8), columnar.Int: big.NewInt(math.MaxInt32), columnar.BigInt: big.NewInt(math.MaxInt64), money: big.NewInt(999_999_999_999)}

// within is v if it fits a type.
func within(v *big.Int, t columnar.Type, otherwise failure) any {
	most := widest[t]
	least := new(big.Int).Neg(most)
	if t != money {
		least.Sub(least, big.NewInt(1))
	}
	if v.Cmp(most) > 0 || v.Cmp(least) < 0 {
		panic(otherwise)
	}
	if t == money {
		return v
	}
	return v.Int64()
}

func whole(v any) *big.Int {
	if i, ok := v.(int64); ok {
		return big.NewInt(i)
	}
	return v.(*big.Int)
}

func (n *node) arithmetic(v []any) any {
	over := failure("ARITHMETIC_OVERFLOW")
	switch {
	case n.typ == money:
		over = "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"
	case n.typ == columnar.TinyInt && n.op != "negate":
		over = "BINARY_ARITHMETIC_OVERFLOW"
	}
	x, out := whole(v[0]), new(big.Int)
	if n.op == "negate" {
		return within(out.Neg(x), n.typ, over)
	}
	y := whole(v[1])
	if (n.op == "div" || n.op == "%") && y.Sign() == 0 {
		panic(failure("DIVIDE_BY_ZERO"))
	}
	switch n.op {
	case "+":
		out.Add(x, y)
	case "-":
		out.Sub(x, y)
	case "*":
		if out.Mul(x, y); n.typ == money {
			out = rounded(out)
		}
	case "div":
		out.Quo(x, y)
	case "%":
		out.Rem(x, y)
	}
	return within(out, n.typ, over)
}

// rounded divides by 100, half up.
func rounded(v *big.Int) *big.Int {
	half := big.NewInt(int64(50 * v.Sign()))
	return half.Quo(half.Add(half, v), big.NewInt(100))
}

func (n *node) cast(v any) (out any) {
	if n.op == "TRY_CAST" {
		defer func() {
			if recover() != nil {
				out = nil
			}
		}()
	}
	if n.typ == columnar.String {
		return text(v)
	}
	switch x := v.(type) {
	case bool:
		v = map[bool]int64{true: 1}[x]
	case string:
		if n.typ == columnar.Boolean {
			return truth(x)
		}
		i, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		if err != nil || n.typ != columnar.BigInt && i != within(big.NewInt(i), n.typ, "CAST_INVALID_INPUT") {
			panic(failure("CAST_INVALID_INPUT"))
		}
		return i
	case *big.Int:
		if n.typ != columnar.Boolean {
			v = new(big.Int).Quo(x, big.NewInt(100)).Int64()
		}
	}
	switch {
	case n.typ == columnar.Boolean:
		return whole(v).Sign() != 0
	case n.typ == money:
		return within(new(big.Int).Mul(whole(v), big.NewInt(100)), money, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION")
	}
	return within(whole(v), n.typ, "CAST_OVERFLOW")
}

func truth(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "t", "true", "y", "yes", "1":
		return true
	case "f", "false", "n", "no", "0":
		return false
	}
	panic(failure("CAST_INVALID_INPUT"))
}

func text(v any) string {
	switch x := v.(type) {
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case *big.Int:
		return string(columnar.AppendDecimal(nil, x, 2))
	}
	return v.(string)
}
