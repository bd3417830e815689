package compute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// shared is an expression that stands at several places; its value is kept while the
// evaluator stays with a batch.
type shared struct {
	Expr
	slot int
}

func (s *shared) inputs() []Expr          { return []Expr{s.Expr} }
func (s *shared) with(inputs []Expr) Expr { return &shared{inputs[0], s.slot} }

// memo is a value with the rows that it was computed for.
type memo struct {
	value  *vector
	known  []byte // 1 for each such row
	failed []columnar.RowError
}

// eval computes the value at the first place that needs it for a row: a branch of a CASE
// that does not choose a row must not compute it.
func (s *shared) eval(ev *Evaluator, rows []int32) *vector {
	if ev.scope != &ev.outermost {
		return s.Expr.eval(ev, rows)
	}
	for len(ev.memos) <= s.slot {
		ev.memos = append(ev.memos, memo{})
	}
	if m := ev.memos[s.slot]; m.covers(rows) {
		ev.failAgain(m.failed, rows)
		return m.value
	}
	before := len(ev.errors)
	m := memo{value: s.Expr.eval(ev, rows), known: ev.nulls()}
	failed := firstOfEach(ev.errors[before:])
	ev.errors = ev.errors[:before+len(failed)]
	m.failed = slices.Clone(failed)
	for _, i := range rows {
		m.known[i] = 1
	}
	ev.memos[s.slot] = m
	return m.value
}

// failAgain records the failures that a value had for the rows: what is made of it at
// another place has to be NULL there, too.
func (ev *Evaluator) failAgain(failed []columnar.RowError, rows []int32) {
	for _, e := range failed {
		if _, ok := slices.BinarySearch(rows, e.Row); ok {
			ev.errors = append(ev.errors, e)
		}
	}
}

func (m *memo) covers(rows []int32) bool {
	if m.value == nil {
		return false
	}
	for _, i := range rows {
		if m.known[i] == 0 {
			return false
		}
	}
	return true
}

// smallestShared is the size from which an expression is worth keeping.
const smallestShared = 3

// Share finds what expressions over one batch have in common and lets it be computed
// once; the result means the same. It is for expressions that are run, not rewritten.
func Share(exprs []Expr) []Expr {
	s := sharer{keys: map[Expr]string{}, free: map[Expr][]Expr{}, uses: map[string]int{}, made: map[string]Expr{}}
	for _, e := range exprs {
		s.count(e)
	}
	out := make([]Expr, len(exprs))
	for i, e := range exprs {
		out[i] = s.replace(e)
	}
	return out
}

// Same reports whether two expressions over the same columns mean the same by how they are written: a + b is b + a.
func Same(a, b Expr) bool {
	if a == b {
		return true
	}
	s := sharer{keys: map[Expr]string{}, unordered: true}
	return s.key(a) == s.key(b)
}

type sharer struct {
	keys map[Expr]string
	free map[Expr][]Expr // what each refers to that is known only around it
	uses map[string]int  // by key: how many different places
	made map[string]Expr // by key: what stands for it
	n    int
	// unordered: the operands of + and the like may change places.
	unordered bool
}

// commutative are the operators that Spark, too, takes as equal whatever the order of their operands.
var commutative = map[string]bool{"+": true, "*": true, "=": true, "<=>": true, "&": true, "|": true, "^": true}

// key is equal for expressions that mean the same.
func (s *sharer) key(e Expr) string {
	if k, ok := s.keys[e]; ok {
		return k
	}
	var b strings.Builder
	b.WriteString(mark(e))
	b.WriteByte('(')
	keys := make([]string, 0, 2)
	for _, x := range e.inputs() {
		keys = append(keys, s.key(x))
	}
	if c, ok := e.(*call); ok && s.unordered && commutative[c.name] {
		slices.Sort(keys)
	}
	for _, k := range keys {
		b.WriteString(k)
		b.WriteByte(',')
	}
	b.WriteByte(')')
	s.keys[e] = b.String()
	return s.keys[e]
}

// mark tells a node from others over the same inputs.
func mark(e Expr) string {
	switch e := e.(type) {
	case *column:
		return fmt.Sprintf("#%d", e.index)
	case *variable:
		return fmt.Sprintf("var %p", e)
	case *call:
		return fmt.Sprintf("%s %t %s", e.name, e.try, e.typ)
	case *castExpr:
		return fmt.Sprintf("cast %t %s", e.try, e.typ)
	}
	return fmt.Sprintf("%T %s %s", e, e.Type(), e)
}

func (s *sharer) count(e Expr) {
	k := s.key(e)
	s.uses[k]++
	if s.uses[k] > 1 {
		return
	}
	for _, x := range e.inputs() {
		s.count(x)
	}
}

func (s *sharer) replace(e Expr) Expr {
	k, closed := s.key(e), len(s.unbound(e)) == 0
	if made, ok := s.made[k]; ok && closed {
		return made
	}
	in := e.inputs()
	out := e
	if len(in) > 0 {
		next := make([]Expr, len(in))
		for i, x := range in {
			next[i] = s.replace(x)
		}
		out = e.with(next)
	}
	if !closed {
		return out
	}
	if s.uses[k] > 1 && shareable(e) {
		out = &shared{out, s.n}
		s.n++
	}
	s.made[k] = out
	return out
}

// unbound lists the variables and held values of e that a lambda or a once around it binds.
func (s *sharer) unbound(e Expr) []Expr {
	if known, ok := s.free[e]; ok {
		return known
	}
	var out []Expr
	switch e := e.(type) {
	case *variable, *held:
		out = []Expr{e}
	case *lambda:
		for _, x := range s.unbound(e.body) {
			if v, ok := x.(*variable); !ok || !slices.Contains(e.params, v) {
				out = append(out, x)
			}
		}
	default:
		o, _ := e.(*once)
		for _, in := range e.inputs() {
			for _, x := range s.unbound(in) {
				if !slices.Contains(out, x) && (o == nil || in == o.value || x != Expr(o.place)) {
					out = append(out, x)
				}
			}
		}
	}
	s.free[e] = out
	return out
}

func shareable(e Expr) bool {
	_, function := e.(*lambda)
	return !function && Size(e) >= smallestShared
}

// Open keeps what is computed over a batch until Close: the calls in between may share it.
func (ev *Evaluator) Open() { ev.open = true }

// Close ends what Open began.
func (ev *Evaluator) Close() {
	ev.open = false
	ev.end()
}
