package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/planner"
)

// parquet reads a sink of plain Parquet files.
func (f *fileReader) parquet(n ast.Node) {
	f.plainAt, f.p.Sink.Plain = n, true
	f.fields(n, "sink.parquet", map[string]func(ast.Node){
		"path":             f.string(&f.p.Sink.Path, "sink.parquet.path"),
		"partition_by":     f.strings(&f.p.Sink.PartitionBy, "sink.parquet.partition_by"),
		"sort_by":          f.sortBy,
		"bloom_filters":    f.bloomFilters,
		"schema_evolution": choice(f.reader, &f.p.Sink.AddColumns, "sink.parquet.schema_evolution", map[string]bool{"add_columns": true, "off": false}),
	})
	if f.p.Sink.Path == "" {
		f.fault(n, "sink.parquet: path is missing")
	}
	f.table(n, f.p.Sink.Path, "sink.parquet.path")
}

// mostCopied is how large a file may become where it is published by a copy: S3 copies 5 GiB at once, and a file may end beyond its target.
const mostCopied = 4 << 30

// checkPlain checks what plain files cannot do.
func (f *fileReader) checkPlain() {
	if !f.p.Sink.Plain {
		return
	}
	switch f.p.Mode {
	case planner.Update:
		f.fault(f.modeAt, "output_mode: update changes rows that are there, and plain Parquet files are only added: use sink.delta, or append")
	case planner.Complete:
		f.fault(f.modeAt, "output_mode: complete replaces all files, which readers of plain Parquet files cannot see as one change: use sink.delta")
	}
	if f.compactionAt != nil && f.p.Compaction.Files > 0 {
		f.fault(f.compactionAt, "commit.compaction: readers of plain Parquet files cannot see files change places at once, so none are merged: leave it out, commit less often (commit.interval), or use sink.delta")
	}
	if store.IsS3(f.p.Sink.Path) && f.p.Commit.TargetBytes > mostCopied {
		f.fault(f.plainAt, "commit.target_file_size: plain Parquet files in S3 are published by a copy, which takes 5 GiB at most: keep it at 4GiB or below, or use sink.delta")
	}
}

// sinkKey is the key of the table in the file.
func (s Sink) sinkKey() string {
	if s.Plain {
		return "sink.parquet"
	}
	return "sink.delta"
}
