package parquetfile

import "github.com/parquet-go/parquet-go"

// Stats are the bounds of one column of a file. Min and Max are in the physical type, and bounds, not
// necessarily values: long texts are cut.
type Stats struct {
	Rows, Nulls int64
	Min, Max    parquet.Value
	Bounded     bool // there is at least one value that is not null
	NaN         bool // a float column holds NaN, which bounds say nothing about
	typ         parquet.Type
}

func (s *Stats) add(p *page) {
	s.Rows, s.Nulls, s.NaN = s.Rows+p.rows, s.Nulls+p.nulls, s.NaN || p.nan
	if p.bounded {
		s.widen(p.min, p.max)
	}
}

func (s *Stats) widen(low, high parquet.Value) {
	if !s.Bounded || s.typ.Compare(low, s.Min) < 0 {
		s.Min = low.Clone()
	}
	if !s.Bounded || s.typ.Compare(high, s.Max) > 0 {
		s.Max = high.Clone()
	}
	s.Bounded = true
}

// merge adds the bounds of another row group.
func (s *Stats) merge(o Stats) {
	s.Rows, s.Nulls, s.NaN = s.Rows+o.Rows, s.Nulls+o.Nulls, s.NaN || o.NaN
	if o.Bounded {
		s.widen(o.Min, o.Max)
	}
}
