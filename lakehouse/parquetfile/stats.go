package parquetfile

import "github.com/parquet-go/parquet-go"

// Stats are the bounds of one column of a file. Min and Max are in the physical type, and bounds, not
// necessarily values: long texts are cut.
type Stats struct {
	Rows, Nulls int64
	Min, Max    parquet.Value
	Bounded     bool // there is at least one value that is not null
	NaN         bool // a float column holds NaN, which bounds say nothing about
}

func (s *Stats) add(t parquet.Type, rows, nulls int64, b bounds) {
	s.merge(t, Stats{Rows: rows, Nulls: nulls, Min: b.low, Max: b.high, Bounded: b.ok, NaN: b.nan})
}

// merge adds the bounds of other rows of the column, which is of type t. It keeps no memory of o.
func (s *Stats) merge(t parquet.Type, o Stats) {
	s.Rows, s.Nulls, s.NaN = s.Rows+o.Rows, s.Nulls+o.Nulls, s.NaN || o.NaN
	if !o.Bounded {
		return
	}
	if !s.Bounded || t.Compare(o.Min, s.Min) < 0 {
		s.Min = o.Min.Clone()
	}
	if !s.Bounded || t.Compare(o.Max, s.Max) > 0 {
		s.Max = o.Max.Clone()
	}
	s.Bounded = true
}
