package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/planner"
)

// maxFileBytes bounds a pipeline file.
const maxFileBytes = 4 << 20

// Load reads and checks a pipeline file. The error is Faults, or that of reading the file.
func Load(file string, env func(string) (string, bool)) (*Pipeline, error) {
	return LoadWith(file, env, nil)
}

// LoadWith is Load for a file that may leave out the schemas of tables, which are asked.
func LoadWith(file string, env func(string) (string, bool), tables Tables) (*Pipeline, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(file, string(b), env, tables)
}

// Parse checks the text of a pipeline file; file is its name in messages.
func Parse(file, text string, env func(string) (string, bool)) (*Pipeline, error) {
	return parse(file, text, env, nil)
}

func parse(file, text string, env func(string) (string, bool), tables Tables) (*Pipeline, error) {
	r := &reader{file: file, text: text, env: env}
	p := defaults(file)
	if len(text) > maxFileBytes {
		r.faultAt(1, 1, "a pipeline file has at most %d bytes", maxFileBytes)
		return nil, r.faults
	}
	root, ok := r.parse()
	if !ok {
		return nil, r.faults.sorted()
	}
	f := &fileReader{reader: r, p: p, tables: tables}
	f.pipeline(root)
	if len(r.faults) > 0 {
		return nil, r.faults.sorted()
	}
	return p, nil
}

// LoadSource reads one source of a pipeline file, which may lack everything else, also
// the schema; name "" is the first source.
func LoadSource(file, name string, env func(string) (string, bool)) (*Source, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	f := &fileReader{reader: &reader{file: file, text: string(b), env: env}, p: defaults(file), sources: map[string]*Source{}, anySchema: true}
	root, ok := f.parse()
	if ok {
		for _, p := range f.pairs(root, "pipeline") {
			if p.name == "sources" {
				f.readSources(p.value)
			}
		}
		f.runChecks()
	}
	switch {
	case len(f.faults) > 0:
		return nil, f.faults.sorted()
	case len(f.declared) == 0:
		return nil, fmt.Errorf("%s: no sources", file)
	case name == "":
		name = f.declared[0].name
	}
	s, ok := f.sources[name]
	if !ok {
		return nil, fmt.Errorf("%s: there is no source %s", file, name)
	}
	return s, nil
}

// parse makes the tree of the text, which is one document.
func (r *reader) parse() (ast.Node, bool) {
	tree, err := parser.ParseBytes([]byte(r.text), 0)
	if err != nil {
		r.syntax(err)
		return nil, false
	}
	if len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		r.faultAt(1, 1, "expected one pipeline; the file is empty or has several documents")
		return nil, false
	}
	return tree.Docs[0].Body, true
}

func (r *reader) syntax(err error) {
	var syntax yaml.Error
	if errors.As(err, &syntax) && syntax.GetToken() != nil {
		pos := syntax.GetToken().Position
		r.faultAt(pos.Line, pos.Column, "YAML: %s", syntax.GetMessage())
		return
	}
	r.faultAt(1, 1, "YAML: %v", err)
}

// fileReader reads the keys of a pipeline.
type fileReader struct {
	*reader
	p        *Pipeline
	query    ast.Node
	sources  map[string]*Source
	declared []pair   // the entries of sources, in the order of the file
	inputs   []input  // folders that are read
	checks   []func() // of the sources, once everything was read
	tables   Tables   // nil: tables are not asked
	hasSink  bool
	restart  restartSettings
	times    scheduleSettings
	// Where keys stand that are checked against others at the end; nil: they are not there.
	modeAt, lateAt, latenessAt, lateTableAt, plainAt, compactionAt, propertiesAt ast.Node
	mergeAt                                                                      mergeAt
	// unsound: the query cannot be planned over a source, which has a fault already.
	unsound bool
	// anySchema: a source need not declare its schema.
	anySchema bool
}

var nameRule = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

func (f *fileReader) pipeline(root ast.Node) {
	f.sources = map[string]*Source{}
	known := f.modeKeys()
	maps.Copy(known, map[string]func(ast.Node){
		"name":          f.name(&f.p.Name),
		"previous_name": f.name(&f.p.PreviousName),
		"sources":       f.readSources,
		"query":         func(n ast.Node) { f.query = n },
		"sink":          f.sink,
		"trigger":       f.trigger,
		"commit":        f.commit,
		"limits":        f.limits,
		"side_tables":   f.sideTables,
		"s3":            f.s3,
		"drain_timeout": f.duration(&f.p.DrainTimeout, "drain_timeout"),
		"schedule":      f.schedule,
		"timezone":      f.timezone,
	})
	f.fields(root, "pipeline", known)
	f.runChecks()
	f.required(root)
	f.plan()
	f.finish()
}

func (f *fileReader) runChecks() {
	for _, check := range f.checks {
		check()
	}
}

func (f *fileReader) name(to *string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := f.scalar(n, "name")
		if ok && !nameRule.MatchString(text) {
			f.fault(n, "name: %q is not 1 to 64 of the characters a-z 0-9 _ -", text)
		}
		*to = text
	}
}

func (f *fileReader) required(root ast.Node) {
	if f.p.Name == "" {
		f.fault(root, "pipeline: name is missing; it is the pipeline's identity within the table")
	}
	if len(f.sources) == 0 {
		f.fault(root, "pipeline: sources is missing")
	}
	if f.query == nil {
		f.fault(root, "pipeline: query is missing")
	}
	if !f.hasSink {
		f.fault(root, "pipeline: sink is missing; for a look at the rows say sink: {console: {}}")
	}
}

func (f *fileReader) sink(n ast.Node) {
	f.hasSink = true
	kinds := 0
	f.fields(n, "sink", map[string]func(ast.Node){
		"delta": func(n ast.Node) {
			kinds++
			f.delta(n)
		},
		"console": func(n ast.Node) {
			kinds++
			f.p.Sink.Console = true
			f.fields(n, "sink.console", map[string]func(ast.Node){})
		},
		"merge":    f.merge,
		"existing": choice(f.reader, &f.p.Sink.Append, "sink.existing", map[string]bool{"append": true, "fail": false}),
		"parquet": func(n ast.Node) {
			kinds++
			f.parquet(n)
		},
	})
	if kinds != 1 {
		f.fault(n, "sink: expected exactly one of delta, parquet, console")
	}
}

func (f *fileReader) delta(n ast.Node) {
	f.fields(n, "sink.delta", map[string]func(ast.Node){
		"path":         f.string(&f.p.Sink.Path, "sink.delta.path"),
		"partition_by": f.strings(&f.p.Sink.PartitionBy, "sink.delta.partition_by"),
		"properties": func(n ast.Node) {
			f.propertiesAt = n
			f.texts(f.p.Sink.Properties, "sink.delta.properties")(n)
		},
		"sort_by":          f.sortBy,
		"bloom_filters":    f.bloomFilters,
		"schema_evolution": choice(f.reader, &f.p.Sink.AddColumns, "sink.delta.schema_evolution", map[string]bool{"add_columns": true, "off": false}),
	})
	if f.p.Sink.Path == "" {
		f.fault(n, "sink.delta: path is missing")
	}
	f.table(n, f.p.Sink.Path, "sink.delta.path")
}

func (f *fileReader) trigger(n ast.Node) {
	f.fields(n, "trigger", map[string]func(ast.Node){
		"interval":      f.duration(&f.p.Trigger.Interval, "trigger.interval"),
		"available_now": f.bool(&f.p.Trigger.AvailableNow, "trigger.available_now"),
	})
}

func (f *fileReader) commit(n ast.Node) {
	f.fields(n, "commit", map[string]func(ast.Node){
		"interval":         f.duration(&f.p.Commit.Interval, "commit.interval"),
		"max_idle":         f.duration(&f.p.Commit.MaxIdle, "commit.max_idle"),
		"target_file_size": f.size(&f.p.Commit.TargetBytes, "commit.target_file_size", 1<<20),
		"compaction":       f.compaction,
	})
}

// plan plans the query over the declared sources; its faults are placed in the file.
func (f *fileReader) plan() {
	if f.query == nil || len(f.sources) == 0 || f.unsound {
		return
	}
	text, ok := f.scalar(f.query, "query")
	if !ok {
		return
	}
	f.p.Query = text
	catalog := planner.Catalog{}
	for name, s := range f.sources {
		if s.Schema != nil {
			catalog[name] = s.table()
		}
	}
	if len(catalog) < len(f.sources) {
		return // the schema has a fault of its own
	}
	opts := planner.Options{Mode: f.p.Mode, Spark: f.restart.spark}
	planned, err := planner.Plan(text, catalog, opts)
	if err != nil {
		f.queryFaults(err)
		return
	}
	f.p.Planned = planned
	for _, s := range f.sources {
		if s.Delta != nil && s.Delta.Asked {
			s.Delta.TakesNew = takesNew(text, catalog, s, opts)
		}
	}
	f.takeSources()
	f.planMerge(text)
	if !f.p.Sink.Console {
		if err := planner.CheckTableNames(f.p.TableSchema()); err != nil {
			f.fault(f.query, "query: %v", err)
		}
		f.partitions(f.p.TableSchema())
		f.layout(f.p.TableSchema())
	}
}

// takeSources keeps the sources in the order of the file. One that the query does not read would be consumed by nobody.
func (f *fileReader) takeSources() {
	read := map[string]bool{}
	for _, scan := range planner.Scans(f.p.Planned.Physical) {
		read[scan.Source] = true
	}
	for _, d := range f.declared {
		if !read[d.name] {
			f.fault(d.key, "sources.%s: the query does not read it; leave it out, or give it a pipeline of its own", d.name)
		}
		f.p.Sources = append(f.p.Sources, *f.sources[d.name])
	}
}

// partitions checks the partition columns and gives them the spelling of the result.
func (f *fileReader) partitions(out *columnar.Schema) {
	for i, name := range f.p.Sink.PartitionBy {
		at := out.Index(name)
		switch {
		case at < 0:
			f.fault(f.query, "%s.partition_by: the query has no column %s", f.p.Sink.sinkKey(), name)
		case out.Fields[at].Type.Nested() || out.Fields[at].Type == columnar.Binary:
			f.fault(f.query, "%s.partition_by: %s is %s, which cannot name a folder; take a part of it", f.p.Sink.sinkKey(), name, out.Fields[at].Type)
		case slices.Contains(f.p.Sink.PartitionBy[:i], out.Fields[at].Name):
			f.fault(f.query, "%s.partition_by: %s is there twice", f.p.Sink.sinkKey(), name)
		default:
			f.p.Sink.PartitionBy[i] = out.Fields[at].Name
		}
	}
	if n := len(f.p.Sink.PartitionBy); n > 0 && n == out.Len() {
		f.fault(f.query, "%s.partition_by: a table needs a column besides those it is partitioned by", f.p.Sink.sinkKey())
	}
}

// hiddenColumns can be named in a query without being part of *.
func hiddenColumns(s *Source) *columnar.Schema {
	raw := source.RawSchema(true)
	if s.Files != nil || s.Delta != nil {
		hidden := columnar.NewSchema(columnar.Field{Name: source.FileColumn, Type: columnar.String}, raw.Fields[source.OffsetAt], raw.Fields[source.TimestampAt])
		if s.Format == "json" || s.Format == "csv" {
			hidden.Fields = append(hidden.Fields, raw.Fields[source.ValueAt])
		}
		return hidden
	}
	hidden := columnar.NewSchema(
		columnar.Field{Name: source.TopicColumn, Type: columnar.String},
		columnar.Field{Name: source.PartitionColumn, Type: columnar.Int},
		raw.Fields[source.OffsetAt], raw.Fields[source.TimestampAt], raw.Fields[source.KeyAt])
	if s.Format != "raw" {
		hidden.Fields = append(hidden.Fields, raw.Fields[source.ValueAt])
	}
	return hidden
}

func (f *fileReader) queryFaults(err error) {
	var one *planner.Error
	var many planner.Errors
	switch {
	case errors.As(err, &many):
	case errors.As(err, &one):
		many = planner.Errors{one}
	default:
		f.fault(f.query, "query: %v", err)
		return
	}
	for _, e := range many {
		line, column := f.place(f.query, e.Offset)
		f.faultAt(line, column, "query: %s", sentence(e))
	}
}

// sentence is a planner's error without its own place.
func sentence(e *planner.Error) string {
	text := e.Message
	if e.Condition != "" {
		text = "[" + e.Condition + "] " + text
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// finish checks what only the whole file can tell.
func (f *fileReader) finish() {
	f.checkModes()
	f.checkPlain()
	f.checkCompaction()
	f.checkProperties()
	f.checkSchedule()
	f.placeSideTables()
	f.checkInputs()
}
