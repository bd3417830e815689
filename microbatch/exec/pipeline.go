package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
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
	Format string // "json", "csv" or "raw"
	CSV    decode.CSVOptions
	Schema *columnar.Schema
	OnNull OnNull
}

// Pipeline is a compiled plan. It may be used by any number of tasks at once.
type Pipeline struct {
	input    Input
	decoded  *columnar.Schema // the fields of the source that the plan reads
	branches []*branch
	out      *columnar.Schema
	// keepsCorrupt: a document that cannot be decoded makes a row with its text.
	keepsCorrupt bool
}

// CorruptField is the name of a STRING column that takes the text of a document that
// cannot be decoded; every other column is NULL in its row.
const CorruptField = "_corrupt_record"

// Compile turns a physical plan over one source into a Pipeline.
func Compile(plan planner.PhysicalNode, input Input) (*Pipeline, error) {
	p := &Pipeline{input: input, out: plan.Schema(), decoded: &columnar.Schema{}}
	if input.Format == "csv" {
		p.decoded = withoutCorrupt(input.Schema) // values have places, not names
	}
	chains := []planner.PhysicalNode{plan}
	if u, ok := plan.(*planner.UnionExec); ok {
		chains = u.In
	}
	for _, chain := range chains {
		b, err := p.compileBranch(chain)
		if err != nil {
			return nil, err
		}
		p.branches = append(p.branches, b)
	}
	return p, nil
}

func withoutCorrupt(s *columnar.Schema) *columnar.Schema {
	out := &columnar.Schema{}
	for _, f := range s.Fields {
		if f.Name != CorruptField {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// NeedsKey reports whether the plan reads _key, so that the source has to deliver it.
func (p *Pipeline) NeedsKey() bool {
	for _, b := range p.branches {
		for _, c := range b.columns {
			if c.hidden == source.KeyColumn {
				return true
			}
		}
	}
	return false
}

func (p *Pipeline) decoder() decode.Decoder {
	switch p.input.Format {
	case "raw":
		return decode.NewRaw()
	case "csv":
		return decode.NewCSV(p.decoded, p.input.CSV, nil)
	}
	d := decode.NewJSON(p.decoded, nil)
	d.Declare(p.input.Schema)
	return d
}
