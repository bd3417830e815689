package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/planner"
)

// compaction reads commit.compaction.
func (f *fileReader) compaction(n ast.Node) {
	f.compactionAt = n
	files := int64(f.p.Compaction.Files)
	enabled := true
	f.fields(n, "commit.compaction", map[string]func(ast.Node){
		"enabled":   f.bool(&enabled, "commit.compaction.enabled"),
		"files":     f.whole(&files, "commit.compaction.files", 2),
		"cpu_share": f.ratio(&f.p.Compaction.Share, "commit.compaction.cpu_share"),
	})
	switch {
	case !enabled:
		files = 0
	case f.p.Compaction.Share == 0:
		f.fault(n, "commit.compaction.cpu_share: nothing can be done in no time; say enabled: false to switch compaction off")
	case files > maxTierFiles:
		f.fault(n, "commit.compaction.files: %d files to a tier are too many; at most %d", files, maxTierFiles)
	}
	f.p.Compaction.Files = int(files)
}

const maxTierFiles = 1000

// defaultCompaction keeps ten thousand commits of a file each under fifty files, and writes each row four times at most.
var defaultCompaction = committer.CompactionPolicy{Files: 12, Share: 0.25}

// checkCompaction switches it off where every commit replaces all files.
func (f *fileReader) checkCompaction() {
	if f.p.Mode == planner.Complete {
		f.p.Compaction.Files = 0
	}
}
