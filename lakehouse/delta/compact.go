package delta

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// defaultFileSize is what files are merged up to where neither the caller nor the table says it.
const defaultFileSize = 128 << 20

// CompactOptions shape a compaction.
type CompactOptions struct {
	// TargetFileSize in bytes is what files are merged up to; 0: delta.targetFileSize of the table, or else DefaultFileSize, or else 128 MiB.
	TargetFileSize, DefaultFileSize int64
	// Prefix begins the base name of the file that another one, by its path, is merged into; only files with the same are merged.
	Prefix func(file string) string
	DryRun bool
	// Leave are files, by path, that stay as they are in a version; nil: none.
	Leave func(ctx context.Context, s lakehouse.Snapshot) (map[string]bool, error)
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
}

// Merge is what one file is made of.
type Merge struct {
	In  []lakehouse.DataFile // in the order of their rows
	Out []lakehouse.DataFile // none if there are no rows, or in a dry run
}

// Compaction is what a compaction did, or would do.
type Compaction struct {
	Version int64 // of the table: the new one, or the one that was looked at if nothing was committed
	Merges  []Merge
}

// Compact merges small files of each partition into files of the target size. Rows and their order in files stay.
//
//  1. The live files of the newest version are put together, oldest first (planMerges).
//  2. The merged files are written; nothing names them yet.
//  3. One commit without a change of rows takes the old ones out and puts the new ones in (rearrange). If others were quicker with one of the old ones, it
//     begins again.
//
// Memory holds the encoded bytes of one merged file for each processor.
func (t *Table) Compact(ctx context.Context, o CompactOptions) (Compaction, error) {
	for attempt := 1; ; attempt++ {
		done, err := t.compactOnce(ctx, o)
		if !errors.Is(err, ErrOvertaken) || attempt == maxCompactions {
			return done, err
		}
	}
}

// maxCompactions bounds how often a compaction begins again because files that it merged went away meanwhile, as beside a pipeline that merges its own.
const maxCompactions = 10

func (t *Table) compactOnce(ctx context.Context, o CompactOptions) (Compaction, error) {
	snap, err := t.Snapshot(ctx)
	switch {
	case err != nil:
		return Compaction{}, err
	case snap.Version < 0:
		return Compaction{}, fmt.Errorf("%s is not a Delta table: it has no %s", t, logFolder)
	case snap.Unusable != nil:
		return Compaction{}, fmt.Errorf("table %s: %w", t, snap.Unusable)
	}
	st, err := t.files(ctx, snap)
	if err != nil {
		return Compaction{}, err
	}
	if o.Leave != nil {
		stay, err := o.Leave(ctx, snap)
		if err != nil {
			return Compaction{}, err
		}
		maps.DeleteFunc(st.live, func(_ fileKey, a add) bool { return stay[decodePath(a.Path)] })
	}
	plan := planMerges(slices.Collect(maps.Values(st.live)), o.target(snap.Properties), o.Prefix)
	out := Compaction{Version: snap.Version, Merges: make([]Merge, len(plan))}
	for i, m := range plan {
		for _, a := range m.files {
			out.Merges[i].In = append(out.Merges[i].In, dataFile(a))
		}
	}
	if o.DryRun || len(plan) == 0 {
		return out, nil
	}
	if err := t.writeMerges(ctx, snap, plan, out.Merges); err != nil {
		return out, err
	}
	after, err := t.rearrange(ctx, snap, out.change(o.target(snap.Properties), o.Now().UnixMilli()), o.Sleep)
	out.Version = after.Version
	return out, err
}

func (o CompactOptions) target(properties map[string]string) int64 {
	for _, size := range []int64{o.TargetFileSize, targetFileSize(properties), o.DefaultFileSize} {
		if size > 0 {
			return size
		}
	}
	return defaultFileSize
}

// writeMerges writes the merged files, one for each processor at a time.
func (t *Table) writeMerges(ctx context.Context, snap lakehouse.Snapshot, plan []merge, into []Merge) error {
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range plan {
		id := t.newID()
		tasks.Go(func() (err error) {
			into[i].Out, err = t.writeMerge(ctx, snap, m, id)
			return err
		})
	}
	return tasks.Wait()
}

// change is the commit of a compaction, named and measured as other writers do it.
func (c Compaction) change(target, now int64) lakehouse.Change {
	out := lakehouse.Change{Time: now, Operation: "OPTIMIZE", Parameters: map[string]string{"predicate": "[]", "targetSize": strconv.FormatInt(target, 10)}}
	for _, m := range c.Merges {
		out.Remove, out.Add = append(out.Remove, m.In...), append(out.Add, m.Out...)
	}
	out.Info = map[string]any{"operationMetrics": map[string]string{
		"numRemovedFiles": strconv.Itoa(len(out.Remove)), "numRemovedBytes": strconv.FormatInt(bytesOf(out.Remove), 10),
		"numAddedFiles": strconv.Itoa(len(out.Add)), "numAddedBytes": strconv.FormatInt(bytesOf(out.Add), 10)}}
	return out
}

func bytesOf(files []lakehouse.DataFile) (n int64) {
	for _, f := range files {
		n += f.Bytes
	}
	return n
}
