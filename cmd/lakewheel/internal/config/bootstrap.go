package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/microbatch/source/kafka"
)

// Bootstrap is an archive that is read before a source.
type Bootstrap struct {
	Files  *Files
	Delta  *DeltaSource
	Format string // of the files
}

// bootstrap reads sources.<s>.bootstrap. What it returns is done once the source was read: it begins where the archive ends.
func (f *fileReader) bootstrap(n ast.Node, s *Source, what string) func() {
	archive := &Source{Name: s.Name}
	kinds := 0
	var untilAt ast.Node
	checks := []func(){}
	f.fields(n, what, map[string]func(ast.Node){
		"files": func(n ast.Node) {
			kinds++
			checks = append(checks, f.files(n, archive, what+".files"))
			archive.Files.MinAge = 0 // whatever is there at the start belongs to it
		},
		"delta": func(n ast.Node) {
			kinds++
			f.deltaSource(n, archive, what+".delta")
		},
		"format": choice(f.reader, &archive.Format, what+".format", map[string]string{"json": "json", "raw": "raw", "csv": "csv", "parquet": "parquet"}),
		"until":  func(n ast.Node) { untilAt = n },
	})
	if kinds != 1 {
		f.fault(n, "%s: expected exactly one of files, delta", what)
	}
	return func() {
		if archive.Format == "" {
			archive.Format = s.Format
		}
		for _, check := range checks {
			check()
		}
		s.Bootstrap = &Bootstrap{Files: archive.Files, Delta: archive.Delta, Format: archive.Format}
		f.bootstrapFormat(n, s, what)
		f.until(n, untilAt, s, what)
	}
}

// bootstrapFormat refuses an archive whose rows cannot become those of the source.
func (f *fileReader) bootstrapFormat(n ast.Node, s *Source, what string) {
	switch {
	case s.Files != nil || s.Delta != nil:
		f.fault(n, "%s: an archive comes before a topic; read files and tables with a source of their own, and UNION ALL", what)
	case s.Bootstrap.Files != nil && s.Bootstrap.Format != "parquet" && s.Bootstrap.Format != s.Format:
		f.fault(n, "%s.format: the archive is %s and the source %s; they have to be the same, or the archive is parquet", what, s.Bootstrap.Format, s.Format)
	}
}

// until is the position at which a topic goes on.
func (f *fileReader) until(n, at ast.Node, s *Source, what string) {
	if s.Kafka == nil {
		return
	}
	if s.Kafka.Start.Kind != kafka.Earliest {
		f.fault(n, "%s: until says where the topic begins; leave start out", what)
	}
	if at == nil {
		f.fault(n, "%s: until is missing; it names the offset of each partition at which the archive ends, e.g. until: {offsets: {0: 120, 1: 7}}", what)
		return
	}
	f.fields(at, what+".until", map[string]func(ast.Node){
		"offsets": func(n ast.Node) {
			s.Kafka.Start = kafka.Start{Kind: kafka.AtOffsets, Until: true, Offsets: f.startOffsets(n, what+".until.offsets", s.Kafka.Topics)}
		},
	})
	for _, p := range s.Kafka.Start.Offsets.Sorted() {
		if s.Kafka.Start.Offsets[p] < 0 {
			f.fault(at, "%s.until.offsets: partition %d needs the offset at which its archive ends, %d is none", what, p.ID, s.Kafka.Start.Offsets[p])
		}
	}
}
