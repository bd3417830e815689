package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// scope is what names of a query may refer to: the columns of one source, visible
// ones first.
type scope struct {
	source, alias string
	columns       []ScanColumn
	schema        *columnar.Schema
	visible       int
}

func newScope(source, alias string, t Table) *scope {
	s := &scope{source: source, alias: alias, schema: &columnar.Schema{}}
	s.add(t.Schema, false)
	s.visible = len(s.columns)
	s.add(t.Hidden, true)
	return s
}

func (s *scope) add(from *columnar.Schema, hidden bool) {
	if from == nil {
		return
	}
	for i, f := range from.Fields {
		if hidden && s.schema.Index(f.Name) >= 0 {
			continue
		}
		s.columns = append(s.columns, ScanColumn{Index: i, Hidden: hidden, Name: f.Name, Type: f.Type})
		s.schema.Fields = append(s.schema.Fields, f)
	}
}

func (s *scope) scan() *Scan {
	return &Scan{Source: s.source, Columns: s.columns, Out: s.schema}
}

func (s *scope) column(i int) compute.Expr {
	f := s.schema.Fields[i]
	return compute.Column(i, f.Name, f.Type, f.Nullable)
}

// named reports whether the parts name the scope's table.
func (s *scope) named(parts []ident) bool {
	return len(parts) == 1 && strings.EqualFold(parts[0].text, s.alias)
}

// resolve finds the column that a dotted name refers to; it returns the position and
// how many parts were used, or -1.
func (s *scope) resolve(parts []ident) (index, used int) {
	if len(parts) > 1 && s.named(parts[:1]) {
		if i := s.schema.Index(parts[1].text); i >= 0 {
			return i, 2
		}
	}
	if i := s.schema.Index(parts[0].text); i >= 0 {
		return i, 1
	}
	return -1, 0
}

// names lists the columns for suggestions.
func (s *scope) names() []string {
	out := make([]string, len(s.schema.Fields))
	for i, f := range s.schema.Fields {
		out[i] = f.Name
	}
	return out
}

// shownColumns is how many columns a hint lists.
const shownColumns = 12

// suggestion is the hint for a name that the scope does not have.
func (s *scope) suggestion(parts []ident) string {
	last := parts[len(parts)-1].text
	if len(parts) > 1 && !s.named(parts[:1]) && s.schema.Index(last) >= 0 {
		return "did you mean " + s.alias + "." + last + "?"
	}
	if near := closest(last, s.names()); near != "" {
		return didYouMean(near)
	}
	visible := s.names()[:s.visible]
	if len(visible) > shownColumns {
		more := len(visible) - shownColumns
		return fmt.Sprintf("%s has %s and %d more", s.source, strings.Join(visible[:shownColumns], ", "), more)
	}
	return s.source + " has " + strings.Join(visible, ", ")
}
