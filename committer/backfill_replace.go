package committer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// Find says what the backfill would take out of the table as it is, without writing anything. Rows of other writers are refused as Replace refuses them.
func (b *Backfill) Find(ctx context.Context) (Replaced, error) {
	m, err := b.newReplacing(true)
	if err != nil {
		return Replaced{}, err
	}
	return m.did(b.c.base), m.look(ctx)
}

// FindBackfill says what a backfill that has not begun would do: its intent, and what it would take out of the table.
func FindBackfill(ctx context.Context, opts Options, o BackfillOptions) (Intent, Replaced, error) {
	b, err := lookBackfill(ctx, opts, o)
	if err != nil {
		return Intent{}, Replaced{}, err
	}
	if b.intent, err = o.Plan(b.ground()); err != nil {
		return Intent{}, Replaced{}, err
	}
	if err := b.readBefore(ctx); err != nil {
		return Intent{}, Replaced{}, err
	}
	m, err := b.newReplacing(true)
	if err == nil {
		err = b.admitUntold(ctx)
	}
	if err != nil {
		return b.intent, Replaced{}, err
	}
	err = m.look(ctx)
	return b.intent, m.did(b.c.base), err
}

// admitUntold refuses a range where rows of this pipeline cannot be told: they would stay beside those that take their place.
func (b *Backfill) admitUntold(ctx context.Context) error {
	c := b.c
	files, err := b.before.files(ctx, c)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(slices.Clone(files), func(f lakehouse.DataFile) bool { return !c.wrote(f) })
	for _, column := range b.intent.Told {
		where, err := b.o.Condition(column+" IS NULL", c.base.Schema)
		if err != nil {
			return err
		}
		m := c.newRewriting(lakehouse.Erasure{Where: where, DryRun: true})
		if err := m.look(ctx, c.base, files); err != nil {
			return err
		}
		rows := int64(0)
		for _, r := range m.rewrites {
			rows += r.Gone
		}
		if rows > 0 {
			return fmt.Errorf("%w: %d rows of %s have no value in column %s, which the range goes by, and which rows from before it have none in: whether they are of the range cannot be told, and they would stay beside what takes their place; fill everything (--all), or a new table with --into", ErrRefused, rows, c.opts.Table, column)
		}
	}
	return nil
}

// replacing makes the entry that ends a backfill.
type replacing struct {
	rewriting
	b *Backfill
}

func (b *Backfill) newReplacing(dryRun bool) (*replacing, error) {
	where, err := b.o.Condition(b.intent.Where, b.c.base.Schema)
	if err != nil {
		return nil, fmt.Errorf("%w: the rows of the range cannot be told in %s (%s): %w", ErrRefused, b.c.opts.Table, b.intent.Where, err)
	}
	rows := lakehouse.Erasure{Where: where, TargetFileSize: b.c.opts.TargetFileSize, DryRun: dryRun}
	return &replacing{rewriting: b.c.newRewriting(rows), b: b}, nil
}

// look makes the rewrites those of the base: of the live files from before B alone.
func (m *replacing) look(ctx context.Context) error {
	c := m.b.c
	files, err := m.b.before.files(ctx, c)
	if err != nil {
		return err
	}
	if err := m.rewriting.look(ctx, c.base, files); err != nil {
		return fmt.Errorf("take the rows of the range out of %s: %w", c.opts.Table, err)
	}
	return m.admit()
}

// admit refuses rows of other writers.
func (m *replacing) admit() error {
	for _, r := range m.rewrites {
		for _, f := range r.Remove {
			if c := m.b.c; !c.wrote(f) && !m.b.o.ReplaceForeign {
				return fmt.Errorf("%w: version %d of %s holds rows of the range in %s, which this pipeline has not written, or another writer has rewritten: --replace-foreign takes them out, too", ErrRefused, c.base.Version, c.opts.Table, f.Path)
			}
		}
	}
	return nil
}

func (m *replacing) did(at lakehouse.Snapshot) Replaced {
	out := Replaced{Version: at.Version, Scanned: m.scanned, SideRows: map[string]int64{}}
	for _, r := range m.rewrites {
		out.Out, out.Gone = out.Out+len(r.Remove), out.Gone+r.Gone
		if r.Kept > 0 {
			out.Rewritten += len(r.Remove)
		}
	}
	files := m.b.Files()
	out.In, out.Rows = len(files), rowsOf(files)
	for kind, list := range m.b.SideFiles() {
		out.SideRows[kind] = rowsOf(list)
	}
	return out
}

// change is the entry on the base.
func (m *replacing) change(txn lakehouse.Txn) lakehouse.Change {
	out := m.b.entry(txn, "STREAMING BACKFILL")
	out.Add = m.b.Files()
	for _, r := range m.rewrites {
		out.Remove, out.Add = append(out.Remove, r.Remove...), append(out.Add, r.Add...)
	}
	out.Schema = m.b.c.evolution(m.b.c.base, m.b.Files())
	did := m.did(m.b.c.base)
	out.Info["operationMetrics"] = map[string]string{
		"numOutputRows": strconv.FormatInt(did.Rows, 10), "numDeletedRows": strconv.FormatInt(did.Gone, 10), "numCopiedRows": strconv.FormatInt(m.cost().Rows, 10),
		"numAddedFiles": strconv.Itoa(len(out.Add)), "numRemovedFiles": strconv.Itoa(len(out.Remove))}
	return out
}

// Replace ends the backfill: what is staged takes the place of the rows of the range, in one version of the table, and the side tables follow.
func (b *Backfill) Replace(ctx context.Context) (Replaced, error) {
	if err := b.FollowAll(ctx); err != nil {
		return Replaced{}, err
	}
	if err := b.allThere(ctx); err != nil {
		return Replaced{}, err
	}
	m, err := b.newReplacing(false)
	if err != nil {
		return Replaced{}, err
	}
	end := b.newEnd()
	if err := b.put(ctx, b.file(endName(end.Token)), end); err != nil {
		return Replaced{}, err
	}
	did, certain, err := b.replace(ctx, m, endTxn(b.intent.Base, end.Token))
	if err != nil {
		if certain { // nothing names what was written for it
			m.abandon(ctx)
			_ = b.c.opts.Objects.Delete(ctx, b.file(endName(end.Token)))
		}
		return did, err
	}
	if err := b.c.step("commit"); err != nil {
		return did, err
	}
	return did, b.finish(ctx, end)
}

// replace puts the entry. certain says of an error that it was not applied.
func (b *Backfill) replace(ctx context.Context, m *replacing, txn lakehouse.Txn) (did Replaced, certain bool, err error) {
	for {
		if err := b.FollowAll(ctx); err != nil {
			return did, true, err
		}
		if err := m.look(ctx); err != nil {
			return did, true, err
		}
		next, other, err := b.c.settleBase(ctx, m.change(txn))
		switch {
		case err != nil:
			return did, false, err
		case other == nil:
			b.c.base = next
			return m.did(next), true, nil
		}
		if err := b.pass(next, *other); err != nil {
			return did, true, err
		}
	}
}

// allThere refuses staged files that are gone.
func (b *Backfill) allThere(ctx context.Context) error {
	missing, err := b.c.opts.Table.(lakehouse.TimeTraveller).Missing(ctx, b.Files())
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: %d staged files are gone (%s, ...)", ErrRestart, len(missing), missing[0])
	}
	for _, kind := range slices.Sorted(maps.Keys(b.SideFiles())) {
		if err != nil {
			break
		}
		s, ok := b.c.opts.Side[kind]
		if !ok {
			return fmt.Errorf("%w: rows for side table %s are staged, and the pipeline has none now", ErrRestart, kind)
		}
		if missing, err = s.Table.(lakehouse.TimeTraveller).Missing(ctx, b.SideFiles()[kind]); err == nil && len(missing) > 0 {
			err = fmt.Errorf("%w: %d staged files of %s are gone (%s, ...)", ErrRestart, len(missing), s.Table, missing[0])
		}
	}
	return err
}
