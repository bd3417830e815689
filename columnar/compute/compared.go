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
