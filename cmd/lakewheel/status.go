package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/offsets"
)

// status is where a pipeline stands, as its table tells it.
type status struct {
	Pipeline  string `json:"pipeline"`
	Table     string `json:"table"`
	Version   int64  `json:"version"`
	Committed bool   `json:"committed"` // there is a commit of this pipeline
	QueryID   string `json:"queryId,omitempty"`
	Epoch     int64  `json:"epoch,omitempty"`
	Writer    string `json:"writer,omitempty"`
	Batch     int64  `json:"batch"`
	BatchTime string `json:"batchTime,omitempty"`
	// Offsets are the next to read, by source.
	Offsets map[string]offsets.Positions `json:"offsets,omitempty"`
	// Lag is what is not read yet: records of all sources that count them, and bytes of files; missing if there are none, or one cannot be asked.
	Lag      *int64 `json:"lag,omitempty"`
	LagBytes *int64 `json:"lagBytes,omitempty"`
	LagError string `json:"lagError,omitempty"`
	// Backfill is the range of the one that is open; compaction leaves the files from before it alone.
	Backfill string `json:"openBackfill,omitempty"`
}

func statusCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status FILE",
		Short: "Show where a pipeline stands: offsets, lag, last commit",
		Args:  exactly(1, "one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			st, err := readStatus(cmd.Context(), pipelines[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(st)
			}
			printStatus(cmd.OutOrStdout(), st)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func readStatus(ctx context.Context, p *config.Pipeline) (status, error) {
	if p.Sink.Console {
		return status{}, usageError{fmt.Errorf("%s: a console sink keeps no position", p.File)}
	}
	w := wire.Real(logger())
	opts, err := wire.CommitterOptions(p, w)
	if err != nil {
		return status{}, err
	}
	r, snap, err := readNewest(ctx, opts)
	st := status{Pipeline: p.Name, Table: opts.Table.String(), Version: snap.Version, Batch: -1}
	if err != nil || r == nil {
		return st, err
	}
	st.Committed, st.QueryID, st.Epoch, st.Writer, st.Batch = true, r.QueryID, r.Epoch, r.Writer, r.LastBatch
	st.Offsets = map[string]offsets.Positions{}
	in, err := committer.OpenIntent(ctx, opts.Objects, opts.Name, snap.Txns)
	if err != nil {
		return st, err
	}
	if in != nil {
		st.Backfill = fmt.Sprintf("%s, since %s, by %s", in.Command, time.UnixMilli(in.Time).UTC().Format(time.RFC3339), in.Writer)
	}
	for _, s := range p.Sources {
		st.Offsets[s.Name] = r.Sources[s.Name].Positions()
	}
	if r.BatchTime > 0 {
		st.BatchTime = time.UnixMilli(r.BatchTime).UTC().Format(time.RFC3339)
	}
	state := &microbatch.StateStore{Objects: opts.Objects, Name: p.Name}
	lag, err := readLag(ctx, p, w, r, state)
	if err != nil {
		st.LagError = err.Error()
		return st, nil
	}
	st.Lag, st.LagBytes = lag.Records, lag.Bytes
	return st, nil
}

// readNewest reads the newest record of a pipeline, nil if it has none, and the table as it is.
func readNewest(ctx context.Context, opts committer.Options) (*committer.Record, lakehouse.Snapshot, error) {
	snap, err := opts.Table.Snapshot(ctx)
	if err != nil {
		return nil, snap, err
	}
	r, err := newestRecord(ctx, opts, snap)
	return r, snap, err
}

// newestRecord reads the record that the next start goes on from, perhaps under the previous name; nil if there is none.
func newestRecord(ctx context.Context, opts committer.Options, snap lakehouse.Snapshot) (*committer.Record, error) {
	for _, name := range []string{opts.Name, opts.Previous} {
		txn, ok := snap.Txns["lakewheel/"+name]
		if !ok {
			continue
		}
		r, err := committer.ReadRecord(ctx, opts.Objects, name, txn.Token)
		if err != nil {
			return nil, fmt.Errorf("the record of batch %d of %s cannot be read: %w; restore the folder _lakewheel of the table", txn.Batch, opts.Table, err)
		}
		return r, nil
	}
	return nil, nil
}

func printStatus(w io.Writer, st status) {
	fmt.Fprintf(w, "pipeline  %s\ntable     %s, version %d\n", st.Pipeline, st.Table, st.Version)
	if !st.Committed {
		fmt.Fprintln(w, "commits   none yet")
		return
	}
	fmt.Fprintf(w, "query     %s\nepoch     %d, %s\nbatch     %d at %s\n", st.QueryID, st.Epoch, st.Writer, st.Batch, st.BatchTime)
	if st.Backfill != "" {
		fmt.Fprintf(w, "backfill  open: %s; the same command finishes it, --cancel ends it\n", st.Backfill)
	}
	for _, source := range slices.Sorted(maps.Keys(st.Offsets)) {
		for _, p := range st.Offsets[source].Sorted() {
			fmt.Fprintf(w, "next      %s: %s at offset %d\n", source, p, st.Offsets[source][p])
		}
	}
	if st.LagError != "" {
		fmt.Fprintf(w, "lag       unknown: %s\n", st.LagError)
	}
	if st.Lag != nil {
		fmt.Fprintf(w, "lag       %d records\n", *st.Lag)
	}
	if st.LagBytes != nil {
		fmt.Fprintf(w, "lag       %d bytes of files\n", *st.LagBytes)
	}
}
