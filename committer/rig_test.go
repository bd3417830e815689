package committer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/offsets"
)

var rowSchema = columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true})

var serial atomic.Int64

// often is how many histories a randomised test runs: all, or with -short, as under the race detector, a quarter.
func often(n uint64) uint64 {
	if testing.Short() {
		return n / 4
	}
	return n
}

// clock of a test; it moves only by hand.
type clock struct{ millis atomic.Int64 }

func (c *clock) now() time.Time { return time.UnixMilli(1_700_000_000_000 + c.millis.Load()) }

// options of a driver named writer over objects; every driver has a Table of its own, as a process has.
func options(objects store.Store, writer string) Options {
	c := &clock{}
	id := func() string { return fmt.Sprintf("id%06d", serial.Add(1)) }
	return named(Options{
		Objects: store.Sub(objects, "t"), Schema: rowSchema, Writer: writer,
		RetainCommits: 100, RetainFor: 24 * time.Hour, Compaction: CompactionPolicy{Files: 3, Inline: true},
		Now: c.now, Token: func() int64 { return serial.Add(1) }, NewID: id,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}, objects, "p", "")
}

// commitRows commits the ids [from, until) as one batch that continues the committer's position, with one dead letter: -from-1.
func commitRows(ctx context.Context, c *Committer, from, until int64) error {
	out, err := c.NewOutput(ctx)
	if err != nil {
		return err
	}
	defer out.Abort()
	ids := make([]int64, 0, until-from)
	for i := from; i < until; i++ {
		ids = append(ids, i)
	}
	if err := writeIDs(ids, func(b *columnar.Batch) error { return out.Write(ctx, 0, b) }); err != nil {
		return err
	}
	if err := writeIDs([]int64{-from - 1}, func(b *columnar.Batch) error { return out.WriteSide(ctx, "dead_letter", 0, b) }); err != nil {
		return err
	}
	batch := int64(0)
	if c.Last() != nil {
		batch = c.Last().LastBatch + 1
	}
	_, err = c.Commit(ctx, Batch{First: batch, Last: batch, Sources: progressAt(until), Output: out})
	return err
}

func writeIDs(ids []int64, write func(*columnar.Batch) error) error {
	b := columnar.NewBatch(rowSchema, []columnar.Column{columnar.NewInt64Column(ids, nil)}, len(ids))
	defer b.Release()
	return write(b)
}

var part = offsets.Partition{Topic: "t", ID: 0}

func progressAt(next int64) map[string]offsets.Progress {
	return map[string]offsets.Progress{"s": {Kind: "memory", Identity: map[string]string{"t": ""}, Partitions: offsets.Marks{part: {Next: next, LeaderEpoch: -1}}}}
}

// position is the next id to commit, as the newest record says.
func position(c *Committer) int64 {
	if c.Last() == nil {
		return 0
	}
	return c.Last().Sources["s"].Partitions[part].Next
}

// ids reads a table back, with how often each id is there.
func ids(t testing.TB, objects store.Store, table string) map[int64]int {
	out := map[int64]int{}
	require.NoError(t, format.scan(context.Background(), store.Sub(objects, table), func(b *columnar.Batch) error {
		for i := range b.Rows() {
			out[columnar.Int64At(b.Column(0), i)]++
		}
		return nil
	}))
	return out
}

// requireOnce asserts that the table holds the ids [0, n) once each, and the dead letters of the batches of width rows.
func requireOnce(t testing.TB, objects store.Store, n, width int64) {
	rows := ids(t, objects, "t")
	require.Len(t, rows, int(n))
	letters := ids(t, objects, "dead")
	require.Len(t, letters, int(n/width))
	for id, times := range rows {
		require.Equal(t, 1, times, "id %d", id)
	}
	for id, times := range letters {
		require.Equal(t, 1, times, "letter %d", id)
	}
}

// epochs asserts that epochs never go down along the log.
func requireMonotoneEpochs(t testing.TB, objects store.Store) {
	d := format.open(store.Sub(objects, "t"), "p", "", nil)
	snap, err := d.Snapshot(context.Background())
	require.NoError(t, err)
	entries, err := d.History(context.Background(), snap, 1<<20)
	require.NoError(t, err)
	newest := int64(1 << 62)
	for _, e := range entries {
		txn, ours := e.Txns["lakewheel/p"]
		if !ours {
			continue
		}
		r, err := ReadRecord(context.Background(), store.Sub(objects, "t"), "p", txn.Token)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Epoch, newest, "version %d", e.Version)
		newest = r.Epoch
	}
}

// foreignAppend is another program's commit.
func foreignAppend(t testing.TB, objects store.Store, operation string) {
	d := format.open(store.Sub(objects, "t"), "p", "", nil)
	for {
		snap, err := d.Snapshot(context.Background())
		require.NoError(t, err)
		_, err = d.Commit(context.Background(), snap, lakehouse.Change{Time: serial.Add(1), Operation: operation, DataChange: true})
		if err == nil {
			return
		}
	}
}

func newRNG(t testing.TB, seed uint64) *rand.Rand {
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
