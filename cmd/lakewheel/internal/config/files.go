package config

import (
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
)

// Files is a source of files.
type Files struct {
	Path string // a folder, or s3://bucket/prefix
	Glob files.Glob
	// MinAge leaves files alone that changed less than so long ago.
	MinAge time.Duration
	// Interval is how long to wait between two listings.
	Interval           time.Duration
	MaxFiles, MaxBytes int64 // of a batch; 0: no bound
	SkipLoss           bool
}

// suffixes of the files of a format; a pattern without one takes all.
var suffixes = map[string]string{"json": "**/*", "csv": "**/*", "raw": "**/*", "parquet": "**/*.parquet"}

// files reads sources.<s>.files. What it returns checks it against the format and the sink, once they are known.
func (f *fileReader) files(n ast.Node, s *Source, what string) func() {
	c := &Files{MinAge: 10 * time.Second, Interval: time.Second}
	s.Files = c
	glob, globAt := "", n
	f.fields(n, what, map[string]func(ast.Node){
		"path": f.string(&c.Path, what+".path"),
		"glob": func(n ast.Node) {
			globAt = n
			f.string(&glob, what+".glob")(n)
		},
		"min_age":             f.duration(&c.MinAge, what+".min_age"),
		"list_interval":       f.duration(&c.Interval, what+".list_interval"),
		"max_files_per_batch": f.whole(&c.MaxFiles, what+".max_files_per_batch", 1),
		"max_bytes_per_batch": f.size(&c.MaxBytes, what+".max_bytes_per_batch", 1),
		"on_data_loss":        choice(f.reader, &c.SkipLoss, what+".on_data_loss", map[string]bool{"fail": false, "skip": true}),
	})
	if c.Path == "" && !f.faultWithin(what+".path") {
		f.fault(n, "%s: path is missing, e.g. path: /data/in or s3://bucket/prefix", what)
	}
	f.table(n, c.Path, what+".path")
	f.inputs = append(f.inputs, input{n, what, c.reads})
	return func() {
		if s.EventTime != nil && s.EventTime.PerPartition {
			f.fault(n, "%s: files have no partitions, so watermark.per_partition has no meaning here; leave it out", what)
		}
		if glob == "" {
			glob = suffixes[s.Format]
		}
		var err error
		if c.Glob, err = files.ParseGlob(glob); err != nil {
			f.fault(globAt, "%s.glob: %v", what, err)
		}
	}
}

// input is a folder that a source reads.
type input struct {
	at    ast.Node
	what  string
	reads func(table string) bool // files of the table
}

// checkInputs refuses folders in which the pipeline's own tables lie: it would read what it writes.
func (f *fileReader) checkInputs() {
	for _, in := range f.inputs {
		for _, table := range []string{f.p.Sink.Path, f.p.DeadLetter, f.p.Late} {
			if table != "" && in.reads(table) {
				f.fault(in.at, "%s: it takes the files of %s, a table that this pipeline writes: it would read its own output for ever; move one of them, or narrow the pattern", in.what, table)
				break
			}
		}
	}
}

// reads reports whether the source would read the data files of a table.
func (c *Files) reads(table string) bool {
	below, ok := within(c.Path, table)
	if !ok || c.Glob == nil {
		return false
	}
	name := path.Join(below, "part-00000-0.zstd.parquet")
	return !files.Hidden(name) && (c.Glob.Match(name) || c.Glob.Match(path.Join(below, "a=1", "part-00000-0.zstd.parquet")))
}

// within is the path of a place in a folder.
func within(folder, place string) (string, bool) {
	if store.IsS3(folder) != store.IsS3(place) {
		return "", false
	}
	if store.IsS3(folder) {
		below, ok := strings.CutPrefix(strings.TrimRight(place, "/")+"/", strings.TrimRight(folder, "/")+"/")
		return strings.TrimRight(below, "/"), ok
	}
	a, errA := filepath.Abs(folder)
	b, errB := filepath.Abs(place)
	below, err := filepath.Rel(a, b)
	if errA != nil || errB != nil || err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(below), true
}

// overlap reports whether two places are one, or one lies in the other.
func overlap(a, b string) bool {
	_, inside := within(a, b)
	_, around := within(b, a)
	return inside || around
}

// tableFormat is the format of a table, which a file does not say.
func (f *fileReader) tableFormat(at ast.Node, what string) string {
	if at != nil {
		f.fault(at, "%s.format: a table has no format that could be chosen; leave it out", what)
	}
	return "parquet"
}

// checkFormat refuses settings that do not go with the kind of the source.
func (f *fileReader) checkFormat(p pair, s *Source, what string, nullAt ast.Node) {
	if s.Format != "parquet" {
		if s.Files == nil && (s.Header || s.Multiline) {
			f.fault(p.key, "%s.csv: header and multiline are for files", what)
		}
		return
	}
	if s.Files == nil && s.Delta == nil {
		f.fault(p.key, "%s: format parquet is for files", what)
	}
	if nullAt != nil {
		f.fault(nullAt, "%s.on_null_value: these rows are no documents that could be NULL; leave it out", what)
	}
	s.OnNull = exec.RowForNull
}

// reads reports whether the source, or its archive, would read the files of a table.
func (s *Source) reads(table string) bool {
	if s.Bootstrap != nil && (&Source{Files: s.Bootstrap.Files, Delta: s.Bootstrap.Delta}).reads(table) {
		return true
	}
	return s.Files != nil && s.Files.reads(table) || s.Delta != nil && s.Delta.reads(table)
}

// SkipsLoss reports whether the source, or its archive, steps over what is lost.
func (s *Source) SkipsLoss() bool {
	if s.Bootstrap != nil && (&Source{Files: s.Bootstrap.Files, Delta: s.Bootstrap.Delta}).SkipsLoss() {
		return true
	}
	return s.Kafka != nil && s.Kafka.SkipLoss || s.Files != nil && s.Files.SkipLoss || s.Delta != nil && s.Delta.SkipLoss
}
