package committer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// Follow goes past the next entry of the log, if there is one. ErrRestart: it mixes rows from before the base with later ones, or takes the pipeline back;
// ErrFenced: another process has ended the backfill.
func (b *Backfill) Follow(ctx context.Context) (more bool, err error) {
	next, e, ok, err := b.c.opts.Table.Next(ctx, b.c.base)
	if err != nil || !ok {
		return false, err
	}
	return true, b.pass(next, e)
}

// FollowAll goes past all entries that there are. ErrRestart, also: the log was cleaned beyond the newest one that is known, or the table is another.
func (b *Backfill) FollowAll(ctx context.Context) error {
	for {
		more, err := b.Follow(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	err := b.c.opts.Table.Verify(ctx, b.c.base)
	if errors.Is(err, lakehouse.ErrReplaced) {
		err = fmt.Errorf("%w: %w", ErrRestart, err)
	}
	return err
}

// pass goes past an entry that is not ours.
func (b *Backfill) pass(next lakehouse.Snapshot, e lakehouse.Entry) error {
	if txn, ended := e.Txns[b.app]; ended && txn != openTxn(b.intent.Base, b.intent.Token) {
		return fmt.Errorf("%w: the backfill was ended by another process at version %d of %s (%s)", ErrFenced, e.Version, b.c.opts.Table, e.Operation)
	}
	if _, back := e.Txns[b.c.app]; takesRows(e) || back && e.Operation == rewindOperation(nil) {
		return fmt.Errorf("%w: version %d of %s (%s) took rows back", ErrRestart, e.Version, b.c.opts.Table, e.Operation)
	}
	if e.MetadataChanged {
		if err := b.c.checkSchema(next); err != nil {
			return err
		}
	}
	if err := b.before.follow(e); err != nil {
		return fmt.Errorf("%w: version %d of %s (%s) %w", ErrRestart, e.Version, b.c.opts.Table, e.Operation, err)
	}
	b.c.base = next
	return nil
}

var errMixed = errors.New("put rows from before the base together with others")

// before are the files that hold the rows from before a version, and no others.
type before struct {
	paths map[string]bool
	list  []lakehouse.DataFile // of the paths that were there at the version
	moved bool                 // there are others since
}

func newBefore(files []lakehouse.DataFile) *before {
	b := &before{list: files, paths: make(map[string]bool, len(files))}
	for _, f := range files {
		b.paths[f.Path] = true
	}
	return b
}

// follow goes past an entry. It may take such files away, and may put their rows, and no others, into other files.
func (b *before) follow(e lakehouse.Entry) error {
	moved := map[string]bool{}
	for _, path := range e.Moved.Out {
		moved[path] = true
	}
	if e.Adds > len(e.Moved.In) && slices.ContainsFunc(e.Removes, func(path string) bool { return b.paths[path] && !moved[path] }) {
		return errMixed
	}
	old := 0
	for path := range moved {
		if b.paths[path] {
			old++
		}
	}
	if old > 0 && old < len(moved) {
		return errMixed
	}
	for _, path := range e.Removes {
		delete(b.paths, path)
	}
	if old > 0 {
		b.moved = true
		for _, path := range e.Moved.In {
			b.paths[path] = true
		}
	}
	return nil
}

// files are those that are live in the newest version that a committer knows.
func (b *before) files(ctx context.Context, c *Committer) ([]lakehouse.DataFile, error) {
	if b.moved {
		list, err := c.opts.Table.Files(ctx, c.base)
		if err != nil {
			return nil, fmt.Errorf("list the files of %s: %w", c.opts.Table, err)
		}
		b.list, b.moved = list, false
	}
	b.list = slices.DeleteFunc(b.list, func(f lakehouse.DataFile) bool { return !b.paths[f.Path] })
	return b.list, nil
}
