package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
)

// compaction is what compact prints of one table.
type compaction struct {
	Table     string `json:"table"`
	Version   int64  `json:"version"`
	DryRun    bool   `json:"dryRun"`
	Files     int    `json:"files"` // that were merged
	Bytes     int64  `json:"bytes"`
	IntoFiles int    `json:"intoFiles"`
	IntoBytes *int64 `json:"intoBytes,omitempty"` // not known before it is done
}

func compactCommand() *cobra.Command {
	var asJSON, dryRun bool
	size, settings := "", ""
	cmd := &cobra.Command{
		Use:   "compact TABLE|FILE",
		Short: "Merge the small files of a table",
		Long: `Merge the small files of a Delta table, partition by partition, into files of the target size, in one commit that changes no rows.

Files of less than three quarters of the target are merged, the oldest first. Pipelines may run meanwhile: they go on, and so do readers. If another writer
removes one of the files before the commit, nothing is changed. The old files stay for readers and older versions until lakewheel vacuum removes them.

` + targetLong,
		Args: exactly(1, "the folder or s3:// path of a Delta table, or a pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := wire.Real(logger())
			o := delta.CompactOptions{DryRun: dryRun, Now: w.Clock.Now, Sleep: w.Clock.Sleep}
			if size != "" {
				var err error
				if o.TargetFileSize, err = config.ParseSize(size); err != nil || o.TargetFileSize < 1 {
					return usageError{fmt.Errorf("--target-file-size %s: expected a size such as 128MiB", size)}
				}
			}
			targets, err := openTargets(cmd.Context(), args[0], settings)
			if err != nil {
				return err
			}
			for _, t := range targets {
				done, err := compact(cmd.Context(), w, t, o)
				if err != nil {
					return err
				}
				if err := printCompaction(cmd.OutOrStdout(), done, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&size, "target-file-size", "", "merge up to this size; default: delta.targetFileSize of the table, commit.target_file_size of the pipeline, 128MiB")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be merged")
	cmd.Flags().StringVar(&settings, "settings", "", "pipeline file whose s3 section says how to reach the table")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON line for each table")
	return cmd
}

func compact(ctx context.Context, w wire.World, t target, o delta.CompactOptions) (compaction, error) {
	table, ok := t.table.(*delta.Table)
	if !ok {
		return compaction{}, usageError{fmt.Errorf("%s holds plain Parquet files, whose readers cannot see files change places at once: commit less often (commit.interval), or write to a Delta table", t.path)}
	}
	if t.pipeline != nil {
		o.DefaultFileSize = t.pipeline.Commit.TargetBytes
	}
	o.Prefix = committer.MergePrefix(t.snapshot.Txns)
	o.Leave = func(ctx context.Context, s lakehouse.Snapshot) (map[string]bool, error) {
		return committer.LeftAlone(ctx, table, s)
	}
	if !o.DryRun {
		if err := w.ProbeStore(ctx, t.objects); err != nil {
			return compaction{}, err
		}
	}
	done, err := table.Compact(ctx, o)
	out := compaction{Table: t.table.String(), Version: done.Version, DryRun: o.DryRun}
	var into int64
	for _, m := range done.Merges {
		out.Files += len(m.In)
		for _, f := range m.In {
			out.Bytes += f.Bytes
		}
		for _, f := range m.Out {
			out.IntoFiles, into = out.IntoFiles+1, into+f.Bytes
		}
	}
	if o.DryRun {
		out.IntoFiles = len(done.Merges)
	} else {
		out.IntoBytes = &into
	}
	return out, err
}

func printCompaction(w io.Writer, c compaction, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(c)
	}
	var err error
	switch {
	case c.Files == 0:
		_, err = fmt.Fprintf(w, "%s: nothing to merge\n", c.Table)
	case c.DryRun:
		_, err = fmt.Fprintf(w, "%s: %d files (%s) would become %d\n", c.Table, c.Files, sizeText(c.Bytes), c.IntoFiles)
	default:
		_, err = fmt.Fprintf(w, "%s: %d files (%s) became %d (%s), version %d\n", c.Table, c.Files, sizeText(c.Bytes), c.IntoFiles, sizeText(*c.IntoBytes), c.Version)
	}
	return err
}
