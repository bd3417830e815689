package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// scope is what the names of a query may refer to: the columns of the relations of its
// FROM, in the order in which node has them.
type scope struct {
	node      LogicalNode
	relations []string // aliases
	columns   []scopeColumn
	schema    *columnar.Schema
	// marked are expressions with marks, windows what the window functions of the query made.
	marked  []marked
	windows windows
}

// scopeColumn says which relation a column belongs to; hidden ones are not in *, and nameless ones have no name in a query.
type scopeColumn struct {
	relation         int
	hidden, nameless bool
	mark             timeMark
}

// sourceScope is the scope of one source.
func sourceScope(source, alias string, t Table) *scope {
	s := &scope{relations: []string{alias}, schema: &columnar.Schema{}}
	scan := &Scan{Source: source, Out: s.schema}
	for i, f := range t.Schema.Fields {
		scan.Columns = append(scan.Columns, ScanColumn{Index: i, Name: f.Name, Type: f.Type})
		s.add(f, 0, false)
	}
	if t.Hidden != nil {
		for i, f := range t.Hidden.Fields {
			if s.schema.Index(f.Name) < 0 {
				scan.Columns = append(scan.Columns, ScanColumn{Index: i, Hidden: true, Name: f.Name, Type: f.Type})
				s.add(f, 0, true)
			}
		}
	}
	s.node = scan
	s.observe(source, t)
	return s
}

// observe puts the watermark and the dedup that a source declares above its scan.
func (s *scope) observe(source string, t Table) {
	at, delay := -1, int64(0)
	if t.EventTime != nil {
		at, delay = s.schema.Index(t.EventTime.Column), t.EventTime.Delay
		s.columns[at].mark.event = true
		s.node = &Watermark{In: s.node, Source: source, Column: at, Delay: delay}
	}
	if t.Dedup != nil {
		d := &Dedup{In: s.node, Within: t.Dedup.Within, Delay: delay, EventTime: at}
		for _, key := range t.Dedup.Keys {
			d.Keys = append(d.Keys, s.schema.Index(key))
		}
		s.node = d
	}
}

// derivedScope is the scope of a query in FROM.
func derivedScope(alias string, n LogicalNode, marks []timeMark) *scope {
	s := &scope{node: n, relations: []string{alias}, schema: &columnar.Schema{}}
	for i, f := range n.Schema().Fields {
		s.add(f, 0, false)
		s.columns[i].mark = marks[i]
	}
	return s
}

func (s *scope) add(f columnar.Field, relation int, hidden bool) {
	s.schema.Fields = append(s.schema.Fields, f)
	s.columns = append(s.columns, scopeColumn{relation: relation, hidden: hidden})
}

func (s *scope) column(i int) compute.Expr {
	f := s.schema.Fields[i]
	return compute.Column(i, f.Name, f.Type, f.Nullable)
}

// relation is the position of the relation with an alias, or -1.
func (s *scope) relation(parts []ident) int {
	if len(parts) == 1 {
		for i, alias := range s.relations {
			if alias != "" && strings.EqualFold(parts[0].text, alias) {
				return i
			}
		}
	}
	return -1
}

// find lists the columns of a name in a relation, or in all of them if it is -1. As for
// every name, an exact match is preferred.
func (s *scope) find(relation int, name string) (exact, folded []int) {
	for i, f := range s.schema.Fields {
		switch {
		case s.columns[i].nameless, relation >= 0 && s.columns[i].relation != relation:
		case f.Name == name:
			exact, folded = append(exact, i), append(folded, i)
		case strings.EqualFold(f.Name, name):
			folded = append(folded, i)
		}
	}
	return exact, folded
}

// resolve finds the column that a dotted name refers to; it returns the position and
// how many parts were used. found is how many columns have the name.
func (s *scope) resolve(parts []ident) (index, used, found int) {
	if r := s.relation(parts[:1]); len(parts) > 1 && r >= 0 {
		if i, n := s.one(r, parts[1].text); n > 0 {
			return i, 2, n
		}
	}
	i, n := s.one(-1, parts[0].text)
	return i, 1, n
}

func (s *scope) one(relation int, name string) (index, found int) {
	exact, folded := s.find(relation, name)
	switch {
	case len(exact) > 0:
		return exact[0], len(exact)
	case len(folded) > 0:
		return folded[0], len(folded)
	}
	return -1, 0
}

// names lists the columns for suggestions.
func (s *scope) names() []string {
	var out []string
	for i, f := range s.schema.Fields {
		if !s.columns[i].nameless {
			out = append(out, f.Name)
		}
	}
	return out
}

func (s *scope) visible() []string {
	var out []string
	for i, f := range s.schema.Fields {
		if !s.columns[i].hidden {
			out = append(out, f.Name)
		}
	}
	return out
}

// shownColumns is how many columns a hint lists.
const shownColumns = 12

// suggestion is the hint for a name that the scope does not have.
func (s *scope) suggestion(parts []ident) string {
	last := parts[len(parts)-1].text
	if i, n := s.one(-1, last); len(parts) > 1 && s.relation(parts[:1]) < 0 && n > 0 {
		return "did you mean " + s.relations[s.columns[i].relation] + "." + last + "?"
	}
	if near := closest(last, s.names()); near != "" {
		return didYouMean(near)
	}
	visible := s.visible()
	if len(visible) == 0 {
		return ""
	}
	what := strings.Join(s.relations, ", ")
	if len(visible) > shownColumns {
		more := len(visible) - shownColumns
		return fmt.Sprintf("%s has %s and %d more", what, strings.Join(visible[:shownColumns], ", "), more)
	}
	return what + " has " + strings.Join(visible, ", ")
}
