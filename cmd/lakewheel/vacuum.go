package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// vacuumed is what vacuum prints of one table.
type vacuumed struct {
	Table   string        `json:"table"`
	Version int64         `json:"version"`
	DryRun  bool          `json:"dryRun"`
	Retain  string        `json:"retain"`
	Files   []garbageFile `json:"files"`
	Bytes   int64         `json:"bytes"`
}

type garbageFile struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	Modified string `json:"modified"`
}

func vacuumCommand() *cobra.Command {
	var asJSON, yes, unsafe bool
	retain, settings := "", ""
	cmd := &cobra.Command{
		Use:   "vacuum TABLE|FILE",
		Short: "Remove data files that no version needs any more",
		Long: `Show, and with --yes remove, the data files of a Delta table that no version within the retention names. Of a folder of plain Parquet files only those go that were
staged for a commit that never came; what readers see is left alone.

Files younger than the retention stay, named or not: they may belong to a batch under way. So does all that lies under a name that begins with _ or a point. Versions older
than the retention can no longer be read afterwards.

` + targetLong,
		Args: exactly(1, "the folder or s3:// path of a table, or a pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := lakehouse.VacuumOptions{Retain: -1, Unsafe: unsafe, Now: time.Now()}
			if retain != "" {
				var err error
				if o.Retain, err = config.ParseDuration(retain); err != nil || o.Retain < 0 {
					return usageError{fmt.Errorf("--retain %s: expected a duration such as 336h or '14 days'", retain)}
				}
			}
			targets, err := openTargets(cmd.Context(), args[0], settings)
			if err != nil {
				return err
			}
			if o.Keep, err = keptFiles(cmd.Context(), targets); err != nil {
				return err
			}
			for _, t := range targets {
				done, err := vacuum(cmd.Context(), t, o, yes)
				if err != nil {
					return err
				}
				if err := printVacuumed(cmd.OutOrStdout(), done, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove the files; without it they are only shown")
	cmd.Flags().StringVar(&retain, "retain", "", "how long versions can be read, e.g. '14 days'; default: delta.deletedFileRetentionDuration of the table, 7 days; a day for plain files")
	cmd.Flags().BoolVar(&unsafe, "unsafe", false, "allow a --retain below that of the table: readers of older versions, and batches under way, may lose files")
	cmd.Flags().StringVar(&settings, "settings", "", "pipeline file whose s3 section says how to reach the table")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON line for each table")
	return cmd
}

// keptFiles are files that no version names yet and that will be named: of side tables, those that the newest commit made due, and what open backfills have
// staged. Whose side tables they are must be known.
func keptFiles(ctx context.Context, targets []target) (map[string]bool, error) {
	main := targets[0]
	for _, t := range targets {
		switch of := committer.SideOf(t.snapshot.Properties); {
		case of == "":
		case t.pipeline == nil:
			return nil, usageError{fmt.Errorf("%s is a side table: vacuum it with the file of its pipeline, which tells what is still to be published in it", t.path)}
		case of != main.snapshot.ID:
			return nil, fmt.Errorf("%s is a side table of another table than %s", t.path, main.path)
		}
	}
	staged, err := committer.StagedFiles(ctx, main.objects, main.snapshot.Txns)
	if err != nil || main.pipeline == nil {
		return staged, err
	}
	pending, err := committer.PendingSideFiles(ctx, main.objects, main.snapshot.Txns)
	maps.Copy(staged, pending)
	return staged, err
}

func vacuum(ctx context.Context, t target, o lakehouse.VacuumOptions, remove bool) (vacuumed, error) {
	g, err := t.table.Garbage(ctx, o)
	if err != nil {
		return vacuumed{}, err
	}
	out := vacuumed{Table: t.table.String(), Version: g.Version, DryRun: !remove, Retain: g.Retain.String(), Files: []garbageFile{}}
	for _, in := range g.Files {
		out.Files = append(out.Files, garbageFile{in.Name, in.Size, time.UnixMilli(in.Modified).UTC().Format(time.RFC3339)})
		out.Bytes += in.Size
	}
	if remove {
		err = t.table.Discard(ctx, g)
	}
	return out, err
}

func printVacuumed(w io.Writer, v vacuumed, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	done := "removed"
	if v.DryRun {
		done = "would remove"
		for _, f := range v.Files {
			if _, err := fmt.Fprintf(w, "%s  %10s  %s\n", f.Modified, sizeText(f.Bytes), f.Path); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s %d files (%s) that no version of the last %s names\n", v.Table, done, len(v.Files), sizeText(v.Bytes), v.Retain)
	if err == nil && v.DryRun && len(v.Files) > 0 {
		_, err = fmt.Fprintln(w, "nothing was removed: that takes --yes")
	}
	return err
}
