package planner

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// LogicalNode is an operator of a logical plan. Expressions read the columns of the
// input by position.
type LogicalNode interface {
	Schema() *columnar.Schema
	// Inputs is empty for a Scan; only a Union has more than one.
	Inputs() []LogicalNode
	// line describes the operator without its inputs.
	line() string
}

type (
	// Scan reads columns of a source.
	Scan struct {
		Source  string
		Columns []ScanColumn
		Out     *columnar.Schema
	}

	// Filter keeps the rows for which Pred is true.
	Filter struct {
		In   LogicalNode
		Pred compute.Expr
	}

	// Project computes one expression a column of Out.
	Project struct {
		In    LogicalNode
		Exprs []compute.Expr
		Out   *columnar.Schema
	}

	// Generate makes the rows of a generator, each with the columns Keep of its input
	// before the new ones.
	Generate struct {
		In        LogicalNode
		Generator *compute.Generator
		Keep      []int
		Out       *columnar.Schema
	}

	// Union has the rows of all inputs, whose columns have the types of Out.
	Union struct {
		In  []LogicalNode
		Out *columnar.Schema
	}
)

// ScanColumn is a column that a scan reads: the one at Index of the source's schema
// or, if Hidden, of its hidden columns.
type ScanColumn struct {
	Index  int
	Hidden bool
	Name   string
	Type   columnar.Type
}

func (s *Scan) Schema() *columnar.Schema     { return s.Out }
func (f *Filter) Schema() *columnar.Schema   { return f.In.Schema() }
func (p *Project) Schema() *columnar.Schema  { return p.Out }
func (g *Generate) Schema() *columnar.Schema { return g.Out }
func (u *Union) Schema() *columnar.Schema    { return u.Out }

func (s *Scan) Inputs() []LogicalNode     { return nil }
func (f *Filter) Inputs() []LogicalNode   { return []LogicalNode{f.In} }
func (p *Project) Inputs() []LogicalNode  { return []LogicalNode{p.In} }
func (g *Generate) Inputs() []LogicalNode { return []LogicalNode{g.In} }
func (u *Union) Inputs() []LogicalNode    { return u.In }

func (s *Scan) line() string    { return "Scan " + scanText(s.Source, s.Columns, s.Out) }
func (f *Filter) line() string  { return "Filter " + f.Pred.String() }
func (p *Project) line() string { return "Project " + strings.Join(outputTexts(p.Exprs, p.Out), ", ") }
func (u *Union) line() string   { return "Union" }

func (g *Generate) line() string {
	return "Generate " + generateText(g.Generator, len(g.Keep), g.Out)
}

// generateText is "explode(items) keep=(id) new=(item STRING)".
func generateText(g *compute.Generator, kept int, out *columnar.Schema) string {
	var names, added []string
	for i, f := range out.Fields {
		if i < kept {
			names = append(names, columnar.QuoteName(f.Name))
		} else {
			added = append(added, columnar.QuoteName(f.Name)+" "+f.Type.String())
		}
	}
	return g.String() + " keep=(" + strings.Join(names, ", ") + ") new=(" + strings.Join(added, ", ") + ")"
}

// scanText is "events columns=(ts TIMESTAMP) hidden=(_offset BIGINT NOT NULL)".
func scanText(source string, columns []ScanColumn, out *columnar.Schema) string {
	var visible, hidden []string
	for i, c := range columns {
		text := columnar.QuoteName(c.Name) + " " + typeText(out.Fields[i])
		if c.Hidden {
			hidden = append(hidden, text)
		} else {
			visible = append(visible, text)
		}
	}
	text := columnar.QuoteName(source) + " columns=(" + strings.Join(visible, ", ") + ")"
	if len(hidden) > 0 {
		text += " hidden=(" + strings.Join(hidden, ", ") + ")"
	}
	return text
}

// typeText is "INT" or "INT NOT NULL".
func typeText(f columnar.Field) string {
	if f.Nullable {
		return f.Type.String()
	}
	return f.Type.String() + " NOT NULL"
}

// outputTexts are "page" and "(amount * 2) AS twice", one a column.
func outputTexts(exprs []compute.Expr, out *columnar.Schema) []string {
	parts := make([]string, len(exprs))
	for i, e := range exprs {
		parts[i] = e.String()
		if name := columnar.QuoteName(out.Fields[i].Name); name != parts[i] {
			parts[i] += " AS " + name
		}
	}
	return parts
}
