package config

import (
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/planner"
)

// EventTime is the watermark that a source declares.
type EventTime struct {
	Column string // a TIMESTAMP of the schema
	Delay  time.Duration
	// IdleTimeout lets the other inputs go on when this one has had nothing to read for so long; 0: never.
	IdleTimeout time.Duration
	// PerPartition: the slowest partition holds the watermark, not the fastest.
	PerPartition bool
}

// LateRows says what becomes of rows behind the watermark.
type LateRows int

// The settings of late_rows.
const (
	CountLate  LateRows = iota // they are counted
	TableLate                  // counted, and kept in a side table
	UpdateLate                 // within the allowed lateness they correct what was emitted
)

// watermark reads sources.<s>.watermark. What it returns checks it against the schema, once that is known.
func (f *fileReader) watermark(n ast.Node, s *Source, what string) func() {
	e := &EventTime{Delay: -1}
	columnAt := n
	f.fields(n, what, map[string]func(ast.Node){
		"column": func(n ast.Node) {
			columnAt = n
			f.string(&e.Column, what+".column")(n)
		},
		"delay":         f.duration(&e.Delay, what+".delay"),
		"idle_timeout":  f.positive(&e.IdleTimeout, what+".idle_timeout"),
		"per_partition": f.bool(&e.PerPartition, what+".per_partition"),
	})
	if e.Delay < 0 && !f.faultWithin(what+".delay") {
		f.fault(n, "%s: delay is missing, e.g. delay: 10 seconds", what)
	}
	s.EventTime = e
	return func() { f.eventTimeColumn(columnAt, s, what) }
}

// eventTimeColumn gives the event-time column the spelling of the schema.
func (f *fileReader) eventTimeColumn(n ast.Node, s *Source, what string) {
	if s.EventTime.Column == "" {
		f.unsound = true
		f.fault(n, "%s: column is missing; it names the TIMESTAMP column that holds the event time", what)
		return
	}
	c, ok := f.sourceColumn(n, s, s.EventTime.Column, what+".column")
	if ok && c.Type != columnar.Timestamp {
		f.unsound = true
		f.fault(n, "%s.column: [EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE] %s is %s, and an event time is a TIMESTAMP", what, c.Name, c.Type)
	}
	s.EventTime.Column = c.Name
}

// dedup reads sources.<s>.dedup. What it returns checks it against the schema, once that is known.
func (f *fileReader) dedup(n ast.Node, s *Source, what string) func() {
	s.Dedup = &planner.DedupRule{}
	keysAt := n
	f.fields(n, what, map[string]func(ast.Node){
		"keys": func(n ast.Node) {
			keysAt = n
			f.strings(&s.Dedup.Keys, what+".keys")(n)
		},
		"within_watermark": f.bool(&s.Dedup.Within, what+".within_watermark"),
	})
	if len(s.Dedup.Keys) == 0 && !f.faultWithin(what+".keys") {
		f.fault(keysAt, "%s: keys is missing; it names the columns that are equal in duplicates, e.g. keys: [id]", what)
	}
	return func() {
		for i, key := range s.Dedup.Keys {
			c, _ := f.sourceColumn(keysAt, s, key, what+".keys")
			s.Dedup.Keys[i] = c.Name
		}
		if s.Dedup.Within && s.EventTime == nil {
			f.unsound = true
			f.fault(n, "%s: within_watermark keeps a key for the delay of the watermark, and the source declares none; add watermark: {column: ..., delay: ...}", what)
		}
	}
}

// sourceColumn finds a column of the schema. One that is not there is a fault, unless the schema has a fault itself.
func (f *fileReader) sourceColumn(n ast.Node, s *Source, name, what string) (columnar.Field, bool) {
	if s.Schema == nil {
		return columnar.Field{}, false
	}
	if i := s.Schema.Index(name); i >= 0 {
		return s.Schema.Fields[i], true
	}
	var names []string
	for _, c := range s.Schema.Fields {
		names = append(names, c.Name)
	}
	f.unsound = true
	f.fault(n, "%s: [UNRESOLVED_COLUMN.WITH_SUGGESTION] the schema has no column %s%s", what, name, suggestion(name, names))
	return columnar.Field{}, false
}

// table is the source as the planner sees it.
func (s *Source) table() planner.Table {
	t := planner.Table{Schema: s.Schema, Hidden: hiddenColumns(s), Dedup: s.Dedup}
	if s.EventTime != nil {
		t.EventTime = &planner.EventTime{Column: s.EventTime.Column, Delay: s.EventTime.Delay.Microseconds()}
	}
	return t
}
