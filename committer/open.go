package committer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Options set up a Committer.
type Options struct {
	Table lakehouse.Table
	// Objects holds the table's root: records lie under _lakewheel/ in it.
	Objects store.Store
	// Schema of the rows; a new table is made with it.
	Schema *columnar.Schema

	Name, Previous string
	// PartitionBy are the partition columns of the table, in the spelling of Schema.
	PartitionBy []string
	// Properties of the table, if this run makes it.
	Properties map[string]string
	// Layout of the files of the table, where it says something: it becomes that of the table with the first commit of this run. Otherwise
	// files are laid out as the table says.
	Layout lakehouse.Layout
	// AddColumns lets columns that the table does not have be added to it, with the first rows that have them.
	AddColumns bool

	// Merge makes rows replace others by key; nil: they are only added.
	Merge *Merge

	Append, AcceptLoss bool
	// Bounded: the new epoch rides on the first commit instead of being taken at once.
	Bounded bool
	// Writer names this process for those it fences: host, pid, start.
	Writer string
	Plan   string
	// Columns say how columns of the table came about that can tell which rows are of a range; see planner.Derivations.
	Columns  map[string]string
	Settings map[string]string
	// Side tables by kind.
	Side map[string]SideTable
	// Retain is how many commits, and how long, records are kept. Both must be passed.
	RetainCommits int
	RetainFor     time.Duration
	// TargetFileSize of data files in bytes.
	TargetFileSize int64
	Compaction     CompactionPolicy

	Now   func() time.Time
	Token func() int64  // a random positive 63-bit number
	NewID func() string // a random UUID
	Sleep func(ctx context.Context, d time.Duration) error
	// Fits judges the newest record before this run takes the position over. Nil: any will do.
	Fits func(last *Record) error
	// Step is called after each durable step of a commit ("stage", "commit", "publish"); an error
	// stops there as a crash would. Nil in production.
	Step func(step string) error
}

// SideTable is a table beside the main one that gets rows of the same commits.
type SideTable struct {
	Table lakehouse.Table
	// Objects holds the table's root; nil: what a backfill staged and dropped is left to vacuum.
	Objects store.Store
	Schema  *columnar.Schema
}

// Committer commits the batches of one pipeline into one table. It has one owner goroutine.
type Committer struct {
	opts    Options
	app     string
	base    lakehouse.Snapshot
	last    *Record // newest record that is committed; nil before the first
	epoch   int64
	prefix  string // of the files it writes; "": that of the epoch
	queryID string
	tableID string
	records retention
	live    live
	// compaction of small files, riding on the commits.
	compaction compaction
	alone      leftAlone // by it
	merging    *merging  // of the commit that runs; nil: it replaces no rows by key
	remake     bool      // the next entry gives the table, which nothing was ever written to, the schema of the rows
	relaid     bool      // the layout is that of the table
	exact      bool      // the change fits its base alone, and is not put on top of another
	stopped    error     // why no further entry may be put
	// sides are the side tables as this run left them, by place.
	sides map[string]lakehouse.Snapshot
}

// Open reads the table, decides (Resolve), rolls the newest commit forward and, unless the
// run is bounded, takes the next epoch. The record to go on from is Last.
func Open(ctx context.Context, opts Options) (*Committer, error) {
	c := &Committer{opts: opts, app: appID(opts.Name), live: live{table: opts.Table}, sides: map[string]lakehouse.Snapshot{},
		compaction: compaction{policy: opts.Compaction, name: opts.Name, target: opts.TargetFileSize, now: opts.Now, remove: opts.Objects.Delete}}
	for {
		decision, err := c.load(ctx)
		if err != nil {
			return nil, err
		}
		if err := c.adopt(ctx, decision); err != nil {
			if c.moved(ctx) {
				continue // the facts were read in pieces while another writer committed: they mean nothing together
			}
			return nil, err
		}
		if opts.Bounded && !decision.Accepted {
			return c, nil
		}
		switch err := c.takeOver(ctx); {
		case errors.Is(err, ErrFenced):
			// Another starter was quicker. The newest starter wins: read again, one epoch higher.
			continue
		case err != nil:
			return nil, err
		}
		return c, nil
	}
}

// moved reports whether the table has gone on since it was read.
func (c *Committer) moved(ctx context.Context) bool {
	_, _, ok, err := c.opts.Table.Next(ctx, c.base)
	return ok && err == nil
}

// Last is the newest committed record, nil before the first commit.
func (c *Committer) Last() *Record { return c.last }

// Epoch of this run.
func (c *Committer) Epoch() int64 { return c.epoch }

// QueryID is the UUID of the query, made at its first commit.
func (c *Committer) QueryID() string { return c.queryID }

// Version of the table as this run knows it, -1 if there is none yet.
func (c *Committer) Version() int64 { return c.base.Version }

// load reads the facts of a start and decides.
func (c *Committer) load(ctx context.Context) (Decision, error) {
	facts, err := c.facts(ctx)
	if err != nil {
		return Decision{}, err
	}
	return Resolve(facts), nil
}

func (c *Committer) facts(ctx context.Context) (Facts, error) {
	base, err := c.opts.Table.Snapshot(ctx)
	if err != nil {
		return Facts{}, err
	}
	c.base = base
	o := c.opts
	f := Facts{Table: o.Table.String(), Name: o.Name, Previous: o.Previous, Append: o.Append, AcceptLoss: o.AcceptLoss,
		Version: base.Version, Live: base.Files, Occupied: base.Occupied, Apps: base.Txns}
	name, txn, ok := f.position()
	if !ok {
		f.Proof, err = c.proof(ctx)
		return f, err
	}
	f.Record, f.RecordErr = ReadRecord(ctx, o.Objects, name, txn.Token)
	if f.RecordErr != nil && !gone(f.RecordErr) {
		return f, fmt.Errorf("read record %d of %s: %w", txn.Token, name, f.RecordErr)
	}
	if f.Successor, err = c.successor(ctx, base, f.Record); err != nil {
		return f, err
	}
	f.Taken, err = c.takenSince(ctx, appID(name), txn)
	return f, err
}

// successor finds another name whose newest record is of our query with a higher epoch.
func (c *Committer) successor(ctx context.Context, base lakehouse.Snapshot, ours *Record) (string, error) {
	if ours == nil {
		return "", nil
	}
	for _, name := range pipelines(base.Txns) {
		if name == ours.Pipeline || name == c.opts.Name {
			continue
		}
		switch r, err := ReadRecord(ctx, c.opts.Objects, name, base.Txns[appID(name)].Token); {
		case err != nil && !gone(err):
			return "", fmt.Errorf("read the newest record of %s: %w", name, err)
		case err == nil && r.QueryID == ours.QueryID && r.Epoch > ours.Epoch:
			return name, nil
		}
	}
	return "", nil
}

// gone tells a record that is not there, or not usable, from one that could not be read this time.
func gone(err error) bool { return errors.Is(err, store.ErrNotExist) || errors.Is(err, errDamaged) }

// position returns the txn a start goes on from, and the name it was written under.
func (f Facts) position() (name string, txn lakehouse.Txn, ok bool) {
	for _, name := range []string{f.Name, f.Previous} {
		if txn, ok := f.Apps[appID(name)]; ok && name != "" {
			return name, txn, true
		}
	}
	return "", lakehouse.Txn{}, false
}

// ReadRecord reads the record of a token.
func ReadRecord(ctx context.Context, objects store.Store, name string, token int64) (*Record, error) {
	file := recordName(name, token)
	b, _, err := objects.Get(ctx, file)
	if err != nil {
		return nil, err
	}
	r, err := decodeRecord(file, b)
	if err == nil && r.Token != token {
		return nil, fmt.Errorf("%w: %s holds record %d", errDamaged, file, r.Token)
	}
	return r, err
}

// proof looks for a record that has a parent.
func (c *Committer) proof(ctx context.Context) (int64, error) {
	list, err := c.opts.Objects.List(ctx, recordsFolder(c.opts.Name), "")
	if err != nil {
		return 0, fmt.Errorf("list records of %s: %w", c.opts.Name, err)
	}
	for _, info := range list {
		token, ok := tokenOf(info.Name)
		if !ok {
			continue
		}
		r, err := ReadRecord(ctx, c.opts.Objects, c.opts.Name, token)
		switch {
		case errors.Is(err, store.ErrNotExist):
		case err != nil && !gone(err):
			return 0, fmt.Errorf("read record %d of %s: %w", token, c.opts.Name, err)
		case err != nil, r.Parent != 0: // what is damaged may be proof as well
			return token, nil
		}
	}
	return 0, nil
}

func tokenOf(file string) (int64, bool) {
	text, ok := strings.CutSuffix(path.Base(file), ".json")
	token, err := strconv.ParseInt(text, 10, 64)
	return token, ok && err == nil && token > 0
}

// takenSince looks through the entries after our newest commit for one that took its rows away.
func (c *Committer) takenSince(ctx context.Context, app string, txn lakehouse.Txn) (*lakehouse.Entry, error) {
	var taken *lakehouse.Entry
	_, err := eachEntry(ctx, c.opts.Table, c.base, func(e lakehouse.Entry) bool { // where the log was cleaned behind a checkpoint, nobody can tell
		if e.Txns[app] != txn && takesRows(e) {
			taken = &e
		}
		return e.Txns[app] != txn && taken == nil
	})
	return taken, err
}

// adopt makes a decision the state of the committer and finishes the newest commit.
func (c *Committer) adopt(ctx context.Context, d Decision) error {
	if d.Kind == Refuse {
		return d.Err
	}
	c.remake = false
	if err := c.checkSchema(c.base); err != nil {
		if !unfilled(d.Record, c.base) {
			return err
		}
		c.remake = true
	}
	if d.Record != nil && c.opts.Fits != nil {
		if err := c.opts.Fits(d.Record); err != nil {
			return err
		}
	}
	c.last, c.epoch, c.tableID = d.Record, 1, c.base.ID
	switch {
	case d.Record != nil:
		c.epoch, c.queryID = d.Record.Epoch+1, d.Record.QueryID
	default:
		c.queryID = c.opts.NewID()
	}
	if c.base.Version < 0 {
		c.tableID = c.opts.NewID()
	}
	if err := c.checkSides(ctx); err != nil {
		return err
	}
	due, err := c.stillDue(ctx, d.Record)
	if err != nil {
		return err
	}
	if err := c.rollForward(ctx, c.base, due); err != nil {
		return err
	}
	return c.records.load(ctx, c.opts)
}

// unfilled reports whether a table holds nothing but the epochs of one pipeline: a first run made it and failed before its
// first batch, perhaps for a schema that has been corrected since.
func unfilled(r *Record, s lakehouse.Snapshot) bool {
	return r != nil && r.LastBatch == -1 && s.Files == 0 && s.Unusable == nil && len(s.PartitionBy) == 0 && len(pipelines(s.Txns)) == 1
}

// maxOvertakes bounds how often a start meets another commit of the driver that it replaces.
const maxOvertakes = 1000

// overtakenFor bounds how long it goes on with that.
const overtakenFor = 30 * time.Second

// takeOver takes the epoch. The driver that is replaced may commit in between, more often than a whole start can be repeated: then the
// start goes on from that commit, which costs a few requests, and does not begin again. ErrFenced: another starter was quicker.
func (c *Committer) takeOver(ctx context.Context) error {
	var err error
	end := c.opts.Now().Add(overtakenFor)
	for range maxOvertakes {
		if c.opts.Now().After(end) {
			break
		}
		if err = c.takeEpoch(ctx); !errors.Is(err, ErrFenced) {
			return err
		}
		if ordinary, failed := c.catchUp(ctx); failed != nil || !ordinary {
			return errors.Join(err, failed)
		}
		c.stopped = nil
	}
	return fmt.Errorf("the driver that this run replaces commits more often than this run can read its commits: stop it, then start again")
}

// catchUp goes on from the entries since the base as if the start had read them, as long as they are ordinary commits of the epoch that
// is replaced, or foreign ones that leave our rows alone.
func (c *Committer) catchUp(ctx context.Context) (ordinary bool, err error) {
	for c.last != nil && c.last.Pipeline == c.opts.Name {
		next, entry, ok, err := c.opts.Table.Next(ctx, c.base)
		if err != nil || !ok {
			return err == nil, err
		}
		txn, ours := entry.Txns[c.app]
		if !ours {
			if len(pipelines(entry.Txns)) > 0 {
				return false, nil // perhaps this one under another name
			}
			if err := c.admit(next, entry, lakehouse.Change{}); err != nil {
				return false, err
			}
			if err := c.reveal(ctx, c.opts.Table, next); err != nil {
				return false, err
			}
			c.base = next
			continue
		}
		r, err := ReadRecord(ctx, c.opts.Objects, c.opts.Name, txn.Token)
		if err != nil || r.Epoch != c.last.Epoch {
			return false, nil // the whole start tells what it means
		}
		if err := c.rollForward(ctx, next, r); err != nil {
			return false, err
		}
		c.base, c.last = next, r
		c.records.add(r, entry.Time)
	}
	return false, nil
}

// takeEpoch commits an entry without rows that carries the new epoch. ErrFenced: another starter was quicker.
func (c *Committer) takeEpoch(ctx context.Context) error {
	r := c.nextRecord()
	r.FirstBatch, r.LastBatch = -1, -1
	if c.last != nil {
		r.FirstBatch, r.LastBatch = c.last.FirstBatch, c.last.LastBatch
		r.standAt(c.last)
	}
	return c.commit(ctx, r, c.change(r, nil, "STREAMING EPOCH"))
}

// NewestRecord reads the newest committed record of a pipeline, nil if there is none. It takes nothing over.
func NewestRecord(ctx context.Context, o Options) (*Record, error) {
	snap, err := o.Table.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	name, txn, ok := Facts{Name: o.Name, Previous: o.Previous, Apps: snap.Txns}.position()
	if !ok {
		return nil, nil
	}
	return ReadRecord(ctx, o.Objects, name, txn.Token)
}
