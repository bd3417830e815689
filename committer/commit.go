package committer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/internal/strictjson"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/offsets"
)

// Batch is one commit: the batches First..Last and where they leave the sources.
type Batch struct {
	First, Last int64
	Sources     map[string]offsets.Progress
	Watermarks  map[string]int64
	Active      map[string]int64
	Watermark   Watermark
	NoDataDue   bool
	Time        int64 // of the last batch, milliseconds since 1970
	State       []StateFile
	Operators   []Operator
	// Replace takes all rows that the pipeline has written out of the table: the new ones take their place (complete mode).
	Replace bool
	// Output holds the rows; nil for a commit without any. Commit finishes it.
	Output *Output
}

// Result says what a commit did.
type Result struct {
	Version     int64
	Files       int
	Rows, Bytes int64
	SideRows    map[string]int64
	// Merged small files became MergedInto files with this commit.
	Merged, MergedInto int
	Replaced           bool // rows were replaced by key
	Cost               Cost // of that
	// Requests that the store of the table was sent since the commit before, by kind; nil for a store that counts none. Side tables
	// have stores of their own.
	Requests map[string]int64
}

// Commit makes the batch visible, with its offsets, and publishes what depends on it. On nil it is done.
// ErrFenced and ErrPositionLost mean it was certainly not applied; after any other error only a new
// Open can tell. Once an entry was sent without success, or not published, no further one is.
func (c *Committer) Commit(ctx context.Context, b Batch) (Result, error) {
	if c.stopped != nil {
		return Result{}, fmt.Errorf("an earlier commit ended this run: %w", c.stopped)
	}
	r := c.nextRecord()
	r.FirstBatch, r.LastBatch, r.Sources, r.Watermarks, r.Active, r.Watermark = b.First, b.Last, b.Sources, b.Watermarks, b.Active, b.Watermark
	r.NoDataDue, r.BatchTime, r.State, r.Operators = b.NoDataDue, b.Time, b.State, b.Operators
	var files []lakehouse.DataFile
	if b.Output != nil {
		var err error
		if files, r.Side, err = b.Output.finish(ctx); err != nil {
			return Result{}, err
		}
	}
	for _, step := range []string{"stage", "state"} {
		if err := c.step(step); err != nil {
			return Result{}, err
		}
	}
	change := c.change(r, files, "STREAMING UPDATE")
	if b.Replace {
		if err := c.replace(ctx, c.base, &change); err != nil {
			return Result{}, err
		}
	}
	if b.Output != nil && b.Output.keys != nil {
		c.merging = c.newMerging(b.Output.keys, files)
		defer func() { c.merging = nil }()
		if err := c.merging.on(ctx, c.base, &change); err != nil {
			return Result{}, err
		}
	}
	if c.opts.Compaction.Inline {
		c.compact(ctx, change.Remove)
	}
	c.compaction.ride(ctx, &change)
	if err := c.commit(ctx, r, change); err != nil {
		return Result{}, err
	}
	res := c.result(r, files)
	res.Merged, res.MergedInto = c.compaction.rode()
	return res, nil
}

// compact begins to merge small files if it is time, but for some that go in any case.
func (c *Committer) compact(ctx context.Context, but []lakehouse.DataFile) {
	c.compaction.begin(ctx, c.opts.Table, c.base, func() ([]lakehouse.DataFile, error) {
		files, err := c.live.files(ctx, c.base)
		if err != nil {
			return nil, err
		}
		return c.alone.rest(ctx, c.opts.Table, c.base, without(files, but))
	})
}

// without are the files that are not among others.
func without(files, others []lakehouse.DataFile) []lakehouse.DataFile {
	if len(others) == 0 {
		return files
	}
	out := map[string]bool{}
	for _, f := range others {
		out[f.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(files), func(f lakehouse.DataFile) bool { return out[f.Path] })
}

func (c *Committer) result(r *Record, files []lakehouse.DataFile) Result {
	res := Result{Version: c.base.Version, Files: len(files), SideRows: map[string]int64{}}
	for _, f := range files {
		res.Rows, res.Bytes = res.Rows+f.Rows, res.Bytes+f.Bytes
	}
	if c.merging != nil {
		res.Replaced, res.Cost = true, c.merging.cost()
	}
	for _, s := range r.Side {
		for _, f := range s.Files {
			res.SideRows[s.Kind] += f.Rows
		}
	}
	return res
}

func (c *Committer) step(name string) error {
	if c.opts.Step == nil {
		return nil
	}
	return c.opts.Step(name)
}

// waysOfColumns are those of the newest record with those of the query.
func (c *Committer) waysOfColumns() map[string][]string {
	out := map[string][]string{}
	if c.last != nil {
		maps.Copy(out, c.last.Columns)
	}
	for name, way := range c.opts.Columns {
		if _, ok := out[name]; !ok && c.last != nil && c.last.Columns != nil && c.last.LastBatch >= 0 {
			out[name] = []string{NoColumn}
		}
		if !slices.Contains(out[name], way) {
			out[name] = append(slices.Clip(out[name]), way)
		}
	}
	return out
}

// nextRecord is a record after the newest one, still without content.
func (c *Committer) nextRecord() *Record {
	r := &Record{Format: Format, Token: c.opts.Token(), QueryID: c.queryID, Pipeline: c.opts.Name, Epoch: c.epoch,
		Writer: c.opts.Writer, Plan: c.opts.Plan, Settings: c.opts.Settings}
	if c.last != nil {
		r.Parent = c.last.Token
	}
	r.Columns = c.waysOfColumns()
	return r
}

// commit runs steps 2 to 5 of the protocol for a record whose files are staged.
func (c *Committer) commit(ctx context.Context, r *Record, change lakehouse.Change) error {
	if err := c.writeRecord(ctx, r); err != nil {
		return err
	}
	base, err := c.put(ctx, r, change)
	if err != nil {
		c.stopped = err
		return err
	}
	c.base, c.last, c.remake, c.relaid = base, r, false, true
	c.records.add(r, change.Time)
	c.stopped = c.afterPut(ctx, r)
	return c.stopped
}

// afterPut publishes what the entry made due.
func (c *Committer) afterPut(ctx context.Context, r *Record) error {
	if err := c.step("commit"); err != nil {
		return err
	}
	if err := c.rollForward(ctx, c.base, r); err != nil {
		return err
	}
	return c.step("publish")
}

func (c *Committer) writeRecord(ctx context.Context, r *Record) error {
	body, err := strictjson.Encode(r)
	if err != nil {
		return err
	}
	if err := c.opts.Objects.Put(ctx, recordName(r.Pipeline, r.Token), body); err != nil {
		return fmt.Errorf("write record of batch %d: %w", r.LastBatch, err)
	}
	return nil
}

func (c *Committer) change(r *Record, files []lakehouse.DataFile, operation string) lakehouse.Change {
	change := lakehouse.Change{
		App: c.app, Txn: lakehouse.Txn{Batch: r.LastBatch, Token: r.Token}, Time: c.opts.Now().UnixMilli(),
		Add: files, DataChange: true, Operation: operation,
		Parameters: map[string]string{"outputMode": "Append", "queryId": r.QueryID, "epochId": strconv.FormatInt(r.LastBatch, 10)},
		Info:       map[string]any{"lakewheel": info(r)},
	}
	if want := c.opts.Layout.Over(c.base.Layout); !c.relaid && !want.Equal(c.base.Layout) {
		change.Layout = &want
	}
	if c.base.Version < 0 || c.remake {
		change.Create = &lakehouse.Creation{ID: c.tableID, Schema: nullable(c.opts.Schema), PartitionBy: c.opts.PartitionBy, Properties: c.properties()}
		return change
	}
	change.Schema = c.evolution(c.base, files)
	return change
}

// properties are those of a table that this run makes, or makes again.
func (c *Committer) properties() map[string]string {
	out := map[string]string{}
	maps.Copy(out, c.opts.Properties)
	maps.Copy(out, c.base.Properties)
	return out
}

// info repeats offsets and watermark for people who read the table's history.
func info(r *Record) map[string]any {
	sources := make(map[string]offsets.Positions, len(r.Sources))
	for name, p := range r.Sources {
		sources[name] = p.Positions()
	}
	return map[string]any{"pipeline": r.Pipeline, "batches": []int64{r.FirstBatch, r.LastBatch}, "epoch": r.Epoch, "writer": r.Writer,
		"offsets": sources, "watermark": r.Watermark.Next}
}

// maxAsks bounds how often an unknown outcome is asked about before the run ends; with doubling
// pauses from 50 ms to 5 s that is about half a minute.
const maxAsks = 12

// put decides the batch: steps 3 and 4. It returns the snapshot with our entry, and notes the files that it changed.
func (c *Committer) put(ctx context.Context, r *Record, change lakehouse.Change) (lakehouse.Snapshot, error) {
	next, done, err := c.decide(ctx, r, change)
	if err != nil {
		c.live.forget()
		return next, err
	}
	c.live.applied(next, done)
	return next, nil
}

// decide puts the entry. It returns the snapshot with it, and the change as it was made for the version that it took.
func (c *Committer) decide(ctx context.Context, r *Record, change lakehouse.Change) (lakehouse.Snapshot, lakehouse.Change, error) {
	base := c.base
	if err := c.verify(ctx, base); err != nil {
		return base, change, err
	}
	for {
		next, entry, err := c.settle(ctx, c.opts.Table, base, change)
		switch {
		case errors.Is(err, ErrOutcomeUnknown):
			return base, change, fmt.Errorf("batch %d of %s: %w; start again, the table will tell", r.LastBatch, c.opts.Name, err)
		case err != nil:
			return base, change, c.certain(err)
		case entry == nil:
			return next, change, nil
		}
		if err := c.lostTo(ctx, next, *entry, change); err != nil {
			return base, change, err
		}
		base = next
		if err := c.reveal(ctx, c.opts.Table, base); err != nil {
			return base, change, err
		}
		if err := c.rebase(ctx, base, *entry, &change); err != nil {
			return base, change, err
		}
	}
}

// rebase makes a change that lost its version one for the version after the entry that took it.
func (c *Committer) rebase(ctx context.Context, base lakehouse.Snapshot, e lakehouse.Entry, change *lakehouse.Change) error {
	change.Schema = c.evolution(base, change.Add)
	var err error
	switch {
	case c.merging != nil:
		err = c.merging.on(ctx, base, change)
	case len(change.Remove) > 0 && !e.DataChange: // the rows that it replaces lie in other files now
		err = c.replace(ctx, base, change)
	}
	if err != nil {
		return err
	}
	c.compaction.overtaken(ctx, e, change)
	return nil
}

// lostTo says why the run ends after another's entry took the version, nil if our change may go on top of it.
func (c *Committer) lostTo(ctx context.Context, next lakehouse.Snapshot, e lakehouse.Entry, change lakehouse.Change) error {
	if judge(e, c.app, change.Txn.Token) == fenced {
		return c.fencedBy(ctx, e, c.opts.Name)
	}
	if c.exact {
		return fmt.Errorf("%w: version %d of %s (%s)", errOvertaken, e.Version, c.opts.Table, e.Operation)
	}
	name, err := c.renamed(ctx, e)
	switch {
	case err != nil:
		return err
	case name != "":
		return c.fencedBy(ctx, e, name)
	}
	return c.admit(next, e, change)
}

// renamed finds the other name under which an entry goes on from where we are: this pipeline's previous
// name, still running, or a new one that has it for its previous name.
func (c *Committer) renamed(ctx context.Context, e lakehouse.Entry) (string, error) {
	if c.last == nil {
		return "", nil
	}
	for _, name := range pipelines(e.Txns) {
		if name == c.last.Pipeline {
			return name, nil
		}
		switch r, err := ReadRecord(ctx, c.opts.Objects, name, e.Txns[appID(name)].Token); {
		case err != nil && !gone(err):
			return "", fmt.Errorf("%w: version %d of %s is of pipeline %s, whose record cannot be read: %w", ErrOutcomeUnknown, e.Version, c.opts.Table, name, err)
		case err == nil && r.Parent == c.last.Token:
			return name, nil
		}
	}
	return "", nil
}

func pause(n int) time.Duration { return min(5*time.Second, 25*time.Millisecond<<n) }

func (c *Committer) verify(ctx context.Context, base lakehouse.Snapshot) error {
	if base.Version < 0 {
		return nil
	}
	return c.certain(c.opts.Table.Verify(ctx, base))
}

func (c *Committer) certain(err error) error {
	if errors.Is(err, lakehouse.ErrReplaced) {
		return fmt.Errorf("%w: %s is not the table that version %d was read from (%w); nothing was written: restore it, or go on with --accept-loss", ErrPositionLost, c.opts.Table, c.base.Version, err)
	}
	return err
}

type verdict int

const (
	foreign verdict = iota // another application's entry: go on top of it
	own                    // our entry: the put was applied
	fenced                 // our application id with another token
)

// judge says whose entry took the version we wanted.
func judge(e lakehouse.Entry, app string, token int64) verdict {
	txn, ok := e.Txns[app]
	switch {
	case !ok:
		return foreign
	case txn.Token == token:
		return own
	default:
		return fenced
	}
}

// admit checks that our change may go on top of a foreign entry.
func (c *Committer) admit(next lakehouse.Snapshot, e lakehouse.Entry, change lakehouse.Change) error {
	if takesRows(e) {
		return fmt.Errorf("%w: %s", ErrPositionLost, takenMessage(c.opts.Table.String(), e))
	}
	if c.merging == nil && len(change.Remove) > 0 && e.DataChange && e.Adds > 0 {
		return fmt.Errorf("%w: version %d of %s was written by another writer (%s), and output_mode: complete replaces the whole table: give the result a table of its own", ErrRefused, e.Version, c.opts.Table, e.Operation)
	}
	if change.Create != nil {
		return fmt.Errorf("%w: %s was created by another writer (%s) while this pipeline started: look at it, then start again", ErrRefused, c.opts.Table, e.Operation)
	}
	if e.MetadataChanged {
		return c.checkSchema(next)
	}
	return nil
}

func (c *Committer) fencedBy(ctx context.Context, e lakehouse.Entry, name string) error {
	txn := e.Txns[appID(name)]
	who := fmt.Sprintf("record %d", txn.Token)
	if r, err := ReadRecord(ctx, c.opts.Objects, name, txn.Token); err == nil {
		who = fmt.Sprintf("%s (epoch %d)", r.Writer, r.Epoch)
	}
	return fmt.Errorf("%w: %s took over pipeline %s at version %d of %s; this run (epoch %d) ends here", ErrFenced, who, c.opts.Name, e.Version, c.opts.Table, c.epoch)
}

// checkSchema refuses a table that cannot take our rows.
func (c *Committer) checkSchema(s lakehouse.Snapshot) error {
	if s.Version < 0 {
		return nil
	}
	if s.Unusable != nil {
		return fmt.Errorf("%w: %w", ErrRefused, s.Unusable)
	}
	if !slices.Equal(s.PartitionBy, c.opts.PartitionBy) {
		return fmt.Errorf("%w: %s is partitioned by [%s], and partition_by says [%s]; a table keeps its partitioning", ErrRefused, c.opts.Table, strings.Join(s.PartitionBy, ", "), strings.Join(c.opts.PartitionBy, ", "))
	}
	diff := schemaDiff(s.Schema, c.opts.Schema)
	if c.opts.AddColumns {
		diff = evolvedDiff(s.Schema, c.opts.Schema)
	}
	if diff != "" {
		return fmt.Errorf("%w: the query does not fit the schema of %s: %s; change the query, or write to another table", ErrRefused, c.opts.Table, diff)
	}
	return c.checkMerge(s)
}

// Maintain does the chores after commits: checkpoints of the table and of side tables, the retention of records, and the beginning of a
// compaction, which goes on when Maintain has returned, at most until ctx or Close ends it. Its failure is worth a warning, never a stop.
func (c *Committer) Maintain(ctx context.Context) error {
	if c.last == nil {
		return nil
	}
	if !c.opts.Compaction.Inline && c.stopped == nil {
		c.compact(ctx, nil)
	}
	return errors.Join(c.opts.Table.Maintain(ctx, c.base, c.opts.Now().UnixMilli()), c.maintainSides(ctx), c.records.expire(ctx, c.opts, c.last.Token), c.compaction.failure())
}

// Close ends what goes on beside the commits.
func (c *Committer) Close() { c.compaction.close() }
