package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/backfill"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// backfillFlags are the flags of backfill.
type backfillFlags struct {
	from, to, fromOffsets, toOffsets, column, into string
	all, replaceForeign, allowPartial              bool
	dryRun, cancel, asJSON                         bool
}

func backfillCommand() *cobra.Command {
	var o backfillFlags
	cmd := &cobra.Command{
		Use:   "backfill FILE (--from T --to T | --from-offsets O --to-offsets O | --all)",
		Short: "Compute a range of rows again, and put them in the place of those that are there",
		Long: `Compute a range of rows again, with the query as it stands in FILE, and put them in the place of those that are there, in one version of the table. The pipeline may run
meanwhile: it is not stopped, and what it adds stays.

A range is one of
  event time     --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z; one end may be left out. The rows are told by the column of the table that has the time or
                 the window, which is found by itself or named by --time-column.
  Kafka time     --from kafka-time:2026-01-01T00:00:00Z --to kafka-time:...: from the first record that was written then to the first one at the end.
  offsets        --from-offsets '{"events":{"0":100}}' --to-offsets '{"events":{"0":200}}'; -2 is the first offset that the pipeline has read, -1 where it is.
  everything     --all

Ranges of Kafka time and of offsets need the columns _partition and _offset in the table. Windows change places if the range holds them whole and they end at or before the
committed watermark; the others are named and left alone. Rows of other writers in the range are refused unless --replace-foreign.

A backfill that was cut off goes on when it is called again with the same flags; --cancel ends it without a trace. --into fills a new table instead, and replaces nothing.

Exit codes: 0 done, 1 failed or refused, 2 no such range, 3 another process ended the backfill, 4 data loss detected.`,
		Args: exactly(1, "one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			if err := o.check(cmd, pipelines[0]); err != nil {
				return usageError{err}
			}
			return o.run(cmd.Context(), pipelines[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "first time of the range, of event time or, after kafka-time:, of the time that records were written at")
	f.StringVar(&o.to, "to", "", "end of the range, itself not part of it")
	f.StringVar(&o.fromOffsets, "from-offsets", "", "first offset of each partition by topic, as JSON")
	f.StringVar(&o.toOffsets, "to-offsets", "", "end of each partition by topic, itself not part of the range, as JSON")
	f.BoolVar(&o.all, "all", false, "all rows that the pipeline has written")
	f.StringVar(&o.column, "time-column", "", "column of the table that has the event time, or the start or end of the window")
	f.StringVar(&o.into, "into", "", "fill a new table at this path, and replace nothing")
	f.BoolVar(&o.replaceForeign, "replace-foreign", false, "take rows of other writers out of the range, too")
	f.BoolVar(&o.allowPartial, "allow-partial", false, "go on where records of the range are gone; rows that came from them are lost")
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would be done")
	f.BoolVar(&o.cancel, "cancel", false, "end the open backfill of the pipeline without a trace")
	f.BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

// check refuses flags that cannot be meant. One that is there and empty is a variable of a script that was not set, and no open end.
func (o backfillFlags) check(cmd *cobra.Command, p *config.Pipeline) error {
	for _, name := range []string{"from", "to", "from-offsets", "to-offsets", "time-column", "into"} {
		if f := cmd.Flags().Lookup(name); f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return fmt.Errorf("--%s is empty: give it a value, or leave it out", name)
		}
	}
	switch {
	case p.Sink.Console:
		return fmt.Errorf("%s: a console sink keeps no rows", p.File)
	case p.Sink.Plain:
		return fmt.Errorf("%s: readers of plain Parquet files cannot see files change places at once, so no rows can be replaced: write to a Delta table", p.File)
	case o.into != "" && o.dryRun:
		return fmt.Errorf("--dry-run and --into: a new table has no rows to replace")
	case o.into == "":
		return nil
	}
	other := wire.Into(p, o.into)
	for _, path := range []string{o.into, other.DeadLetter, other.Late} {
		if path == "" {
			continue
		}
		if err := p.NewTable(path); err != nil {
			return fmt.Errorf("--into: %w", err)
		}
	}
	return nil
}

func (o backfillFlags) run(ctx context.Context, p *config.Pipeline, out io.Writer) error {
	onProgress, clear, log := o.reporter()
	w := wire.Real(log)
	if err := wire.Probe(ctx, p, w); err != nil {
		return err
	}
	if o.cancel {
		return o.end(ctx, p, w, out)
	}
	r, err := o.request()
	if err != nil {
		return usageError{err}
	}
	job, closeSources, err := wire.Backfill(ctx, p, w)
	if err != nil {
		return err
	}
	defer closeSources()
	job.Query.Stop, job.Query.OnProgress = stopOnSignal(), onProgress
	done, err := o.fill(ctx, job, r, p, w)
	clear()
	if err != nil {
		return err
	}
	return o.print(out, p, done)
}

// reporter shows how far it is: a bar on a terminal, nothing beside a result in JSON, and otherwise a line a batch. clear ends it.
func (o backfillFlags) reporter() (onProgress func(microbatch.Progress), clear func(), log *slog.Logger) {
	switch lines := (&progressLines{w: os.Stderr, asJSON: true}); {
	case o.asJSON:
		return nil, func() {}, logger()
	case !isTerminal(os.Stderr):
		return lines.batch, func() {}, logger()
	}
	b := newBar(os.Stderr, time.Now)
	return b.batch, func() { b.above(func() {}) }, loggerTo(b.beside(os.Stderr))
}

// fill does what the flags say.
func (o backfillFlags) fill(ctx context.Context, job backfill.Job, r backfill.Request, p *config.Pipeline, w wire.World) (backfill.Report, error) {
	switch {
	case o.dryRun:
		return backfill.Find(ctx, job, r)
	case o.into == "":
		return backfill.Run(ctx, job, r)
	}
	if err := wire.Probe(ctx, wire.Into(p, o.into), w); err != nil {
		return backfill.Report{}, err
	}
	into, err := wire.IntoTable(p, o.into, w)
	if err != nil {
		return backfill.Report{}, err
	}
	return backfill.Fill(ctx, job, r, into)
}

// end cancels.
func (o backfillFlags) end(ctx context.Context, p *config.Pipeline, w wire.World, out io.Writer) error {
	opts, err := wire.CommitterOptions(p, w)
	if err != nil {
		return err
	}
	command, open, err := backfill.Cancel(ctx, opts)
	if err != nil {
		return err
	}
	if o.asJSON {
		return json.NewEncoder(out).Encode(map[string]any{"pipeline": p.Name, "cancelled": open, "range": command})
	}
	text := "no backfill of %s is open%s\n"
	if open {
		text = "the backfill of %s (%s) is cancelled; the table is as it was\n"
	}
	_, err = fmt.Fprintf(out, text, p.Name, command)
	return err
}

const kafkaTime = "kafka-time:"

// request reads the flags of the range.
func (o backfillFlags) request() (r backfill.Request, err error) {
	r = backfill.Request{From: backfill.Beginning, Until: backfill.End, Column: o.column, AllowPartial: o.allowPartial, ReplaceForeign: o.replaceForeign}
	times, positions := o.from != "" || o.to != "", o.fromOffsets != "" || o.toOffsets != ""
	switch {
	case !times && !positions && !o.all:
		return r, fmt.Errorf("backfill needs a range: --from and --to, --from-offsets and --to-offsets, or --all; see lakewheel backfill --help")
	case times && positions, o.all && (times || positions):
		return r, fmt.Errorf("backfill takes one range: of times, of offsets, or --all")
	case o.all:
		return r, nil
	case positions:
		return o.offsets(r)
	}
	r.Kind = backfill.EventTime
	if strings.HasPrefix(o.from, kafkaTime) || strings.HasPrefix(o.to, kafkaTime) {
		r.Kind = backfill.KafkaTime
	}
	for _, end := range []struct {
		flag, text string
		into       *int64
	}{{"--from", o.from, &r.From}, {"--to", o.to, &r.Until}} {
		if end.text == "" {
			continue
		}
		text, written := strings.CutPrefix(end.text, kafkaTime)
		if written != (r.Kind == backfill.KafkaTime) {
			return r, fmt.Errorf("--from and --to are of different times: give both with kafka-time:, or none")
		}
		if *end.into, err = parseTime(text); err != nil {
			return r, fmt.Errorf("%s %s: expected a time such as 2026-01-01T00:00:00Z", end.flag, end.text)
		}
	}
	return r, nil
}

func (o backfillFlags) offsets(r backfill.Request) (backfill.Request, error) {
	r.Kind = backfill.Offsets
	for _, end := range []struct {
		flag, text string
		into       *offsets.Positions
	}{{"--from-offsets", o.fromOffsets, &r.FromOffsets}, {"--to-offsets", o.toOffsets, &r.UntilOffsets}} {
		if end.text == "" {
			return r, fmt.Errorf("%s is missing: a range of offsets has both ends", end.flag)
		}
		if err := json.Unmarshal([]byte(end.text), end.into); err != nil {
			return r, fmt.Errorf(`%s %s: expected offsets by topic and partition, such as {"events":{"0":100,"1":120}} (%v)`, end.flag, end.text, err)
		}
	}
	return r, nil
}

// parseTime reads a time or a day, in UTC unless it says otherwise, as microseconds since 1970.
func parseTime(text string) (int64, error) {
	var first error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		t, err := time.Parse(layout, text)
		if err == nil {
			return t.UnixMicro(), nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, first
}

// filled is what backfill prints.
type filled struct {
	Pipeline string `json:"pipeline"`
	Range    string `json:"range"`
	DryRun   bool   `json:"dryRun"`
	Into     string `json:"into,omitempty"`
	Where    string `json:"where"`
	Plan     string `json:"plan,omitempty"` // of a dry run
	// From and To are the offsets that are read, by source.
	From           map[string]offsets.Positions `json:"fromOffsets"`
	To             map[string]offsets.Positions `json:"toOffsets"`
	Watermark      string                       `json:"watermark,omitempty"`
	LeftAlone      []string                     `json:"leftAlone,omitempty"`
	Version        int64                        `json:"version"`
	FilesOut       int                          `json:"filesOut"`
	FilesRewritten int                          `json:"filesRewritten"`
	FilesIn        int                          `json:"filesIn"`
	RowsOut        int64                        `json:"rowsOut"`
	RowsIn         int64                        `json:"rowsIn"`
	SideRows       map[string]int64             `json:"sideRows,omitempty"`
	Parts          int                          `json:"parts"`
	Resumed        int                          `json:"resumedParts,omitempty"`
	Restarts       int                          `json:"restarts,omitempty"`
	Finished       bool                         `json:"finished,omitempty"` // an earlier call had put the rows in
}

func (o backfillFlags) print(w io.Writer, p *config.Pipeline, r backfill.Report) error {
	out := filled{Pipeline: p.Name, Range: r.Command, DryRun: o.dryRun, Into: o.into, Where: r.Where, From: r.From, To: r.Until, Version: r.Replaced.Version,
		FilesOut: r.Replaced.Out, FilesRewritten: r.Replaced.Rewritten, FilesIn: r.Replaced.In, RowsOut: r.Replaced.Gone, RowsIn: r.Replaced.Rows, SideRows: r.Replaced.SideRows,
		Parts: r.Parts, Resumed: r.Found, Restarts: r.Restarts, Finished: r.Finished}
	if r.Watermark > 0 {
		out.Watermark = time.UnixMilli(r.Watermark).UTC().Format(time.RFC3339Nano)
	}
	for _, windows := range r.LeftAlone {
		out.LeftAlone = append(out.LeftAlone, windows.String())
	}
	if o.dryRun {
		out.Plan = planner.FormatPhysical(r.Plan)
	}
	if o.asJSON {
		return json.NewEncoder(w).Encode(out)
	}
	return out.text(w)
}

// text is for people.
func (f filled) text(w io.Writer) error {
	if f.Finished {
		_, err := fmt.Fprintf(w, "%s: the rows of this range were put in by an earlier call, which is finished now\n", f.Pipeline)
		return err
	}
	var b strings.Builder
	switch {
	case f.DryRun:
		fmt.Fprintf(&b, "%s: %d rows in %d files would go, %d of which would be written again without them (as of version %d)\n", f.Pipeline, f.RowsOut, f.FilesOut, f.FilesRewritten, f.Version)
	case f.Into != "":
		fmt.Fprintf(&b, "%s: %d rows in %s, version %d\n", f.Pipeline, f.RowsIn, f.Into, f.Version)
	default:
		fmt.Fprintf(&b, "%s: %d rows in %d files took the place of %d rows in %d files, version %d\n", f.Pipeline, f.RowsIn, f.FilesIn, f.RowsOut, f.FilesOut, f.Version)
	}
	fmt.Fprintf(&b, "  range: %s\n  rows: %s\n", f.Range, f.Where)
	for _, source := range slices.Sorted(maps.Keys(f.To)) {
		for _, r := range offsets.Ranges(source, f.From[source], f.To[source]) {
			fmt.Fprintf(&b, "  reads: %s, %s\n", source, r)
		}
	}
	if f.Watermark != "" {
		fmt.Fprintf(&b, "  committed watermark: %s\n", f.Watermark)
	}
	for _, windows := range f.LeftAlone {
		fmt.Fprintf(&b, "  left alone: %s\n", windows)
	}
	for _, kind := range slices.Sorted(maps.Keys(f.SideRows)) {
		fmt.Fprintf(&b, "  %s: %d rows\n", kind, f.SideRows[kind])
	}
	if f.Plan != "" {
		fmt.Fprintf(&b, "%s\n", f.Plan)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
