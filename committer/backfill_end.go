package committer

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// BackfillEnd says what the entry that ends a backfill makes due.
type BackfillEnd struct {
	Format   int    `json:"format"`
	Token    int64  `json:"token"`
	Backfill int64  `json:"backfill"` // token of the intent
	Command  string `json:"command"`
	Plan     string `json:"plan"` // that of the intent
	Base     int64  `json:"base"`
	// Dropped: it was cancelled or begun again, and what is staged goes.
	Dropped bool      `json:"dropped,omitempty"`
	Sides   []SideEnd `json:"sides"`
}

// SideEnd are the staged files of a side table, and which rows they take the place of.
type SideEnd struct {
	SideIntent
	Table string               `json:"table"`
	Files []lakehouse.DataFile `json:"files"`
}

func (b *Backfill) newEnd() BackfillEnd {
	end := BackfillEnd{Format: BackfillFormat, Token: b.c.opts.Token(), Backfill: b.intent.Token, Command: b.intent.Command, Plan: b.intent.Plan, Base: b.intent.Base}
	staged := b.SideFiles()
	for _, s := range b.intent.Sides {
		if table, ok := b.c.opts.Side[s.Kind]; ok && (len(staged[s.Kind]) > 0 || s.Where != "") {
			end.Sides = append(end.Sides, SideEnd{SideIntent: s, Table: table.Table.String(), Files: staged[s.Kind]})
		}
	}
	return end
}

// finish rolls the side tables forward and removes the files of the backfill: step 5. It can be repeated.
func (b *Backfill) finish(ctx context.Context, end BackfillEnd) error {
	if !end.Dropped {
		for _, s := range end.Sides {
			if err := b.publishSide(ctx, s, end); err != nil {
				return err
			}
		}
	}
	if err := b.c.step("publish"); err != nil {
		return err
	}
	return b.sweep(ctx, endName(end.Token))
}

// finishEnded finishes a backfill that ended without being rolled forward to the end, nil if there is none.
func (b *Backfill) finishEnded(ctx context.Context) (*BackfillEnd, error) {
	txn, ok := b.c.base.Txns[b.app]
	if _, open := openBase(txn); !ok || open {
		return nil, nil
	}
	var end BackfillEnd
	if found, err := b.findEnd(ctx, txn.Token, &end); err != nil || !found {
		return nil, err
	}
	b.intent.Token = end.Backfill
	if end.Dropped {
		if err := b.sweepStaged(ctx); err != nil {
			return nil, err
		}
	}
	return &end, b.finish(ctx, end)
}

// findEnd reads the file of an end, wherever it is. False: it is gone, and all is done.
func (b *Backfill) findEnd(ctx context.Context, token int64, to *BackfillEnd) (found bool, err error) {
	name := ""
	err = b.c.opts.Objects.Walk(ctx, backfillsFolder(b.c.opts.Name), func(in store.Info) error {
		if path.Base(in.Name) == endName(token) {
			name = in.Name
		}
		return nil
	})
	if err != nil || name == "" {
		return false, err
	}
	return true, b.get(ctx, name, to)
}

// sweep removes the folder of the backfill, a file of some name last.
func (b *Backfill) sweep(ctx context.Context, last string) error {
	err := removeWhere(ctx, b.c.opts.Objects, b.file(""), func(name string) bool { return name != b.file(last) })
	if err == nil {
		err = b.c.opts.Objects.Delete(ctx, b.file(last))
	}
	if err != nil {
		return fmt.Errorf("remove the files of backfill %d: %w", b.intent.Token, err)
	}
	return nil
}

// sweepOthers removes what attempts that died before their entry have left. It is called when our entry is there: one of another process can only
// be put on a base from before it, and those versions are taken.
func (b *Backfill) sweepOthers(ctx context.Context) error {
	own := path.Dir(b.file("intent.json"))
	err := removeWhere(ctx, b.c.opts.Objects, backfillsFolder(b.c.opts.Name), func(name string) bool { return !strings.HasPrefix(name, own+"/") })
	if err != nil {
		return fmt.Errorf("remove the files of backfills that never began: %w", err)
	}
	return nil
}

// Abandon ends an open backfill without a trace in the rows: what was staged goes.
func (b *Backfill) Abandon(ctx context.Context) error {
	end := BackfillEnd{Format: BackfillFormat, Token: b.c.opts.Token(), Backfill: b.intent.Token, Command: b.intent.Command, Dropped: true}
	var err error
	if b.c.base, err = b.c.opts.Table.Snapshot(ctx); err != nil {
		return err
	}
	for {
		txn := b.c.base.Txns[b.app]
		base, open := openBase(txn)
		if !open || txn.Token != b.intent.Token {
			return fmt.Errorf("%w: the backfill was ended by another process", ErrFenced)
		}
		end.Base = base
		if err := b.put(ctx, b.file(endName(end.Token)), end); err != nil {
			return err
		}
		next, other, err := b.c.settleBase(ctx, b.entry(endTxn(base, end.Token), "STREAMING BACKFILL CANCEL"))
		if err != nil {
			return err
		}
		b.c.base = next
		if other == nil {
			break
		}
	}
	if err := b.sweepStaged(ctx); err != nil {
		return err
	}
	return b.finish(ctx, end)
}

// sweepStaged removes what a backfill has staged, named by a part or not, in the table and its side tables. It is certain that no entry names it: the
// backfill has ended otherwise.
func (b *Backfill) sweepStaged(ctx context.Context) error {
	stores := []store.Store{b.c.opts.Objects}
	for _, s := range b.c.opts.Side {
		if s.Objects != nil {
			stores = append(stores, s.Objects)
		}
	}
	for _, objects := range stores {
		err := removeWhere(ctx, objects, "", func(name string) bool { return strings.HasPrefix(path.Base(name), b.prefix()+"-") })
		if err != nil {
			return fmt.Errorf("remove the staged files of backfill %d: %w", b.intent.Token, err)
		}
	}
	return nil
}

// removeWhere removes the objects below a folder that have certain names.
func removeWhere(ctx context.Context, objects store.Store, folder string, goes func(name string) bool) error {
	var names []string
	err := objects.Walk(ctx, folder, func(in store.Info) error {
		if goes(in.Name) {
			names = append(names, in.Name)
		}
		return nil
	})
	for _, name := range names {
		if err == nil {
			err = objects.Delete(ctx, name)
		}
	}
	return err
}

// CancelBackfill ends the open backfill of a pipeline without a trace in the rows. False: there is none.
func CancelBackfill(ctx context.Context, opts Options, o BackfillOptions) (Intent, bool, error) {
	opts.AcceptLoss = true
	b, err := lookBackfill(ctx, opts, o)
	if err != nil {
		return Intent{}, false, err
	}
	txn := b.c.base.Txns[b.app]
	if _, open := openBase(txn); !open {
		_, err := b.finishEnded(ctx)
		return Intent{}, false, err
	}
	b.intent.Token = txn.Token
	if err := b.get(ctx, b.file("intent.json"), &b.intent); err != nil && !gone(err) {
		return b.intent, false, err
	}
	return b.intent, true, b.Abandon(ctx)
}

// publishSide takes the rows that change places out of a side table and adds the staged ones, in one version, unless its txn says that it is done.
func (b *Backfill) publishSide(ctx context.Context, end SideEnd, of BackfillEnd) error {
	s, ok := b.c.opts.Side[end.Kind]
	if !ok || s.Table.String() != end.Table {
		return fmt.Errorf("%w: the backfill has rows for %s, which is no longer the side table %s of this pipeline: set side_tables back until this command has published them", ErrRefused, end.Table, end.Kind)
	}
	side := &Committer{opts: b.c.opts, app: b.app, tableID: b.c.tableID}
	side.opts.Table = s.Table
	var err error
	if side.base, err = s.Table.Snapshot(ctx); err != nil {
		return fmt.Errorf("side table %s: %w", s.Table, err)
	}
	p := &sidePublication{c: side, s: s, end: end, txn: endTxn(of.Base, of.Token), creation: b.c.sideCreation(s, end.Kind)}
	if err := p.run(ctx, b); err != nil {
		return fmt.Errorf("publish the backfill to %s: %w", s.Table, err)
	}
	return nil
}

// sidePublication is what a backfill does to one side table.
type sidePublication struct {
	c        *Committer // of the side table
	s        SideTable
	end      SideEnd
	txn      lakehouse.Txn
	creation *lakehouse.Creation
}

func (p *sidePublication) run(ctx context.Context, b *Backfill) error {
	for {
		snap := p.c.base
		if snap.Txns[p.c.app].Batch >= p.txn.Batch || snap.Version < 0 && len(p.end.Files) == 0 {
			return nil
		}
		if err := b.c.checkSide(p.end.Kind, p.s, snap); err != nil {
			return err
		}
		change, err := p.change(ctx, b)
		if err != nil {
			return err
		}
		next, other, err := p.c.settleBase(ctx, change)
		if err != nil || other == nil {
			return err
		}
		p.c.base = next // what was written for the change is for vacuum
	}
}

// change is the entry on the base.
func (p *sidePublication) change(ctx context.Context, b *Backfill) (lakehouse.Change, error) {
	out := lakehouse.Change{App: p.c.app, Txn: p.txn, Time: p.c.opts.Now().UnixMilli(), Add: slices.Clone(p.end.Files), DataChange: true, Operation: "STREAMING BACKFILL",
		Parameters: map[string]string{"where": p.end.Where}, Info: map[string]any{"isBlindAppend": false}}
	if p.c.base.Version < 0 {
		out.Create = p.creation
		return out, nil
	}
	rows := lakehouse.Erasure{Columns: p.end.Keys, SameAs: p.end.Files, TargetFileSize: p.c.opts.TargetFileSize, Prefix: MergePrefix(map[string]lakehouse.Txn{b.c.app: {}})}
	if p.end.Where != "" {
		var err error
		if rows.Where, err = b.o.Condition(p.end.Where, p.c.base.Schema); err != nil {
			return out, err
		}
	}
	files, err := p.s.Table.Files(ctx, p.c.base)
	if err != nil {
		return out, err
	}
	done, err := p.s.Table.(lakehouse.Eraser).Erase(ctx, p.c.base, files, rows)
	if err != nil {
		return out, err
	}
	for _, r := range done.Rewrites {
		out.Remove, out.Add = append(out.Remove, r.Remove...), append(out.Add, r.Add...)
	}
	return out, nil
}
