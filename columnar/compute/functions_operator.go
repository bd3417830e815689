package compute

import "github.com/lakewheel/lakewheel/columnar"

func entry(name, signature, summary, example string, least, most int, bind func(string, []Expr) (Expr, error)) function {
	return function{FunctionInfo{name, signature, summary, example}, least, most, bind}
}

var operatorFunctions = []function{
	entry("+", "a + b", "Sum; days added to a DATE.", "1 + 2", 2, 2, bindArithmetic),
	entry("-", "a - b", "Difference.", "3 - 2", 2, 2, bindArithmetic),
	entry("*", "a * b", "Product.", "2 * 3", 2, 2, bindArithmetic),
	entry("/", "a / b", "Quotient, DOUBLE or DECIMAL, never an integer.", "7 / 2", 2, 2, bindArithmetic),
	entry("%", "a % b", "Remainder, with the sign of a.", "7 % 2", 2, 2, bindArithmetic),
	entry("mod", "mod(a, b)", "Remainder, with the sign of a.", "mod(7, 2)", 2, 2, bindAlias("%", bindArithmetic)),
	entry("div", "a div b", "Quotient of integers or decimals without its fraction.", "7 div 2", 2, 2, bindArithmetic),
	entry("pmod", "pmod(a, b)", "Remainder that is not negative for a positive b.", "pmod(-7, 2)", 2, 2, bindArithmetic),
	entry("try_add", "try_add(a, b)", "a + b, NULL on overflow.", "try_add(1, 2)", 2, 2, bindTry("+")),
	entry("try_subtract", "try_subtract(a, b)", "a - b, NULL on overflow.", "try_subtract(1, 2)", 2, 2, bindTry("-")),
	entry("try_multiply", "try_multiply(a, b)", "a * b, NULL on overflow.", "try_multiply(1, 2)", 2, 2, bindTry("*")),
	entry("try_divide", "try_divide(a, b)", "a / b, NULL if b is 0 or on overflow.", "try_divide(1, 0)", 2, 2, bindTry("/")),
	entry("negate", "- a", "Negation.", "- 5", 1, 1, bindNegate),
	entry("try_mod", "try_mod(a, b)", "a % b, NULL if b is 0.", "try_mod(7, 0)", 2, 2, bindTry("%")),
	entry("negative", "negative(a)", "Negation.", "negative(5)", 1, 1, bindAlias("negate", bindNegate)),
	entry("positive", "positive(a)", "The number itself.", "positive(5)", 1, 1, bindPositive),
	entry("=", "a = b", "Equal; NaN equals NaN.", "a = 1", 2, 2, bindComparison),
	entry("<=>", "a <=> b", "Equal, where NULL equals NULL.", "a <=> NULL", 2, 2, bindComparison),
	entry("equal_null", "equal_null(a, b)", "a <=> b.", "equal_null(a, NULL)", 2, 2, bindAlias("<=>", bindComparison)),
	entry("<>", "a <> b", "Not equal.", "a <> 1", 2, 2, bindComparison),
	entry("<", "a < b", "Less; NaN is the largest number.", "a < 1", 2, 2, bindComparison),
	entry("<=", "a <= b", "Less or equal.", "a <= 1", 2, 2, bindComparison),
	entry(">", "a > b", "Greater.", "a > 1", 2, 2, bindComparison),
	entry(">=", "a >= b", "Greater or equal.", "a >= 1", 2, 2, bindComparison),
}

func bindAlias(name string, bind func(string, []Expr) (Expr, error)) func(string, []Expr) (Expr, error) {
	return func(_ string, args []Expr) (Expr, error) { return bind(name, args) }
}

// bindTry binds try_add and its like: the operator with failures as NULL. Failures of
// its operands stay failures, but for sums and products that Spark puts in another order.
func bindTry(op string) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		e, err := bindArithmetic(op, args)
		if err != nil {
			return nil, err
		}
		c, ok := e.(*call)
		if !ok {
			return e, nil
		}
		same := *c
		if reordered(op, &same) {
			same.args = []Expr{tolerant(op, c.args[0]), tolerant(op, c.args[1])}
		}
		same.name, same.try = name, true
		return &same, nil
	}
}

// reordered reports whether Spark reorders a sum or product: one of integers of which
// one is a constant. All of it is then computed as the outermost operation is.
func reordered(op string, c *call) bool {
	if op != "+" && op != "*" || !c.typ.Integral() {
		return false
	}
	for _, a := range c.args {
		inner, ok := a.(*call)
		if Literal(Fold(a)) || ok && inner.name == op && reordered(op, inner) {
			return true
		}
	}
	return false
}

func tolerant(op string, e Expr) Expr {
	c, ok := e.(*call)
	if !ok || c.name != op {
		return e
	}
	same := *c
	same.try = true
	same.args = []Expr{tolerant(op, c.args[0]), tolerant(op, c.args[1])}
	return &same
}

const numericWanted = `"NUMERIC"`

// bindArithmetic resolves +, -, *, /, %, div and pmod.
func bindArithmetic(op string, args []Expr) (Expr, error) {
	if e, ok, err := bindDatetimeArithmetic(op, args[0], args[1]); ok {
		return e, err
	}
	l, r := promoteBeside(args[0], args[1])
	if l.Type() == columnar.Null && r.Type() == columnar.Null {
		l, r = typedNull(columnar.Double), typedNull(columnar.Double)
	}
	if op == "div" {
		l, r = widenIntegral(l), widenIntegral(r)
	}
	if isDecimal(l.Type()) || isDecimal(r.Type()) {
		return bindDecimalArithmetic(op, l, r)
	}
	t, ok := tightest(l.Type(), r.Type())
	if !ok || l.Type() != r.Type() && !t.Numeric() || op == "div" && isFloating(t) && l.Type() != r.Type() {
		return nil, binaryDiffTypes(op, l, r)
	}
	if !t.Numeric() || op == "div" && isFloating(t) {
		return nil, binaryWrongType(op, numericWanted, l, r)
	}
	if op == "/" {
		t = columnar.Double
	}
	return &call{name: op, args: []Expr{implicit(l, t), implicit(r, t)}, typ: t, run: arithmeticKernel(op, t)}, nil
}

// promoteBeside casts a string operand to what Spark makes of it beside the other type.
func promoteBeside(l, r Expr) (Expr, Expr) {
	t, ok := promoteString(l.Type(), r.Type())
	if !ok || l.Type() == columnar.Null || r.Type() == columnar.Null {
		return l, r
	}
	return implicit(l, t), implicit(r, t)
}

func widenIntegral(e Expr) Expr {
	if e.Type().Integral() || e.Type() == columnar.Null {
		return implicit(e, columnar.BigInt)
	}
	return e
}

// bindDecimalArithmetic brings integers to DECIMAL; beside FLOAT or DOUBLE both become DOUBLE.
func bindDecimalArithmetic(op string, l, r Expr) (Expr, error) {
	l, r = decimalOperand(l, r.Type()), decimalOperand(r, l.Type())
	if l.Type() == columnar.Double && r.Type() == columnar.Double && op != "div" {
		return bindArithmetic(op, []Expr{l, r})
	}
	if !isDecimal(l.Type()) || !isDecimal(r.Type()) {
		return nil, binaryDiffTypes(op, l, r)
	}
	t := columnar.BigInt
	if op != "div" {
		t = decimalResult(op, l.Type(), r.Type())
	}
	return &call{name: op, args: []Expr{l, r}, typ: t, run: decimalKernel(op, l.Type(), r.Type(), t)}, nil
}

func decimalOperand(e Expr, other columnar.Type) Expr {
	switch {
	case e.Type() == columnar.Null:
		return typedNull(other)
	case isFloating(e.Type()), isDecimal(e.Type()) && isFloating(other):
		return implicit(e, columnar.Double)
	case e.Type().Integral():
		return implicit(e, integerDecimal(e))
	}
	return e
}

// integerDecimal is the DECIMAL for an integer; a literal takes its own digits only.
func integerDecimal(e Expr) columnar.Type {
	v, ok := integerLiteral(e)
	if !ok {
		return decimalFor(e.Type())
	}
	digits := 1
	for v /= 10; v != 0; v /= 10 {
		digits++
	}
	return columnar.Decimal(digits, 0)
}

func bindNegate(name string, args []Expr) (Expr, error) {
	if t := args[0].Type(); t.Interval() {
		return &call{name: name, args: args, typ: t, run: negateInterval(name, t)}, nil
	}
	a, err := numericParameter("-", 0, args[0])
	if err != nil {
		return nil, err
	}
	return &call{name: name, args: []Expr{a}, typ: a.Type(), run: negateKernel(a.Type())}, nil
}

func bindPositive(_ string, args []Expr) (Expr, error) {
	if args[0].Type().Interval() {
		return args[0], nil
	}
	return numericParameter("positive", 0, args[0])
}

// bindComparison resolves the six comparisons and <=>.
func bindComparison(op string, args []Expr) (Expr, error) {
	l, r, ok := comparable(args[0], args[1])
	if !ok {
		return nil, binaryDiffTypes(op, args[0], args[1])
	}
	if !orderable(l.Type()) {
		return nil, mismatch("INVALID_ORDERING_TYPE", "The `%s` does not support ordering on type %s.", op, l.Type())
	}
	return &call{name: op, args: []Expr{l, r}, typ: columnar.Boolean, lenient: op == "<=>", nullable: op != "<=>" && anyNullable(args), run: compareKernel(op, l.Type())}, nil
}

// comparable casts two operands to the type in which they are compared.
func comparable(l, r Expr) (Expr, Expr, bool) {
	l, r = promoteBeside(l, r)
	if isDecimal(l.Type()) && r.Type().Integral() {
		r = implicit(r, integerDecimal(r))
	}
	if isDecimal(r.Type()) && l.Type().Integral() {
		l = implicit(l, integerDecimal(l))
	}
	t, ok := tightest(l.Type(), r.Type())
	if !ok && l.Type().Numeric() && r.Type().Numeric() {
		t, ok = wider(l.Type(), r.Type())
	}
	if !ok && sameShape(l.Type(), r.Type()) {
		t, ok = l.Type(), true
	}
	if !ok {
		return nil, nil, false
	}
	return implicit(l, t), implicit(r, t), true
}
