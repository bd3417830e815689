package committer

import (
	"context"
	"slices"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// rewriting takes rows out of the live files of a table for one commit, whose base may change until it is made.
type rewriting struct {
	table    lakehouse.Table
	objects  store.Store
	rows     lakehouse.Erasure // that go; its prefix is that of each base
	looked   map[string]bool   // live files, by path, that hold none of the rows, or are in a rewrite
	rewrites []lakehouse.Rewrite
	scanned  int
}

func (c *Committer) newRewriting(rows lakehouse.Erasure) rewriting {
	return rewriting{table: c.opts.Table, objects: c.opts.Objects, rows: rows, looked: map[string]bool{}}
}

// look makes the rewrites those of the live files of a base: rewrites of an earlier one stay if all the files that they take out are still there,
// and what was not looked at yet is.
func (m *rewriting) look(ctx context.Context, base lakehouse.Snapshot, files []lakehouse.DataFile) error {
	m.rows.Prefix = MergePrefix(base.Txns)
	done, err := m.table.(lakehouse.Eraser).Erase(ctx, base, m.keep(ctx, files), m.rows)
	m.rewrites, m.scanned = append(m.rewrites, done.Rewrites...), m.scanned+done.Scanned
	return err
}

// keep drops the rewrites that do not fit the live files any more, and returns the files that are to be looked at.
func (m *rewriting) keep(ctx context.Context, files []lakehouse.DataFile) (unseen []lakehouse.DataFile) {
	live := make(map[string]bool, len(files))
	for _, f := range files {
		live[f.Path] = true
	}
	m.rewrites = slices.DeleteFunc(m.rewrites, func(r lakehouse.Rewrite) bool {
		fits := !slices.ContainsFunc(r.Remove, func(f lakehouse.DataFile) bool { return !live[f.Path] })
		if !fits {
			m.drop(ctx, r)
		}
		return !fits
	})
	for _, f := range files {
		if !m.looked[f.Path] {
			m.looked[f.Path] = true
			unseen = append(unseen, f)
		}
	}
	return unseen
}

// drop forgets a rewrite. Its version has gone to another writer, so nothing can name its files any more; one that stays is for vacuum.
func (m *rewriting) drop(ctx context.Context, r lakehouse.Rewrite) {
	for _, f := range r.Remove {
		delete(m.looked, f.Path)
	}
	for _, f := range r.Add {
		_ = m.objects.Delete(ctx, f.Path)
	}
}

// abandon drops all rewrites of a commit that is certainly not made.
func (m *rewriting) abandon(ctx context.Context) {
	for _, r := range m.rewrites {
		m.drop(ctx, r)
	}
	m.rewrites = nil
}

// cost is what the rewrites took.
func (m *rewriting) cost() Cost {
	out := Cost{Scanned: m.scanned}
	for _, r := range m.rewrites {
		out.Rewritten += len(r.Remove)
		out.Bytes, out.Rows, out.Gone = out.Bytes+bytesOf(r.Add), out.Rows+r.Kept, out.Gone+r.Gone
	}
	return out
}
