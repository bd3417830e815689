package committer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// compaction merges small files beside the commits of a run. It makes no version: what it has merged rides on the next commit, so it cannot come
// between two of them.
//
//  1. After a commit the live files are looked at (planTiers). If a tier is full, a round begins: its files are merged, one after the other, into files
//     that nothing names yet.
//  2. Meanwhile commits go on. One that takes a file away that is being merged spoils its pack alone.
//  3. The first commit after the end of the round takes what is not spoilt (Change.Rearranged).
//  4. Where that commit loses its version to another writer, packs whose files that one took away are left out before it is tried again.
//
// Whatever fails here is reported and costs the round, never the commit. Merged files that certainly no entry names are removed.
type compaction struct {
	policy CompactionPolicy
	name   string
	target int64
	now    func() time.Time
	remove func(ctx context.Context, file string) error

	cancel  context.CancelFunc
	running chan roundEnd   // nil: no round
	plan    []pack          // of the round
	round   []pack          // done, on its way with a commit
	spoilt  map[string]bool // files that are gone, or not to be merged, since the round began
	rests   time.Time       // no round begins before
	err     error           // of the last round, until it is reported
}

// roundEnd is what a round did.
type roundEnd struct {
	done []pack
	took time.Duration
	err  error
}

// begin starts a round if one is due.
func (k *compaction) begin(ctx context.Context, table lakehouse.Table, base lakehouse.Snapshot, files func() ([]lakehouse.DataFile, error)) {
	merger, able := table.(lakehouse.Compactor)
	if !able || k.policy.Files == 0 || k.running != nil || len(k.round) > 0 || base.Unusable != nil || k.now().Before(k.rests) {
		return
	}
	list, err := files()
	if err != nil {
		k.err = err
		return
	}
	plan := planTiers(list, k.name, k.policy, merger.TargetFileSize(base, k.target))
	if len(plan) == 0 {
		return
	}
	ctx, k.cancel = context.WithCancel(ctx)
	k.running, k.plan, k.spoilt = make(chan roundEnd, 1), plan, map[string]bool{}
	work := func(done chan<- roundEnd) {
		start := k.now()
		merged, err := mergeAll(ctx, merger, base, k.name, plan)
		done <- roundEnd{merged, k.now().Sub(start), err}
	}
	if k.policy.Inline {
		work(k.running)
		return
	}
	go work(k.running)
}

// mergeAll writes the files of a round, as far as it gets.
func mergeAll(ctx context.Context, table lakehouse.Compactor, base lakehouse.Snapshot, name string, plan []pack) (done []pack, err error) {
	for _, m := range plan {
		if m.out, err = table.MergeFiles(ctx, base, m.in, tierPrefix(name, m.tier)); err != nil {
			return done, fmt.Errorf("merge %d small files: %w", len(m.in), err)
		}
		done = append(done, m)
	}
	return done, nil
}

// ride adds to a change what is merged.
func (k *compaction) ride(ctx context.Context, change *lakehouse.Change) {
	if k.running == nil {
		return
	}
	select {
	case end := <-k.running:
		k.ended(end)
		k.board(ctx, change)
	default:
		k.spoil(change.Remove)
	}
}

// ended takes over a round. It rests so long that the share of a processor holds.
func (k *compaction) ended(end roundEnd) {
	k.cancel()
	k.running, k.round = nil, end.done
	if k.policy.Share > 0 {
		k.rests = k.now().Add(time.Duration(float64(end.took) * (1/k.policy.Share - 1)))
	}
	if end.err != nil && !errors.Is(end.err, context.Canceled) {
		k.err = end.err
	}
}

// spoil notes files that are gone.
func (k *compaction) spoil(files []lakehouse.DataFile) {
	for _, f := range files {
		k.spoilt[f.Path] = true
	}
}

// board makes the packs that are not spoilt part of a change, and drops the others.
func (k *compaction) board(ctx context.Context, change *lakehouse.Change) {
	k.spoil(change.Remove)
	change.Rearranged = lakehouse.Rearranged{}
	k.round = slices.DeleteFunc(k.round, func(m pack) bool {
		if !slices.ContainsFunc(m.in, func(f lakehouse.DataFile) bool { return k.spoilt[f.Path] }) {
			return false
		}
		for _, f := range m.out {
			_ = k.remove(ctx, f.Path) // what stays is for vacuum
		}
		return true
	})
	for _, m := range k.round {
		change.Rearranged.Remove = append(change.Rearranged.Remove, m.in...)
		change.Rearranged.Add = append(change.Rearranged.Add, m.out...)
	}
}

// overtaken leaves out of a change what another writer's entry does not let through. It is certain that the change was not applied.
func (k *compaction) overtaken(ctx context.Context, e lakehouse.Entry, change *lakehouse.Change) {
	if k.running == nil && len(k.round) == 0 {
		return
	}
	for _, path := range e.Removes {
		k.spoilt[path] = true
	}
	if _, open := newestOpenBase(e.Txns); e.MetadataChanged || open { // merged files have the schema and the partitions of before; a backfill goes by the files as they are
		for _, m := range k.plan {
			k.spoil(m.in)
		}
	}
	k.board(ctx, change)
}

// rode ends a round: what it merged is committed. It counts the files.
func (k *compaction) rode() (merged, into int) {
	for _, m := range k.round {
		merged, into = merged+len(m.in), into+len(m.out)
	}
	k.round = nil
	return merged, into
}

// failure is what went wrong since it was last asked for.
func (k *compaction) failure() error {
	err := k.err
	k.err = nil
	if err != nil {
		return fmt.Errorf("compaction beside the commits: %w", err)
	}
	return nil
}

// close ends a round that is under way. Its files stay for vacuum.
func (k *compaction) close() {
	if k.running != nil {
		k.cancel()
		<-k.running
		k.running = nil
	}
}
