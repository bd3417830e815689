package committer

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// replace makes a change take every file out of the table that is there. A file that is not this pipeline's is refused: its
// rows are another writer's.
func (c *Committer) replace(ctx context.Context, change *lakehouse.Change) error {
	change.Parameters["outputMode"] = "Complete"
	if c.base.Version < 0 || c.remake {
		return nil
	}
	for _, name := range pipelines(c.base.Txns) {
		if name != c.opts.Name && name != c.opts.Previous {
			return fmt.Errorf("%w: pipeline %s writes into %s, too, and output_mode: complete replaces the whole table: give the result a table of its own", ErrRefused, name, c.opts.Table)
		}
	}
	files, err := c.opts.Table.Files(ctx, c.base)
	if err != nil {
		return fmt.Errorf("list the files of %s that a complete result replaces: %w", c.opts.Table, err)
	}
	for _, f := range files {
		if !c.wrote(f) {
			return fmt.Errorf("%w: %s holds %s, which this pipeline has not written, and output_mode: complete replaces the whole table: give the result a table of its own", ErrRefused, c.opts.Table, f.Path)
		}
	}
	change.Remove = files
	return nil
}

// wrote reports whether a data file bears the name of this pipeline, or the one it had before.
func (c *Committer) wrote(f lakehouse.DataFile) bool {
	name := path.Base(f.Path)
	return strings.HasPrefix(name, filePrefix(c.opts.Name)) || c.opts.Previous != "" && strings.HasPrefix(name, filePrefix(c.opts.Previous))
}

// filePrefix begins the names of the data files of a pipeline; the epoch follows.
func filePrefix(name string) string { return "part-" + name + "-e" }
