package planner

import (
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// PhysicalNode is an operator to run: a ScanExec, FilterExec or ProjectExec. A plan is
// one ProjectExec over at most one FilterExec over one ScanExec.
type PhysicalNode interface {
	Schema() *columnar.Schema
	// Input is nil for a ScanExec.
	Input() PhysicalNode
	// line describes the operator without its input.
	line() string
}

type (
	// ScanExec reads those columns of a source that the plan uses; Out may be empty.
	ScanExec struct {
		Source  string
		Columns []ScanColumn
		Out     *columnar.Schema
	}

	// FilterExec keeps the rows for which Pred, a BOOLEAN, is true.
	FilterExec struct {
		In   PhysicalNode
		Pred compute.Expr
	}

	// ProjectExec computes one expression a column of Out.
	ProjectExec struct {
		In    PhysicalNode
		Exprs []compute.Expr
		Out   *columnar.Schema
	}
)

func (s *ScanExec) Schema() *columnar.Schema    { return s.Out }
func (f *FilterExec) Schema() *columnar.Schema  { return f.In.Schema() }
func (p *ProjectExec) Schema() *columnar.Schema { return p.Out }

func (s *ScanExec) Input() PhysicalNode    { return nil }
func (f *FilterExec) Input() PhysicalNode  { return f.In }
func (p *ProjectExec) Input() PhysicalNode { return p.In }

func (s *ScanExec) line() string    { return "ScanExec " + scanText(s.Source, s.Columns, s.Out) }
func (f *FilterExec) line() string  { return "FilterExec " + f.Pred.String() }
func (p *ProjectExec) line() string { return "ProjectExec " + typedOutput(p.Exprs, p.Out) }

// typedOutput is "page STRING, (amount * 2) AS twice DECIMAL(14,2)".
func typedOutput(exprs []compute.Expr, out *columnar.Schema) string {
	parts := outputTexts(exprs, out)
	for i, f := range out.Fields {
		parts[i] += " " + typeText(f)
	}
	return strings.Join(parts, ", ")
}

// physical lowers an optimized logical plan.
func physical(n LogicalNode) PhysicalNode {
	switch n := n.(type) {
	case *Filter:
		return &FilterExec{In: physical(n.In), Pred: n.Pred}
	case *Project:
		return &ProjectExec{In: physical(n.In), Exprs: n.Exprs, Out: n.Out}
	}
	scan := n.(*Scan)
	return &ScanExec{Source: scan.Source, Columns: scan.Columns, Out: scan.Out}
}

// FormatPhysical prints a plan as a tree, the last operator first.
func FormatPhysical(n PhysicalNode) string {
	var lines []string
	for ; n != nil; n = n.Input() {
		lines = append(lines, n.line())
	}
	return tree(lines)
}

// Fingerprint is 16 hex digits that stay the same as long as the printed plan does,
// however the query is written.
func Fingerprint(n PhysicalNode) string {
	return fmt.Sprintf("%016x", xxh3.HashString(FormatPhysical(n)))
}
