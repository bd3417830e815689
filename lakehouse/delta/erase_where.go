package delta

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

// condition looks for the files with rows for which an expression is TRUE.
type condition struct {
	where compute.Expr     // over reads
	reads *columnar.Schema // the columns that it reads
	by    []string         // those that are partition columns
	skip  *skipper
	whole []wholeTest // what the bounds of a file must fulfil if all of its rows do; nil: they do not tell
}

// wholeTest is what the lower, or upper, bound of a column must fulfil if all rows of a file do.
type wholeTest struct {
	field columnar.Field
	upper bool
	holds compute.Expr // over one column
}

func newCondition(s lakehouse.Snapshot, where compute.Expr) (*condition, error) {
	where = compute.Fold(where)
	if where.Type() != columnar.Boolean {
		return nil, fmt.Errorf("%s is %s, not a condition", where, where.Type())
	}
	at := compute.Columns(where)
	slices.Sort(at)
	at = slices.Compact(at)
	c := &condition{reads: &columnar.Schema{}}
	place := map[int]compute.Expr{}
	for i, k := range at {
		f := s.Schema.Fields[k]
		place[k] = compute.Column(i, f.Name, f.Type, f.Nullable)
		c.reads.Fields = append(c.reads.Fields, f)
	}
	c.where = compute.Replace(where, func(e compute.Expr) compute.Expr {
		if k, ok := compute.Position(e); ok {
			return place[k]
		}
		return nil
	})
	c.by = among(c.reads, s.PartitionBy)
	c.skip = newSkipper(lakehouse.Snapshot{Schema: c.reads, PartitionBy: c.by}, c.where, compute.NewDefaultEvaluator())
	c.whole = wholeTests(c.reads, c.where)
	return c, nil
}

// wholeTests are the tests of bounds that together say that a condition is TRUE for every row, nil if there are none: each conjunct must compare a column
// with a constant.
func wholeTests(s *columnar.Schema, where compute.Expr) (out []wholeTest) {
	for _, e := range compute.Conjuncts(where) {
		at, op, value, ok := compute.Compared(e)
		if !ok {
			return nil
		}
		f := s.Fields[at]
		for _, side := range map[string][]bool{"=": {false, true}, "<": {true}, "<=": {true}, ">": {false}, ">=": {false}}[op] {
			holds, err := compute.Call(op, compute.Column(0, f.Name, f.Type, true), value)
			if err != nil {
				return nil
			}
			out = append(out, wholeTest{f, side, holds})
		}
	}
	return out
}

// find returns the files with rows that go, in the order of the files. A file of which partition and statistics tell that no row goes, or that
// all of them do, is not read.
func (c *condition) find(ctx context.Context, t *Table, files []lakehouse.DataFile) (hits []hit, scanned int, err error) {
	found := make([]hit, len(files))
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		p, err := partition.NewColumns(c.reads, c.by, f.Partition)
		if err != nil {
			return nil, 0, fmt.Errorf("data file %s of %s: %w", f.Path, t, err)
		}
		switch {
		case c.never(f, p):
			continue
		case c.always(f, p):
			found[i] = hit{file: f, n: f.Rows, rows: f.Rows}
			continue
		}
		scanned++
		tasks.Go(func() (err error) {
			found[i], err = c.hitsOf(ctx, t, f, p)
			return err
		})
	}
	if err := tasks.Wait(); err != nil {
		return nil, 0, err
	}
	return slices.DeleteFunc(found, func(f hit) bool { return f.n == 0 }), scanned, nil
}

// never reports whether, as the log says, no row of a file goes.
func (c *condition) never(f lakehouse.DataFile, p *partition.Columns) bool {
	a := add{Path: f.Path}
	if f.Stats != "" {
		a.Stats = &f.Stats
	}
	return c.skip.all(&scannedFile{add: a, partition: p})
}

// always reports whether, as the log says, every row of a file goes.
func (c *condition) always(f lakehouse.DataFile, p *partition.Columns) bool {
	if f.Rows <= 0 {
		return false
	}
	if compute.Literal(c.where) {
		return c.isTrue(c.where, columnar.NewBatch(c.reads, nil, 1))
	}
	st := parseStats(f.Stats)
	return len(c.whole) > 0 && !slices.ContainsFunc(c.whole, func(test wholeTest) bool {
		v, ok := c.bound(test, st, p)
		return !ok || !c.isTrue(test.holds, columnar.NewBatch(columnar.NewSchema(test.field), []columnar.Column{v}, 1))
	})
}

// isTrue reports whether an expression is TRUE for the only row of a batch, which it releases.
func (c *condition) isTrue(e compute.Expr, row *columnar.Batch) bool {
	defer row.Release()
	c.skip.ev.Reset()
	sel, err := c.skip.ev.Filter(e, row, nil)
	return err == nil && len(sel) == 1 && len(c.skip.ev.Errors()) == 0
}

// bound is the bound of a test in a file, false if it is not known or if there are NULLs, for which no comparison is TRUE.
func (c *condition) bound(test wholeTest, st *foundStats, p *partition.Columns) (columnar.Column, bool) {
	if value, ok := p.Constant(c.reads.Index(test.field.Name)); ok {
		if value == nil {
			return nil, false
		}
		return parquetfile.Repeat(test.field.Type, value, 1), true
	}
	if string(st.NullCount[test.field.Name]) != "0" {
		return nil, false
	}
	of := st.MinValues
	if test.upper {
		of = st.MaxValues
	}
	return readBound(test.field.Type, of[test.field.Name], test.upper)
}

// hitsOf reads the columns of the condition.
func (c *condition) hitsOf(ctx context.Context, t *Table, f lakehouse.DataFile, p *partition.Columns) (hit, error) {
	out := hit{file: f}
	ev := compute.NewDefaultEvaluator()
	rows, err := t.readFile(ctx, f, p, func(b *columnar.Batch) error {
		ev.Reset()
		sel, err := ev.Filter(c.where, b, nil)
		if err != nil {
			return err
		}
		if failed := ev.Errors(); len(failed) > 0 {
			return fmt.Errorf("data file %s of %s: %w", f.Path, t, failed[0].Err)
		}
		if len(sel) > 0 && out.gone == nil {
			out.gone = newRowSet(max(f.Rows, 0))
		}
		out.note(sel, b.Rows())
		return nil
	})
	return out, agrees(t, f, rows, err)
}
