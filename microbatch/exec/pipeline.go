package exec

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/planner"
)

// OnNull says what becomes of a record without a value (a Kafka tombstone).
type OnNull int

// The settings of on_null_value.
const (
	SkipNull       OnNull = iota // counted, no row
	DeadLetterNull               // a dead letter
	RowForNull                   // a row with every column NULL
)

// Input says how the documents of a source become rows.
type Input struct {
	Name   string
	Format string // "json" or "raw"
	Schema *columnar.Schema
	OnNull OnNull
}

// Pipeline is a compiled plan. It may be used by any number of tasks at once.
type Pipeline struct {
	input    Input
	decoded  *columnar.Schema // the fields of the source that the plan reads
	scan     *columnar.Schema
	columns  []scanColumn
	filters  []compute.Expr
	projects []compute.Expr
	out      *columnar.Schema
}

// scanColumn says where a column of the scan comes from.
type scanColumn struct {
	decoded int    // position in the decoded batch, -1 for a column of the raw batch
	hidden  string // name of the raw column
}

// Compile turns a physical plan of one scan, filters and one projection into a Pipeline.
func Compile(plan planner.PhysicalNode, input Input) (*Pipeline, error) {
	p := &Pipeline{input: input, out: plan.Schema()}
	for node := plan; node != nil; node = node.Input() {
		switch n := node.(type) {
		case *planner.ProjectExec:
			if p.projects != nil || p.filters != nil {
				return nil, fmt.Errorf("plan has a projection below another operator:\n%s", planner.FormatPhysical(plan))
			}
			p.projects = n.Exprs
		case *planner.FilterExec:
			p.filters = append([]compute.Expr{n.Pred}, p.filters...)
		case *planner.ScanExec:
			p.compileScan(n)
		default:
			return nil, fmt.Errorf("plan has an unknown operator %T", n)
		}
	}
	return p, nil
}

func (p *Pipeline) compileScan(scan *planner.ScanExec) {
	p.scan, p.decoded = scan.Out, &columnar.Schema{}
	for i, c := range scan.Columns {
		if c.Hidden {
			p.columns = append(p.columns, scanColumn{decoded: -1, hidden: c.Name})
			continue
		}
		p.columns = append(p.columns, scanColumn{decoded: p.decoded.Len()})
		field := p.input.Schema.Fields[c.Index]
		field.Nullable = scan.Out.Fields[i].Nullable
		p.decoded.Fields = append(p.decoded.Fields, field)
	}
}

// NeedsKey reports whether the plan reads _key, so that the source has to deliver it.
func (p *Pipeline) NeedsKey() bool {
	for _, c := range p.columns {
		if c.hidden == source.KeyColumn {
			return true
		}
	}
	return false
}

func (p *Pipeline) decoder() decode.Decoder {
	if p.input.Format == "raw" {
		return decode.NewRaw()
	}
	return decode.NewJSON(p.decoded, nil)
}
