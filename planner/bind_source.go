package planner

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// checkSource refuses an event time or keys of a dedup that the columns of a source do not allow.
func (b *binder) checkSource(t *tableRef, source string, table Table) bool {
	if e := table.EventTime; e != nil {
		at := table.index(e.Column)
		if at < 0 {
			b.fail(t.start, "UNRESOLVED_COLUMN.WITH_SUGGESTION", fmt.Sprintf("the event time %s is no column of %s", e.Column, source), "")
			return false
		}
		if typ := table.columns()[at].Type; typ != columnar.Timestamp {
			b.fail(t.start, "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE", fmt.Sprintf("the event time %s of %s is %s", e.Column, source, typ), "an event time is a TIMESTAMP")
			return false
		}
	}
	d := table.Dedup
	if d == nil {
		return true
	}
	for _, key := range d.Keys {
		if table.index(key) < 0 {
			b.fail(t.start, "UNRESOLVED_COLUMN.WITH_SUGGESTION", fmt.Sprintf("the key %s of dedup is no column of %s", key, source), "")
			return false
		}
	}
	if d.Within && table.EventTime == nil {
		b.fail(t.start, operationFault, "dropDuplicatesWithinWatermark needs a watermark, and "+source+" has none", "give the source a watermark, or leave within_watermark out")
		return false
	}
	return true
}

// columns are those that can be named: a visible column hides a hidden one of the same name.
func (t Table) columns() []columnar.Field {
	out := append([]columnar.Field{}, t.Schema.Fields...)
	if t.Hidden == nil {
		return out
	}
	for _, f := range t.Hidden.Fields {
		if t.Schema.Index(f.Name) < 0 {
			out = append(out, f)
		}
	}
	return out
}

func (t Table) index(name string) int { return columnar.NewSchema(t.columns()...).Index(name) }
