package planner

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// LogicalNode is an operator of a logical plan: a Scan, Filter or Project.
// Expressions read the columns of the input by position.
type LogicalNode interface {
	Schema() *columnar.Schema
	// Input is nil for a Scan.
	Input() LogicalNode
	// line describes the operator without its input.
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
)

// ScanColumn is a column that a scan reads: the one at Index of the source's schema
// or, if Hidden, of its hidden columns.
type ScanColumn struct {
	Index  int
	Hidden bool
	Name   string
	Type   columnar.Type
}

func (s *Scan) Schema() *columnar.Schema    { return s.Out }
func (f *Filter) Schema() *columnar.Schema  { return f.In.Schema() }
func (p *Project) Schema() *columnar.Schema { return p.Out }

func (s *Scan) Input() LogicalNode    { return nil }
func (f *Filter) Input() LogicalNode  { return f.In }
func (p *Project) Input() LogicalNode { return p.In }

func (s *Scan) line() string    { return "Scan " + scanText(s.Source, s.Columns, s.Out) }
func (f *Filter) line() string  { return "Filter " + f.Pred.String() }
func (p *Project) line() string { return "Project " + strings.Join(outputTexts(p.Exprs, p.Out), ", ") }

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
