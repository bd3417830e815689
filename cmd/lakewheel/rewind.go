package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/offsets"
)

// rewound is what rewind prints.
type rewound struct {
	Pipeline  string `json:"pipeline"`
	Table     string `json:"table"`
	DryRun    bool   `json:"dryRun"`
	ToBatch   int64  `json:"toBatch"`
	ToVersion int64  `json:"toVersion"`
	Version   int64  `json:"version"`
	NextBatch int64  `json:"nextBatch"`
	Epoch     int64  `json:"epoch"`
	Commits   int    `json:"undoneCommits"`
	// Foreign are versions of other writers that are taken back.
	Foreign  []string                      `json:"discardedVersions,omitempty"`
	Out      int                           `json:"filesOut"`
	Back     int                           `json:"filesBack"`
	SideRows map[string]committer.SideRows `json:"sideRows,omitempty"`
	Offsets  map[string]offsets.Positions  `json:"offsets"`
}

func rewindCommand() *cobra.Command {
	var o committer.RewindOptions
	asJSON := false
	cmd := &cobra.Command{
		Use:   "rewind FILE --to-batch N",
		Short: "Take a pipeline back to the end of an earlier batch: rows, offsets and state together",
		Long: `Take a pipeline back to the end of an earlier batch, as one new commit of its table: the rows that were there then, the offsets, the watermarks and the state, and no dead letters
or late rows of the batches that are undone. The next run reads again what comes after, with a query that may have been corrected.

lakewheel history shows the batches; a commit has to end with N. A run of the pipeline that goes on is fenced and exits with 3. It can go back as far as records (100 commits and 24
hours), the log and the files reach: what lakewheel vacuum has removed does not come back. Nothing is changed if something is missing, or if other writers have changed rows since, unless --discard-foreign.`,
		Args: exactly(1, "one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("to-batch") {
				return usageError{fmt.Errorf("rewind needs --to-batch, the last batch that stays; see lakewheel history %s", args[0])}
			}
			if o.ToBatch < 0 {
				return usageError{fmt.Errorf("--to-batch %d: batches are counted from 0", o.ToBatch)}
			}
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			p := pipelines[0]
			if p.Sink.Console {
				return usageError{fmt.Errorf("%s: a console sink keeps no position", args[0])}
			}
			if p.Sink.Plain {
				return usageError{fmt.Errorf("%s: readers of plain Parquet files cannot see files go at once, so there is no way back: begin again with another name and another folder, or write to a Delta table", args[0])}
			}
			w := wire.Real(logger())
			if err := wire.Probe(cmd.Context(), p, w); err != nil {
				return err
			}
			opts, err := wire.CommitterOptions(p, w)
			if err != nil {
				return err
			}
			done, err := committer.Rewind(cmd.Context(), opts, o)
			if err != nil {
				return err
			}
			return printRewound(cmd.OutOrStdout(), rewoundOf(p.Name, opts.Table, o.DryRun, done), asJSON)
		},
	}
	cmd.Flags().Int64Var(&o.ToBatch, "to-batch", 0, "the last batch that stays")
	cmd.Flags().BoolVar(&o.DiscardForeign, "discard-foreign", false, "take back what other writers changed since, too")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "only say what would be done")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func rewoundOf(name string, table lakehouse.Table, dryRun bool, done committer.Rewound) rewound {
	out := rewound{Pipeline: name, Table: table.String(), DryRun: dryRun, ToBatch: done.ToBatch, ToVersion: done.ToVersion, Version: done.Version, NextBatch: done.Batch + 1,
		Epoch: done.Epoch, Commits: done.Commits, Out: len(done.Removed), Back: len(done.Back), SideRows: done.SideRows, Offsets: map[string]offsets.Positions{}}
	for _, e := range done.Foreign {
		out.Foreign = append(out.Foreign, fmt.Sprintf("version %d, %s, %s", e.Version, time.UnixMilli(e.Time).UTC().Format(time.RFC3339), e.Operation))
	}
	for source, progress := range done.Record.Sources {
		out.Offsets[source] = progress.Positions()
	}
	return out
}

func printRewound(w io.Writer, r rewound, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	verb := "went back"
	if r.DryRun {
		verb = "would go back"
	}
	fmt.Fprintf(w, "%s %s to batch %d, version %d: %d commits undone, %d files out of %s, %d back\n", r.Pipeline, verb, r.ToBatch, r.ToVersion, r.Commits, r.Out, r.Table, r.Back)
	for _, kind := range slices.Sorted(maps.Keys(r.SideRows)) {
		fmt.Fprintf(w, "  %s: %d rows out, %d back\n", kind, r.SideRows[kind].Out, r.SideRows[kind].Back)
	}
	for _, text := range r.Foreign {
		fmt.Fprintf(w, "  discarded: %s\n", text)
	}
	for _, source := range slices.Sorted(maps.Keys(r.Offsets)) {
		text, err := json.Marshal(r.Offsets[source])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s goes on at %s\n", source, text)
	}
	if !r.DryRun {
		fmt.Fprintf(w, "  version %d, epoch %d; the next batch is %d\n", r.Version, r.Epoch, r.NextBatch)
	}
	return nil
}
