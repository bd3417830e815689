package planner

import (
	"sort"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// Table is a source that a query may name.
type Table struct {
	// Schema holds the columns that * stands for.
	Schema *columnar.Schema
	// Hidden holds metadata columns, such as _offset: they can be named, but are not
	// in *. It may be nil. A column of Schema hides one of Hidden of the same name.
	Hidden *columnar.Schema
	// EventTime of the source; nil: it has none.
	EventTime *EventTime
	// Dedup drops duplicates of the source before the query sees them; nil: it keeps them.
	Dedup *DedupRule
}

// EventTime declares a column as the event time of a source, whose watermark stays Delay microseconds behind it.
type EventTime struct {
	Column string
	Delay  int64
}

// DedupRule is dropDuplicates over columns or, if Within, dropDuplicatesWithinWatermark.
type DedupRule struct {
	Keys   []string
	Within bool
}

// Catalog maps the names of the sources to their tables. As in Spark, names compare
// without regard to case; an exact match is preferred.
type Catalog map[string]Table

// find returns the name under which the catalog holds a table.
func (c Catalog) find(name string) (string, bool) {
	if _, ok := c[name]; ok {
		return name, true
	}
	for _, known := range c.names() {
		if strings.EqualFold(known, name) {
			return known, true
		}
	}
	return "", false
}

func (c Catalog) names() []string {
	out := make([]string, 0, len(c))
	for name := range c {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
