package exec

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/microbatch/source"
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

// Pipeline is what a plan does with the rows of one source, up to the first stateful operator or the sink. It may be used
// by any number of tasks at once.
type Pipeline struct {
	input    Input
	decoded  *columnar.Schema // the fields of the source that the plan reads
	branches []*branch
	// keepsCorrupt: a document that cannot be decoded makes a row with its text.
	keepsCorrupt bool
}

// CorruptField is the name of a STRING column that takes the text of a document that
// cannot be decoded; every other column is NULL in its row.
const CorruptField = "_corrupt_record"

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

// Reads are the columns of the source that the plan reads, for a source whose rows are columns already.
func (p *Pipeline) Reads() *columnar.Schema { return p.decoded }

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
