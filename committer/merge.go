package committer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// Merge says that rows replace those of the table that have the same key.
type Merge struct {
	// Keys are columns of the rows; NULL equals NULL. Without any, all rows have the same key.
	Keys []string
}

// Cost is what it took to take rows out of a table by key.
type Cost struct {
	Scanned   int   // files whose keys were read
	Rewritten int   // files that were written again, or are gone
	Bytes     int64 // of the files that they became
	Rows      int64 // that were copied
	Gone      int64 // rows that were taken out
	Took      time.Duration
}

// merging is one commit that replaces rows by key.
//
//  1. The live files of the base are listed. One that another writer wrote is refused, unless the pipeline was told to add to what exists.
//  2. Rewrites that were made for an earlier base stay if all the files that they take out are still live. The others were certainly
//     not applied, and go.
//  3. The live files that no rewrite has looked at are looked through, and those with rows of a key are written again.
//
// On the first base nothing was looked at; after a lost race it is little that is looked at again.
type merging struct {
	rewriting
	c      *Committer
	keys   *group.Set
	staged []lakehouse.DataFile // the new rows
	took   time.Duration
}

func (c *Committer) newMerging(keys *group.Set, staged []lakehouse.DataFile) *merging {
	rows := lakehouse.Erasure{Keys: keys, TargetFileSize: c.opts.TargetFileSize}
	if c.opts.Merge != nil {
		rows.Columns = c.opts.Merge.Keys
	}
	return &merging{rewriting: c.newRewriting(rows), c: c, keys: keys, staged: staged}
}

// on makes the change one for a base.
func (m *merging) on(ctx context.Context, base lakehouse.Snapshot, change *lakehouse.Change) error {
	start := m.c.opts.Now()
	defer func() { m.took += m.c.opts.Now().Sub(start) }()
	if base.Version >= 0 && !m.c.remake {
		files, err := m.c.live.files(ctx, base)
		if err != nil {
			return err
		}
		if err := m.admit(base, files); err != nil {
			return err
		}
		if err := m.look(ctx, base, files); err != nil {
			return fmt.Errorf("take the rows of %d keys out of %s: %w", m.keys.Len(), m.c.opts.Table, err)
		}
	}
	m.fill(change)
	return nil
}

// admit refuses files with rows of other writers.
func (m *merging) admit(base lakehouse.Snapshot, files []lakehouse.DataFile) error {
	if m.c.opts.Append {
		return nil
	}
	for _, f := range files {
		if !m.c.wrote(f) {
			return fmt.Errorf("%w: version %d of %s holds %s, which this pipeline has not written, and rows with equal keys would be replaced there, too: give the result a table of its own, or say sink.existing: append", ErrRefused, base.Version, m.c.opts.Table, f.Path)
		}
	}
	return nil
}

// fill makes the change of the rewrites and the new rows. It is no blind append, though it may take nothing out: it depends on what it has read.
func (m *merging) fill(change *lakehouse.Change) {
	change.Remove, change.Add = nil, slices.Clone(m.staged)
	for _, r := range m.rewrites {
		change.Remove, change.Add = append(change.Remove, r.Remove...), append(change.Add, r.Add...)
	}
	change.Operation = "MERGE"
	change.Parameters["predicate"] = m.predicate()
	change.Info["isBlindAppend"] = false
	change.Info["operationMetrics"] = m.metrics(change)
}

// predicate is what Spark would call the condition of the merge.
func (m *merging) predicate() string {
	parts := make([]string, len(m.c.opts.Merge.Keys))
	for i, key := range m.c.opts.Merge.Keys {
		parts[i] = "t." + key + " <=> s." + key
	}
	return strings.Join(parts, " AND ")
}

// metrics are those of the commit under Spark's names. A row that is replaced counts as deleted and inserted.
func (m *merging) metrics(change *lakehouse.Change) map[string]string {
	cost, fresh := m.cost(), rowsOf(m.staged)
	text := func(n int64) string { return strconv.FormatInt(n, 10) }
	return map[string]string{
		"numTargetRowsInserted": text(fresh), "numTargetRowsDeleted": text(cost.Gone), "numTargetRowsCopied": text(cost.Rows),
		"numOutputRows": text(fresh + cost.Rows), "numTargetFilesAdded": text(int64(len(change.Add))), "numTargetFilesRemoved": text(int64(len(change.Remove))),
		"numTargetBytesAdded": text(bytesOf(change.Add)), "numTargetBytesRemoved": text(bytesOf(change.Remove)),
	}
}

func (m *merging) cost() Cost {
	out := m.rewriting.cost()
	out.Took = m.took
	return out
}

func rowsOf(files []lakehouse.DataFile) (n int64) {
	for _, f := range files {
		n += f.Rows
	}
	return n
}

func bytesOf(files []lakehouse.DataFile) (n int64) {
	for _, f := range files {
		n += f.Bytes
	}
	return n
}

// checkMerge refuses a table whose rows cannot be replaced.
func (c *Committer) checkMerge(s lakehouse.Snapshot) error {
	if c.opts.Merge == nil {
		return nil
	}
	if _, ok := c.opts.Table.(lakehouse.Eraser); !ok {
		return fmt.Errorf("%w: rows of %s cannot be replaced by key: write into Delta, or use output_mode: append", ErrRefused, c.opts.Table)
	}
	if strings.EqualFold(s.Properties["delta.appendOnly"], "true") {
		return fmt.Errorf("%w: %s has delta.appendOnly=true, and this pipeline replaces rows: unset the property, or use output_mode: append", ErrRefused, c.opts.Table)
	}
	return nil
}

// keyColumns are the columns of the key with their types.
func (c *Committer) keyColumns() ([]keyColumn, error) {
	out := make([]keyColumn, len(c.opts.Merge.Keys))
	for i, name := range c.opts.Merge.Keys {
		at := c.opts.Schema.Index(name)
		if at < 0 {
			return nil, fmt.Errorf("%w: the query has no key column %s", ErrRefused, name)
		}
		f := c.opts.Schema.Fields[at]
		out[i] = keyColumn{name: f.Name, typ: f.Type, emptyIsNull: f.Type.Kind == columnar.StringKind && slices.Contains(c.opts.PartitionBy, f.Name)}
	}
	return out, nil
}
