package delta

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
)

// ntzFeature is what a table with a TIMESTAMP_NTZ column must name, for readers and writers.
const ntzFeature = "timestampNtz"

// hasNTZ finds TIMESTAMP_NTZ at any depth.
func hasNTZ(fields []columnar.Field) bool {
	return slices.ContainsFunc(fields, func(f columnar.Field) bool {
		return f.Type == columnar.TimestampNTZ || hasNTZ(f.Type.Parts())
	})
}

// legacyFeatures are what the old versions of a writer stand for; one that names features must name them.
var legacyFeatures = [...][]string{
	2: {"appendOnly", "invariants"}, 3: {"checkConstraints"}, 4: {"changeDataFeed", "generatedColumns"}, 5: {"columnMapping"}, 6: {"identityColumns"},
}

// withWriterFeature is the protocol with a feature of writers: p itself, if it has it. A new table names no other.
func (p *protocol) withWriterFeature(feature string, fresh bool) *protocol {
	if slices.Contains(p.WriterFeatures, feature) {
		return p
	}
	out := &protocol{MinReaderVersion: p.MinReaderVersion, MinWriterVersion: 7, ReaderFeatures: p.ReaderFeatures, WriterFeatures: slices.Clone(p.WriterFeatures)}
	if p.MinWriterVersion < 7 && !fresh {
		out.WriterFeatures = slices.Concat(legacyFeatures[:max(0, p.MinWriterVersion+1)]...)
	}
	out.WriterFeatures = append(out.WriterFeatures, feature)
	return out
}

// withNTZ is the protocol with the feature: p itself, if it has it. A new table names no other.
func (p *protocol) withNTZ(fresh bool) *protocol {
	if slices.Contains(p.ReaderFeatures, ntzFeature) {
		return p
	}
	out := &protocol{MinReaderVersion: 3, MinWriterVersion: 7, ReaderFeatures: slices.Clone(p.ReaderFeatures), WriterFeatures: slices.Clone(p.WriterFeatures)}
	if p.MinWriterVersion < 7 && !fresh {
		out.WriterFeatures = slices.Concat(legacyFeatures[:max(0, p.MinWriterVersion+1)]...)
	}
	if p.MinReaderVersion == 2 {
		out.ReaderFeatures = append(out.ReaderFeatures, "columnMapping")
	}
	out.ReaderFeatures = append(out.ReaderFeatures, ntzFeature)
	if !slices.Contains(out.WriterFeatures, ntzFeature) {
		out.WriterFeatures = append(out.WriterFeatures, ntzFeature)
	}
	return out
}
