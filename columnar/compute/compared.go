package compute

// mirrored are the comparisons with their sides exchanged.
var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// Compared takes apart a comparison of a column with a constant: column op value, op being one of = < <= > >=. false for any other
// expression, also where the column is cast first.
func Compared(e Expr) (column int, op string, value Expr, ok bool) {
	c, isCall := e.(*call)
	if !isCall || mirrored[c.name] == "" || len(c.args) != 2 {
		return 0, "", nil, false
	}
	if at, ok := Position(c.args[0]); ok && Literal(c.args[1]) {
		return at, c.name, c.args[1], true
	}
	if at, ok := Position(c.args[1]); ok && Literal(c.args[0]) {
		return at, mirrored[c.name], c.args[0], true
	}
	return 0, "", nil, false
}

// Among takes apart a condition that a column is one of some constants: column = value, or column IN (values). false for any other expression.
func Among(e Expr) (column int, values []Expr, ok bool) {
	if at, op, value, ok := Compared(e); ok && op == "=" {
		return at, []Expr{value}, true
	}
	m, isIn := e.(*membership)
	if !isIn {
		return 0, nil, false
	}
	at, ok := Position(m.list[0])
	for _, v := range m.list[1:] {
		ok = ok && Literal(v)
	}
	return at, m.list[1:], ok
}
