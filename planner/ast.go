package planner

import "strings"

// span is the part of the text that a node was read from, as byte offsets.
type span struct{ start, end int }

func (s span) place() span { return s }

// node is an expression of the syntax tree. Names in it are not resolved.
type node interface{ place() span }

// ident is one name as written.
type ident struct {
	span
	text   string
	quoted bool
}

type literalKind uint8

const (
	nullLiteral literalKind = iota
	boolLiteral
	numberLiteral
	stringLiteral
	bytesLiteral
	dateLiteral
	timestampLiteral
	timestampNTZLiteral
)

type (
	// literal holds the value as text: digits with sign and suffix, "true", the string,
	// the hex digits.
	literal struct {
		span
		kind literalKind
		text string
	}

	// name is a column reference: column, table.column, column.field, ...
	name struct {
		span
		parts []ident
	}

	// star is * or table.*, perhaps without some columns.
	star struct {
		span
		table  []ident
		except []ident
	}

	// operation is an operator or a predicate over its operands: "+", "and", "not",
	// "in", "between", "like", "isnull", "<=>", ... at is the place of the operator.
	operation struct {
		span
		op   string
		at   int
		args []node
	}

	// call is a function call. extras is the place of a DISTINCT, FILTER, OVER, ... in it.
	call struct {
		span
		name   ident
		args   []node
		extras []extra
		// aliases are the names that arguments of struct() were given, by position.
		aliases []ident
	}

	// cast is CAST, TRY_CAST or ::.
	cast struct {
		span
		value node
		to    typeName
		try   bool
	}

	// branch is one WHEN of a CASE.
	branch struct{ when, then node }

	// choice is CASE in both forms; operand and otherwise may be nil.
	choice struct {
		span
		operand   node
		branches  []branch
		otherwise node
	}

	// interval is INTERVAL 10 MINUTES in any of its spellings, as value and unit pairs,
	// values with their signs; the unit of INTERVAL '10 minutes' is "".
	interval struct {
		span
		values, units []string
	}

	// access is value.field, value[index] or value:path.
	access struct {
		span
		value node
		kind  string // ".", "[" or ":"
		name  ident  // the field
		path  string // the field, or the path as written
		index node
	}

	// list is (a, b): a row, or the parameters of a lambda.
	list struct {
		span
		items []node
	}

	// subquery is (SELECT ...) or EXISTS (SELECT ...) in an expression.
	subquery struct {
		span
		query *query
	}
)

// extra is a part of a call that is not an argument, such as OVER.
type extra struct {
	span
	keyword string
	nodes   []node
}

// selectItem is one column of a SELECT list; alias.text may be "". A generator has
// several columns, which aliases may name: explode(m) AS (k, v).
type selectItem struct {
	expr    node
	alias   ident
	aliases []ident
}

// query is a SELECT with the clauses that the dialect has, and the queries that UNION
// adds to it. ORDER BY, LIMIT and OFFSET are about all of them. extras holds what is
// read and not bound, in the order of the text.
type query struct {
	span
	with     []cte
	inner    *query // instead of a SELECT: a query in parentheses
	distinct bool
	items    []selectItem
	from     *tableRef
	views    []lateralView
	where    node
	group    *groupBy
	having   node
	extras   []extra
	unions   []union
	order    []sortItem
	limit    node
	offset   node
}

// groupBy is GROUP BY keys, or GROUP BY ALL.
type groupBy struct {
	span
	keys []node
	all  bool
}

// union is a query that UNION [ALL] adds to those before it.
type union struct {
	query    *query
	distinct bool
}

// sortItem is an expression of ORDER BY.
type sortItem struct {
	expr                  node
	descending, nullsLast bool
}

// cte is a named query of WITH; it may name its columns.
type cte struct {
	name    ident
	columns []ident
	query   *query
}

// lateralView is LATERAL VIEW [OUTER] call table [AS columns].
type lateralView struct {
	span
	outer   bool
	call    node
	table   ident
	columns []ident
}

// tableRef is the first item of FROM: a named table, a table function or a subquery.
type tableRef struct {
	span
	name    []ident
	alias   ident
	columns []ident // names for the columns: t(a, b)
	call    *call   // TUMBLE(...), TABLE(TUMBLE(...))
	query   *query  // (SELECT ...)
}

// children lists the expressions directly below n, subqueries excluded.
func children(n node) []node {
	switch n := n.(type) {
	case *operation:
		return n.args
	case *call:
		out := n.args
		for _, e := range n.extras {
			out = append(out[:len(out):len(out)], e.nodes...)
		}
		return out
	case *cast:
		return []node{n.value}
	case *choice:
		return n.children()
	case *access:
		if n.index != nil {
			return []node{n.value, n.index}
		}
		return []node{n.value}
	case *list:
		return n.items
	}
	return nil
}

func (c *choice) children() []node {
	var out []node
	if c.operand != nil {
		out = append(out, c.operand)
	}
	for _, b := range c.branches {
		out = append(out, b.when, b.then)
	}
	if c.otherwise != nil {
		out = append(out, c.otherwise)
	}
	return out
}

// height is the number of nodes on the longest way down from n.
func height(n node) int {
	deepest := 0
	for _, c := range children(n) {
		deepest = max(deepest, height(c))
	}
	return deepest + 1
}

// extent counts the nodes of n and those of its bound form, in which an operand that a
// rewrite repeats counts each time: nested repeats multiply. bound stops growing at a
// number that no text reaches without repeats.
func extent(n node) (nodes, bound int) {
	nodes, bound = 1, 1
	for i, c := range children(n) {
		times := 1
		if i == 0 {
			times = repeats(n)
		}
		more, heavier := extent(c)
		nodes, bound = nodes+more, min(bound+times*heavier, 2*maxTextBytes)
	}
	return nodes, bound
}

// repeats is how often binding evaluates the first operand of n.
func repeats(n node) int {
	switch n := n.(type) {
	case *operation:
		if n.op == "between" {
			return 2
		}
	case *call:
		if strings.EqualFold(n.name.text, "nullif") || strings.EqualFold(n.name.text, "nullifzero") {
			return 2
		}
	case *choice:
		if n.operand != nil {
			return len(n.branches)
		}
	}
	return 1
}

// expressions lists the roots of every expression in q, its clauses included.
func (q *query) expressions() []node {
	var out []node
	for _, item := range q.items {
		out = append(out, item.expr)
	}
	for _, n := range []node{q.where, q.having, q.limit, q.offset} {
		if n != nil {
			out = append(out, n)
		}
	}
	for _, v := range q.views {
		out = append(out, v.call)
	}
	if q.group != nil {
		out = append(out, q.group.keys...)
	}
	for _, s := range q.order {
		out = append(out, s.expr)
	}
	for _, e := range q.extras {
		out = append(out, e.nodes...)
	}
	return out
}

// queries lists the queries directly within q.
func (q *query) queries() []*query {
	var out []*query
	for _, c := range q.with {
		out = append(out, c.query)
	}
	if q.inner != nil {
		out = append(out, q.inner)
	}
	if q.from != nil && q.from.query != nil {
		out = append(out, q.from.query)
	}
	for _, u := range q.unions {
		out = append(out, u.query)
	}
	return out
}
