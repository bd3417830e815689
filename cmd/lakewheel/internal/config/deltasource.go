package config

import (
	"maps"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source/delta"
	"github.com/lakewheel/lakewheel/planner"
)

// DeltaSource is a Delta table that is read as a stream.
type DeltaSource struct {
	Path               string // a folder, or s3://bucket/prefix
	Start              delta.Start
	SkipChanges        bool          // on_change: skip
	Interval           time.Duration // between two looks at the log
	MaxFiles, MaxBytes int64         // of a batch; 0: no bound
	SkipLoss           bool
	Asked              bool // the schema is the table's own, not one that the file declares
	TakesNew           bool // so is what the query takes: a column that came to the table would be among it
}

// Tables tells the schema of a table that a source reads, so that the file need not declare it.
type Tables func(path string, c store.S3Config) (*columnar.Schema, error)

// deltaSource reads sources.<s>.delta. What it returns is done once everything else of the file was read.
func (f *fileReader) deltaSource(n ast.Node, s *Source, what string) func() {
	c := &DeltaSource{Interval: time.Second}
	s.Delta, s.OnNull = c, exec.RowForNull
	f.fields(n, what, map[string]func(ast.Node){
		"path":                f.string(&c.Path, what+".path"),
		"start":               func(n ast.Node) { c.Start = f.deltaStart(n, what+".start") },
		"on_change":           choice(f.reader, &c.SkipChanges, what+".on_change", map[string]bool{"fail": false, "skip": true}),
		"list_interval":       f.duration(&c.Interval, what+".list_interval"),
		"max_files_per_batch": f.whole(&c.MaxFiles, what+".max_files_per_batch", 1),
		"max_bytes_per_batch": f.size(&c.MaxBytes, what+".max_bytes_per_batch", 1),
		"on_data_loss":        choice(f.reader, &c.SkipLoss, what+".on_data_loss", map[string]bool{"fail": false, "skip": true}),
	})
	if c.Path == "" && !f.faultWithin(what+".path") {
		f.fault(n, "%s: path is missing, e.g. path: /lake/events or s3://bucket/prefix", what)
	}
	f.table(n, c.Path, what+".path")
	f.inputs = append(f.inputs, input{n, what, c.reads})
	return func() { f.tableSchema(n, s, what) }
}

// reads reports whether the source is a table.
func (c *DeltaSource) reads(table string) bool {
	below, ok := within(c.Path, table)
	return ok && (below == "." || below == "")
}

// deltaStart is earliest, latest, {version: N} or {time: ...}.
func (f *fileReader) deltaStart(n ast.Node, what string) (s delta.Start) {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		choice(f.reader, &s.Kind, what, map[string]delta.StartKind{"newest": delta.Newest, "earliest": delta.Earliest, "latest": delta.Latest})(n)
		return s
	}
	f.fields(n, what, map[string]func(ast.Node){
		"version": func(n ast.Node) {
			s.Kind = delta.AtVersion
			f.whole(&s.Version, what+".version", 0)(n)
		},
		"time": func(n ast.Node) {
			s.Kind = delta.AtTime
			f.time(&s.Time, what+".time")(n)
		},
	})
	return s
}

// tableSchema is the schema of a source that is a table, unless the file declares one.
func (f *fileReader) tableSchema(n ast.Node, s *Source, what string) {
	switch {
	case s.EventTime != nil && s.EventTime.PerPartition:
		f.fault(n, "%s: a table has no partitions like those of a topic, so watermark.per_partition has no meaning here; leave it out", what)
	case s.Schema != nil || s.Delta.Path == "" || len(f.faults) > 0:
	case f.tables == nil:
		f.fault(n, "%s: the schema is that of the table, which is not asked here; declare it with schema", what)
	default:
		var err error
		if s.Schema, err = f.tables(s.Delta.Path, f.p.S3); err != nil {
			f.fault(n, "%s: %v", what, err)
		}
		s.Delta.Asked = true
	}
}

// newColumn is a name that no table has.
const newColumn = "a column that comes\x00"

// takesNew reports whether a query takes in columns that come to the table of a source, by a * somewhere: it is planned with one.
func takesNew(text string, catalog planner.Catalog, s *Source, opts planner.Options) bool {
	wider := s.table()
	wider.Schema = &columnar.Schema{Fields: append(slices.Clone(s.Schema.Fields), columnar.Field{Name: newColumn, Type: columnar.String, Nullable: true})}
	other := maps.Clone(catalog)
	other[s.Name] = wider
	planned, err := planner.Plan(text, other, opts)
	if err != nil {
		return true // it has a place where the column does not fit
	}
	return slices.ContainsFunc(planner.Scans(planned.Physical), func(scan *planner.ScanExec) bool {
		return scan.Source == s.Name && scan.Out.Index(newColumn) >= 0
	})
}
