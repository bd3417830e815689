package committer

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// replace makes a change take every file out of the table that is there as of base. A file that is not this pipeline's is refused: its
// rows are another writer's.
func (c *Committer) replace(ctx context.Context, base lakehouse.Snapshot, change *lakehouse.Change) error {
	change.Parameters["outputMode"] = "Complete"
	if base.Version < 0 || c.remake {
		return nil
	}
	for _, name := range pipelines(base.Txns) {
		if name != c.opts.Name && name != c.opts.Previous {
			return fmt.Errorf("%w: pipeline %s writes into %s, too, and output_mode: complete replaces the whole table: give the result a table of its own", ErrRefused, name, c.opts.Table)
		}
	}
	files, err := c.live.files(ctx, base)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !c.wrote(f) {
			return fmt.Errorf("%w: %s holds %s, which this pipeline has not written, and output_mode: complete replaces the whole table: give the result a table of its own", ErrRefused, c.opts.Table, f.Path)
		}
	}
	change.Remove = slices.Clone(files)
	return nil
}

// wrote reports whether a data file holds rows of this pipeline alone, under its name or the one it had before.
func (c *Committer) wrote(f lakehouse.DataFile) bool {
	return bears(f.Path, c.opts.Name) || c.opts.Previous != "" && bears(f.Path, c.opts.Previous)
}

// bears reports whether the name of a data file says that a pipeline wrote it, or that it was merged of such files.
func bears(file, name string) bool {
	base := path.Base(file)
	return strings.HasPrefix(base, filePrefix(name)) || strings.HasPrefix(base, mergedPrefix(name)) || strings.HasPrefix(base, backfillPrefix(name))
}

// filePrefix begins the names of the data files of a pipeline; the epoch follows.
func filePrefix(name string) string { return "part-" + name + "-e" }

// mergedPrefix begins the names of files that were merged of a pipeline's. They bear no epoch: nothing that goes by epochs may
// take them for leftovers. No pipeline has a point in its name.
func mergedPrefix(name string) string { return "part-" + name + ".merged" }

// backfillPrefix begins the names of files that a backfill of a pipeline wrote; its id follows.
func backfillPrefix(name string) string { return "part-" + name + ".backfill-" }

// MergePrefix begins the name of the file that a data file is merged into: files of one of the pipelines of a table stay its own, and are not
// mixed with others. Pipelines that rewrite what they have written go by these names.
func MergePrefix(txns map[string]lakehouse.Txn) func(file string) string {
	names := pipelines(txns)
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // "p-e1" goes before "p"
	return func(file string) string {
		for _, name := range names {
			if bears(file, name) {
				return mergedPrefix(name)
			}
		}
		return "merged"
	}
}
