package planner

import (
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// PhysicalNode is an operator to run. A plan is a chain of operators that keep no state, or a UnionExec over such chains.
// A chain holds ProjectExec, FilterExec, GenerateExec and WindowExec, and above a scan also WatermarkExec; it ends in a ScanExec or
// in an operator with state, an AggregateExec or a DedupExec, whose input is again a chain or a UnionExec over chains. So
// no UnionExec stands directly below another one or below an operator without state, but for SortExec and LimitExec, which
// stand above the last AggregateExec of a complete result.
type PhysicalNode interface {
	Schema() *columnar.Schema
	// Inputs is empty for a ScanExec; only a UnionExec has more than one.
	Inputs() []PhysicalNode
	// line describes the operator without its inputs.
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

	// GenerateExec makes the rows of a generator, each with the columns Keep of its input
	// before the new ones.
	GenerateExec struct {
		In        PhysicalNode
		Generator *compute.Generator
		Keep      []int
		Out       *columnar.Schema
	}

	// UnionExec has the rows of all inputs.
	UnionExec struct {
		In  []PhysicalNode
		Out *columnar.Schema
	}
)

func (s *ScanExec) Schema() *columnar.Schema     { return s.Out }
func (f *FilterExec) Schema() *columnar.Schema   { return f.In.Schema() }
func (p *ProjectExec) Schema() *columnar.Schema  { return p.Out }
func (g *GenerateExec) Schema() *columnar.Schema { return g.Out }
func (u *UnionExec) Schema() *columnar.Schema    { return u.Out }

func (s *ScanExec) Inputs() []PhysicalNode     { return nil }
func (f *FilterExec) Inputs() []PhysicalNode   { return []PhysicalNode{f.In} }
func (p *ProjectExec) Inputs() []PhysicalNode  { return []PhysicalNode{p.In} }
func (g *GenerateExec) Inputs() []PhysicalNode { return []PhysicalNode{g.In} }
func (u *UnionExec) Inputs() []PhysicalNode    { return u.In }

func (s *ScanExec) line() string    { return "ScanExec " + scanText(s.Source, s.Columns, s.Out) }
func (f *FilterExec) line() string  { return "FilterExec " + f.Pred.String() }
func (p *ProjectExec) line() string { return "ProjectExec " + typedOutput(p.Exprs, p.Out) }
func (u *UnionExec) line() string   { return "UnionExec" }

func (g *GenerateExec) line() string {
	return "GenerateExec " + generateText(g.Generator, len(g.Keep), g.Out)
}

// typedOutput is "page STRING, (amount * 2) AS twice DECIMAL(14,2)".
func typedOutput(exprs []compute.Expr, out *columnar.Schema) string {
	parts := outputTexts(exprs, out)
	for i, f := range out.Fields {
		parts[i] += " " + typeText(f)
	}
	return strings.Join(parts, ", ")
}

// FormatPhysical prints a plan as a tree, the last operator first.
func FormatPhysical(n PhysicalNode) string {
	return tree(n, PhysicalNode.Inputs)
}

// Scans lists the scans of a plan, from left to right.
func Scans(n PhysicalNode) []*ScanExec {
	if s, ok := n.(*ScanExec); ok {
		return []*ScanExec{s}
	}
	var out []*ScanExec
	for _, in := range n.Inputs() {
		out = append(out, Scans(in)...)
	}
	return out
}

// Fingerprint is 16 hex digits that stay the same as long as the printed plan does,
// however the query is written.
func Fingerprint(n PhysicalNode) string {
	return fmt.Sprintf("%016x", xxh3.HashString(FormatPhysical(n)))
}
