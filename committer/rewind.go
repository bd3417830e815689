package committer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// RewindOptions say where a pipeline goes back to.
type RewindOptions struct {
	// ToBatch is the last batch that stays. A commit has to end with it.
	ToBatch int64
	// DiscardForeign takes back what other writers changed since, too.
	DiscardForeign bool
	DryRun         bool
}

// Rewound is what a rewind did, or would do.
type Rewound struct {
	ToBatch   int64
	ToVersion int64 // the version whose rows are those of the table again
	Version   int64 // of the table after it, or as it was looked at in a dry run
	Batch     int64 // the number that the rewind took; the next batch has the next one
	Epoch     int64
	Commits   int // of the pipeline that were undone
	// Foreign are commits of other writers that were taken back.
	Foreign  []lakehouse.Entry
	Removed  []lakehouse.DataFile
	Back     []lakehouse.DataFile
	SideRows map[string]SideRows // by kind
	Record   *Record
}

// SideRows are rows that went out of a side table, and that came back.
type SideRows struct{ Out, Back int64 }

// Rewind takes a pipeline back to the end of an earlier batch: rows, offsets, state and side rows together, as one new commit.
//
//  1. The record of the batch is found by way of the parents of the newest one, and the version that names it in the log.
//  2. Its state files, and the data files that were live then and are not now, must still be there. What other writers changed since is refused,
//     unless it is to be discarded.
//  3. An epoch is taken, which ends a run that goes on (ErrFenced there); then 1 and 2 are done again, as that run may have committed since.
//  4. One commit puts the files back, takes the later ones out, and names a record with the positions, watermarks and state of the old one under a new batch
//     number: numbers are never used again, and side tables go by them. Its publication takes the side rows of undone batches out.
//
// In a dry run, and where it is refused in step 2, nothing is changed and nobody is fenced.
func Rewind(ctx context.Context, opts Options, o RewindOptions) (Rewound, error) {
	opts.AcceptLoss, opts.Fits, opts.Compaction = true, nil, CompactionPolicy{}
	for attempt := 1; ; attempt++ {
		done, err := rewindOnce(ctx, opts, o)
		if !errors.Is(err, errOvertaken) || attempt == maxRewinds {
			return done, err
		}
	}
}

// maxRewinds bounds how often a rewind begins again because another writer came in between.
const maxRewinds = 20

// errOvertaken: another writer committed while a rewind was made. Nothing was changed.
var errOvertaken = errors.New("another writer was quicker")

func rewindOnce(ctx context.Context, opts Options, o RewindOptions) (Rewound, error) {
	opts.Bounded = true
	look, err := Open(ctx, opts)
	if err != nil {
		return Rewound{}, err
	}
	w, err := look.planRewind(ctx, o)
	if err != nil || o.DryRun {
		return w.did, err
	}
	opts.Bounded = false
	c, err := Open(ctx, opts)
	if err != nil {
		return Rewound{}, err
	}
	if w, err = c.planRewind(ctx, o); err != nil {
		return w.did, err
	}
	return c.rewind(ctx, w)
}

// rewinding is a rewind that can be committed.
type rewinding struct {
	did   Rewound
	sides []SideFiles
}

func (c *Committer) planRewind(ctx context.Context, o RewindOptions) (w rewinding, err error) {
	past, able := c.opts.Table.(lakehouse.TimeTraveller)
	switch {
	case !able:
		return w, fmt.Errorf("%w: %s cannot go back: readers of plain files look at names alone, and would see rows go one file after the other", ErrRefused, c.opts.Table)
	case c.last == nil:
		return w, fmt.Errorf("%w: %s holds no commit of pipeline %s", ErrRefused, c.opts.Table, c.opts.Name)
	}
	target, commits, err := c.borderAt(ctx, o.ToBatch)
	if err != nil {
		return w, err
	}
	w.did = Rewound{ToBatch: o.ToBatch, Version: c.base.Version, Batch: c.last.LastBatch + 1, Epoch: c.epoch, Commits: commits, Record: target, SideRows: map[string]SideRows{}}
	if w.did.ToVersion, w.did.Foreign, err = c.entriesSince(ctx, target); err != nil {
		return w, err
	}
	if len(w.did.Foreign) > 0 && !o.DiscardForeign {
		return w, fmt.Errorf("%w: other writers changed rows of %s since batch %d: %s; they would be lost: --discard-foreign takes them back, too", ErrRefused, c.opts.Table, o.ToBatch, entryList(w.did.Foreign))
	}
	if commits == 0 && len(w.did.Foreign) == 0 {
		return w, fmt.Errorf("%w: batch %d is the newest of %s: there is nothing to undo", ErrRefused, o.ToBatch, c.opts.Table)
	}
	then, err := past.At(ctx, w.did.ToVersion)
	if err != nil {
		return w, fmt.Errorf("read version %d, the one with batch %d: %w", w.did.ToVersion, o.ToBatch, err)
	}
	if w.did.Removed, w.did.Back, err = c.difference(ctx, c.opts.Table, then, c.base); err != nil {
		return w, err
	}
	if err := c.stillThere(ctx, target); err != nil {
		return w, err
	}
	w.sides, err = c.sidesAt(ctx, target, o, &w.did)
	return w, err
}

// borderAt finds the record whose commit ended with a batch, the first if epochs were taken after it, and counts the commits after it.
func (c *Committer) borderAt(ctx context.Context, batch int64) (found *Record, commits int, err error) {
	if newest := c.last.LastBatch; newest < batch {
		return nil, 0, fmt.Errorf("%w: the newest batch of %s is %d; there is no batch %d to go back to", ErrRefused, c.opts.Table, newest, batch)
	}
	r := c.last
	for r.LastBatch > batch {
		later := r.LastBatch
		if r, err = c.parentOf(ctx, r); err != nil {
			return nil, 0, err
		}
		if r.LastBatch < later {
			commits++
		}
		if r.LastBatch < batch {
			return nil, 0, fmt.Errorf("%w: no commit ends with batch %d: go back to batch %d, or to %d", ErrRefused, batch, r.LastBatch, later)
		}
	}
	for found = r; r.Parent != 0; found = r {
		if r, err = c.parentOf(ctx, r); err != nil || r.LastBatch != batch {
			break
		}
	}
	return found, commits, nil
}

// parentOf reads the record of the commit before a record's.
func (c *Committer) parentOf(ctx context.Context, r *Record) (*Record, error) {
	if r.Parent == 0 {
		return nil, fmt.Errorf("%w: batch %d is the first commit of %s: nothing is before it", ErrRefused, r.LastBatch, c.opts.Table)
	}
	var err error
	for _, name := range []string{r.Pipeline, c.opts.Name, c.opts.Previous} {
		if name == "" {
			continue
		}
		var parent *Record
		if parent, err = ReadRecord(ctx, c.opts.Objects, name, r.Parent); err == nil {
			return parent, nil
		}
		if !gone(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: the record before batch %d is not there any more (%w): records are kept for %s and %d commits, and batch %d is the oldest to go back to", ErrRefused, r.LastBatch, err, c.opts.RetainFor, c.opts.RetainCommits, r.LastBatch)
}

// entriesSince finds the version that names a record, and the entries after it with which other writers changed rows, oldest first.
func (c *Committer) entriesSince(ctx context.Context, r *Record) (version int64, others []lakehouse.Entry, err error) {
	version = -1
	undone := int64(math.MaxInt64) // what is newer than this version was taken back by a later rewind
	_, err = eachEntry(ctx, c.opts.Table, c.base, func(e lakehouse.Entry) bool {
		if e.Txns[appID(r.Pipeline)].Token == r.Token {
			version = e.Version
			return false
		}
		switch to, ok := rewoundTo(e); {
		case c.ours(e):
			if ok {
				undone = min(undone, to)
			}
		case e.Version <= undone && (e.DataChange || takesRows(e)):
			others = append(others, e)
		}
		return true
	})
	if err == nil && version < 0 {
		err = fmt.Errorf("%w: the log of %s does not reach back to batch %d any more (delta.logRetentionDuration)", ErrRefused, c.opts.Table, r.LastBatch)
	}
	slices.Reverse(others)
	return version, others, err
}

// rewoundTo is the version that a rewind went back to, if an entry is one.
func rewoundTo(e lakehouse.Entry) (version int64, ok bool) {
	info, _ := e.Info["lakewheel"].(map[string]any)
	n, ok := info[rewoundKey].(json.Number)
	if !ok {
		return 0, false
	}
	version, err := n.Int64()
	return version, err == nil
}

// rewoundKey is where an entry says which version a rewind went back to.
const rewoundKey = "rewound_to"

// ours reports whether an entry is of this pipeline, under any of its names.
func (c *Committer) ours(e lakehouse.Entry) bool {
	return slices.ContainsFunc(pipelines(e.Txns), func(name string) bool {
		return name == c.opts.Name || name == c.opts.Previous || name == c.last.Pipeline
	})
}

func entryList(entries []lakehouse.Entry) string {
	var out []string
	for _, e := range entries[:min(len(entries), 5)] {
		out = append(out, fmt.Sprintf("version %d (%s)", e.Version, e.Operation))
	}
	if more := len(entries) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// stillThere refuses a record whose state files are gone.
func (c *Committer) stillThere(ctx context.Context, r *Record) error {
	for _, f := range r.State {
		in, err := c.opts.Objects.Stat(ctx, f.Path)
		if err != nil || in.Size != f.Bytes {
			return fmt.Errorf("%w: state file %s of batch %d is not there as it was (%d bytes of %d, %v): nothing was changed", ErrRefused, f.Path, r.LastBatch, in.Size, f.Bytes, err)
		}
	}
	return nil
}

// rewind commits a rewind.
func (c *Committer) rewind(ctx context.Context, w rewinding) (Rewound, error) {
	r := c.nextRecord()
	r.standAt(w.did.Record)
	r.FirstBatch, r.LastBatch, r.Side = w.did.Batch, w.did.Batch, w.sides
	change := c.change(r, nil, rewindOperation(w.did.Foreign))
	change.Add, change.Remove = w.did.Back, w.did.Removed
	change.Info["lakewheel"].(map[string]any)[rewoundKey] = w.did.ToVersion
	change.Parameters["toBatch"], change.Parameters["toVersion"] = strconv.FormatInt(w.did.ToBatch, 10), strconv.FormatInt(w.did.ToVersion, 10)
	c.exact = true
	if err := c.commit(ctx, r, change); err != nil {
		return w.did, err
	}
	w.did.Version = c.base.Version
	return w.did, nil
}

// rewindOperation is RESTORE, which every writer of a table has to look at, if it takes back what is not ours.
func rewindOperation(foreign []lakehouse.Entry) string {
	if len(foreign) > 0 {
		return "RESTORE"
	}
	return "STREAMING REWIND"
}
