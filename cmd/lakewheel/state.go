package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/state"
)

func stateCommand() *cobra.Command {
	asJSON, export, to := false, "", ""
	cmd := &cobra.Command{
		Use:   "state FILE",
		Short: "Show what the stateful operators of a pipeline keep, and export it",
		Long: `Show what the stateful operators of a pipeline keep, as of its newest commit, or export an operator's state as a Parquet file.

The table and the files beside it are read, and nothing is changed: the pipeline may run meanwhile. What the operators are is told by the
newest commit, not by the query in FILE.`,
		Args: exactly(1, "one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (export == "") != (to == "") {
				return usageError{fmt.Errorf("--export OPERATOR and --to FILE.parquet go together")}
			}
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			s, err := readState(cmd.Context(), pipelines[0], wire.Real(logger()))
			if err != nil {
				return err
			}
			if export != "" {
				return s.export(cmd.Context(), export, to, cmd.ErrOrStderr())
			}
			if err := s.summarize(); err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(s)
			}
			return printState(cmd.OutOrStdout(), s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&export, "export", "", "write the state of this operator, by its number or name")
	cmd.Flags().StringVarP(&to, "to", "o", "", "file to write, which must not exist yet")
	return cmd
}

// storedState is the state of a pipeline as of its newest commit.
type storedState struct {
	Pipeline   string              `json:"pipeline"`
	Table      string              `json:"table"`
	Version    int64               `json:"version"`
	Committed  bool                `json:"committed"` // there is a commit of this pipeline
	Batch      int64               `json:"batch"`
	Watermark  committer.Watermark `json:"watermark"` // milliseconds since 1970
	Watermarks map[string]int64    `json:"watermarks,omitempty"`
	Operators  []*operatorState    `json:"operators"`
}

// operatorState is that of an operator.
type operatorState struct {
	Op int `json:"op"` // counted from the sink down
	committer.Operator
	Rows  int64 `json:"rows"`
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"` // of the files
	// Times says what Oldest and Newest are: the start of the oldest and the end of the newest "window" or "session", or the oldest and
	// the newest "event time" or "expiry".
	Times  string `json:"times,omitempty"`
	Oldest string `json:"oldest,omitempty"`
	Newest string `json:"newest,omitempty"`

	view *state.View
}

// readState reads the newest record and the files that it names.
func readState(ctx context.Context, p *config.Pipeline, w wire.World) (*storedState, error) {
	if p.Sink.Console {
		return nil, usageError{fmt.Errorf("%s: a console sink keeps no state", p.File)}
	}
	opts, err := wire.CommitterOptions(p, w)
	if err != nil {
		return nil, err
	}
	r, snap, err := readNewest(ctx, opts)
	s := &storedState{Pipeline: p.Name, Table: opts.Table.String(), Version: snap.Version, Batch: -1, Operators: []*operatorState{}}
	if err != nil || r == nil {
		return s, err
	}
	s.Committed, s.Batch, s.Watermark, s.Watermarks = true, r.LastBatch, r.Watermark, r.Watermarks
	return s, s.open(ctx, r, &microbatch.StateStore{Objects: opts.Objects, Name: p.Name})
}

// open reads the files of every operator.
func (s *storedState) open(ctx context.Context, r *committer.Record, from *microbatch.StateStore) error {
	bodies := map[string][][]byte{}
	size := map[string]int64{}
	for _, f := range r.State {
		body, err := from.Get(ctx, f)
		if err != nil {
			return err
		}
		name, err := state.OperatorOf(body)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		bodies[name], size[name] = append(bodies[name], body), size[name]+f.Bytes
	}
	for i, o := range r.Operators {
		view, err := state.NewView(o, bodies[o.Name], r.Watermark.RanWith)
		if err != nil {
			return fmt.Errorf("operator %s: %w", o.Name, err)
		}
		s.Operators = append(s.Operators, &operatorState{Op: i, Operator: o, Files: len(bodies[o.Name]), Bytes: size[o.Name], view: view})
	}
	return nil
}

// summarize reads the rows of every operator.
func (s *storedState) summarize() error {
	for _, o := range s.Operators {
		sum, err := o.view.Summary()
		if err != nil {
			return err
		}
		o.Rows = sum.Rows
		if sum.Timed {
			o.Times, o.Oldest, o.Newest = sum.Times, microsText(sum.Oldest), microsText(sum.Newest)
		}
	}
	return nil
}

func microsText(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339Nano) }
