package committer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/offsets"
)

// Backfill computes a range of rows of a pipeline again and puts them in the place of those that are there, in one version of the table, while the
// pipeline goes on.
//
//  1. Intent: a file that says what is asked for and, by an entry of an application id of its own, fixes a base version B, the one that the entry is put
//     directly on, and with it the positions P of the pipeline's record there. Rows of the range that are in the table at B come from offsets below
//     P; what is added later comes from P on. So what is computed of the offsets below P takes the place of the rows in files from before B,
//     and later files stay as they are.
//  2. Parts: rows are staged some offsets at a time. Each part is a file that names what is staged, and where the next one goes on: after a
//     crash the same command goes on there.
//  3. Meanwhile the log is followed, so that it is known which files hold the rows from before B. While an intent is open, compaction leaves these files
//     alone. A commit of another writer that mixes their rows with later ones, or a rewind of the pipeline, begins the backfill again (ErrRestart).
//  4. End: a file that says what becomes of side tables, then one entry that takes the rows of the range out of the files from before B, whole
//     files or by copies of the rest, and adds the staged ones. After a lost race it is made for the next version.
//  5. Side tables are rolled forward, and the files of 1, 2 and 4 go. That can be repeated, and is, by the next backfill.
//
// The pipeline is not fenced by any of this: the entries are another application's.
type Backfill struct {
	c      *Committer // at the base; it never commits
	app    string
	o      BackfillOptions
	intent Intent
	parts  []Part
	before *before // B
	done   bool
}

// BackfillOptions say what is to be filled.
type BackfillOptions struct {
	// Command is what the user asked for, in one line. A backfill that was cut off goes on if it is asked for the same.
	Command string
	// Plan says what the rows are, given the version and the record that the intent would fix. It is asked again if another commit came in between, and
	// must be quick.
	Plan func(Ground) (Intent, error)
	// Condition reads an expression of SQL over a table.
	Condition func(text string, s *columnar.Schema) (compute.Expr, error)
	// ReplaceForeign takes out rows of the range that other writers have written, too.
	ReplaceForeign bool
}

// Ground is what an intent stands on.
type Ground struct {
	Version int64
	Schema  *columnar.Schema // of the table
	Added   []string         // columns that came to the table after its first rows
	Record  *Record
}

// ErrRestart: what an intent stands on is not there any more. A backfill has to begin again, with another base.
var ErrRestart = errors.New("the ground of the backfill has changed")

const backfillSuffix = "/backfill"

// backfillApp is the application id of the backfills of a pipeline.
func backfillApp(name string) string { return appID(name) + backfillSuffix }

// The batch of a backfill's txn is odd while it is open, and tells the base: it only grows. The token is that of the intent, then that of the end.

func openTxn(base, token int64) lakehouse.Txn { return lakehouse.Txn{Batch: 2*base + 1, Token: token} }

func endTxn(base, token int64) lakehouse.Txn { return lakehouse.Txn{Batch: 2*base + 2, Token: token} }

// openBase is the base version of an open backfill.
func openBase(t lakehouse.Txn) (base int64, open bool) { return (t.Batch - 1) / 2, t.Batch%2 == 1 }

// Intent is what a backfill does. It is immutable once its entry is there.
type Intent struct {
	Format   int    `json:"format"`
	Token    int64  `json:"token"`
	Pipeline string `json:"pipeline"`
	Command  string `json:"command"`
	Writer   string `json:"writer"`
	Time     int64  `json:"time"` // milliseconds since 1970
	Plan     string `json:"plan"` // fingerprint of the physical plan
	// Base is the version that it is put on, Record the token of the pipeline's record there.
	Base   int64 `json:"base"`
	Record int64 `json:"record"`
	// Where is the condition, SQL over the table, of the rows that change places.
	Where string `json:"where"`
	// From and Until are the offsets that are read, by source.
	From  map[string]offsets.Positions `json:"from"`
	Until map[string]offsets.Positions `json:"until"`
	// Told are columns of the table, as SQL, that Where goes by: a row that has NULL in one of them cannot be told. It is of the plan alone.
	Told []string `json:"-"`
	// Watermark up to which windows are complete, milliseconds since 1970; 0: there are none.
	Watermark int64 `json:"watermark"`
	// Sides say which rows of side tables change places.
	Sides []SideIntent `json:"sides"`
}

// SideIntent says which rows of a side table the staged ones take the place of: those of a condition, SQL over that table, or, where it is empty, those
// that are equal to a staged one in some columns.
type SideIntent struct {
	Kind  string   `json:"kind"`
	Where string   `json:"where,omitempty"`
	Keys  []string `json:"keys,omitempty"`
}

// Replaced is what a backfill did, or would do.
type Replaced struct {
	Version int64
	// Out are files that go, Rewritten those of them of which rows stay. Gone are the rows of the range in them.
	Out, Rewritten int
	Gone           int64
	Scanned        int
	In             int
	Rows           int64 // staged
	SideRows       map[string]int64
}

// OpenBackfill goes on with a backfill that was asked for before, or begins one. Other backfills of the pipeline that are open are refused. One that had ended
// and was not rolled forward is; if it is what was asked for, it is done.
func OpenBackfill(ctx context.Context, opts Options, o BackfillOptions) (*Backfill, error) {
	for range maxOvertakes {
		b, err := lookBackfill(ctx, opts, o)
		if err != nil {
			return nil, err
		}
		if _, open := openBase(b.c.base.Txns[b.app]); open {
			if err = b.resume(ctx); errors.Is(err, ErrRestart) {
				err = b.Abandon(ctx)
				if err == nil {
					continue
				}
			}
			return b, err
		}
		if end, err := b.finishEnded(ctx); err != nil || end != nil && !end.Dropped && end.Command == o.Command && end.Plan == opts.Plan {
			b.done = err == nil
			return b, err
		}
		if begun, err := b.begin(ctx); begun || err != nil {
			return b, err
		}
	}
	return nil, fmt.Errorf("other writers commit to %s more often than a backfill can begin: try again later", opts.Table)
}

// lookBackfill reads where the table and the pipeline stand.
func lookBackfill(ctx context.Context, opts Options, o BackfillOptions) (*Backfill, error) {
	opts.Bounded, opts.Compaction, opts.Fits, opts.Merge = true, CompactionPolicy{}, nil, nil
	_, erases := opts.Table.(lakehouse.Eraser)
	if _, travels := opts.Table.(lakehouse.TimeTraveller); !erases || !travels {
		return nil, fmt.Errorf("%w: rows of %s cannot change places at once: readers of plain files look at names alone; fill a new table with --into", ErrRefused, opts.Table)
	}
	c, err := Open(ctx, opts)
	switch {
	case err != nil:
		return nil, err
	case c.last == nil || c.last.LastBatch < 0:
		return nil, fmt.Errorf("%w: %s holds no commit of pipeline %s: there is nothing to replace; run the pipeline, or fill a new table with --into", ErrRefused, opts.Table, opts.Name)
	case c.base.Properties["delta.appendOnly"] == "true":
		return nil, fmt.Errorf("%w: %s has delta.appendOnly=true, and a backfill replaces rows: unset the property, or fill a new table with --into", ErrRefused, opts.Table)
	}
	return &Backfill{c: c, app: backfillApp(opts.Name), o: o}, nil
}

// ground is what an intent on the base stands on.
func (b *Backfill) ground() Ground {
	return Ground{Version: b.c.base.Version, Schema: b.c.base.Schema, Added: b.c.base.Added, Record: b.c.last}
}

// begin puts the intent on the base. False: another entry was quicker, and has to be looked at.
func (b *Backfill) begin(ctx context.Context) (bool, error) {
	for range maxOvertakes {
		var err error
		if b.intent, err = b.o.Plan(b.ground()); err != nil {
			return false, err
		}
		in := &b.intent
		in.Format, in.Token, in.Pipeline, in.Command, in.Writer = BackfillFormat, b.c.opts.Token(), b.c.opts.Name, b.o.Command, b.c.opts.Writer
		in.Base, in.Record, in.Time, in.Plan = b.c.base.Version, b.c.last.Token, b.c.opts.Now().UnixMilli(), b.c.opts.Plan
		if err := b.put(ctx, b.file("intent.json"), in); err != nil {
			return false, err
		}
		next, other, err := b.c.settleBase(ctx, b.entry(openTxn(in.Base, in.Token), "STREAMING BACKFILL INTENT"))
		switch {
		case err != nil:
			return false, err
		case other == nil:
			b.c.base = next
			return true, errors.Join(b.readBefore(ctx), b.sweepOthers(ctx))
		}
		if err := b.sweep(ctx, "intent.json"); err != nil {
			return false, err
		}
		ordinary, err := b.c.catchUp(ctx)
		if _, open := openBase(b.c.base.Txns[b.app]); err != nil || !ordinary || open {
			return false, err
		}
	}
	return false, nil
}

// entry is one of the backfill's that changes no rows.
func (b *Backfill) entry(txn lakehouse.Txn, operation string) lakehouse.Change {
	return lakehouse.Change{App: b.app, Txn: txn, Time: b.c.opts.Now().UnixMilli(), Operation: operation, DataChange: true,
		Parameters: map[string]string{"command": b.intent.Command, "where": b.intent.Where},
		Info: map[string]any{"isBlindAppend": false, "lakewheel": map[string]any{"pipeline": b.c.opts.Name, "backfill": b.intent.Token, "base": b.intent.Base, "writer": b.c.opts.Writer,
			"from": b.intent.From, "until": b.intent.Until}}}
}

// resume goes on with the open backfill: its intent, its parts, and what has become of the files from before its base.
func (b *Backfill) resume(ctx context.Context) error {
	txn := b.c.base.Txns[b.app]
	base, _ := openBase(txn)
	b.intent.Token = txn.Token
	if err := b.get(ctx, b.file("intent.json"), &b.intent); err != nil {
		return fmt.Errorf("the intent of the open backfill %d: %w; lakewheel backfill --cancel ends it", txn.Token, err)
	}
	if b.intent.Command != b.o.Command {
		return fmt.Errorf("%w: a backfill of %s is open since %s (%s, by %s): finish it with the same command, or end it with --cancel", ErrRefused, b.c.opts.Name,
			time.UnixMilli(b.intent.Time).UTC().Format(time.RFC3339), b.intent.Command, b.intent.Writer)
	}
	if b.intent.Plan != b.c.opts.Plan {
		return fmt.Errorf("%w: the query has changed since this backfill began", ErrRestart)
	}
	if err := b.readParts(ctx); err != nil {
		return err
	}
	newest := b.c.base.Version
	at, err := b.c.opts.Table.(lakehouse.TimeTraveller).At(ctx, base)
	if err != nil {
		return fmt.Errorf("%w: version %d, its base, cannot be read any more: %w", ErrRestart, base, err)
	}
	b.c.base = at
	if err := b.readBefore(ctx); err != nil {
		return err
	}
	for b.c.base.Version < newest {
		if more, err := b.Follow(ctx); err != nil || !more {
			return errors.Join(err, notMore(more, err))
		}
	}
	return nil
}

func notMore(more bool, err error) error {
	if more || err != nil {
		return nil
	}
	return fmt.Errorf("%w: the log does not reach back to its base", ErrRestart)
}

// readBefore lists the files of the base.
func (b *Backfill) readBefore(ctx context.Context) error {
	files, err := b.c.opts.Table.Files(ctx, b.c.base)
	if err != nil {
		return fmt.Errorf("list the files of %s: %w", b.c.opts.Table, err)
	}
	b.before = newBefore(files)
	return nil
}

// Done reports whether the backfill had ended before: nothing is left to do.
func (b *Backfill) Done() bool { return b.done }

// Intent says what the backfill does.
func (b *Backfill) Intent() Intent { return b.intent }

// Parts are what is staged, in order.
func (b *Backfill) Parts() []Part { return b.parts }

// Record is that of the pipeline at the newest version that is known.
func (b *Backfill) Record() *Record { return b.c.last }
