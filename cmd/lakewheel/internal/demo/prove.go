package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
)

// ErrUnbalanced: the tables do not hold exactly what was produced.
var ErrUnbalanced = errors.New("the tables do not hold exactly what was produced")

// balance is what the tables hold against what the stream was.
type balance struct {
	produced, views, bots, malformed int64 // of the stream
	written, letters                 int64 // of the tables
	doubled, strange                 int64
	expected                         map[string]int // times still expected: views by id, dead letters by place
}

func (b *balance) balanced() bool {
	return b.lost()+b.doubled+b.strange == 0 && b.written == b.views && b.letters == b.malformed
}

// prove reads the tables back and compares them with the stream made again, and windows with events.
func prove(ctx context.Context, o Options, p pipelines, seed uint64, counts [partitions]int64) error {
	b, w := newBalance(seed, counts), newWindows()
	err := o.scan(ctx, p.events.Sink.Path, func(rows *columnar.Batch) {
		b.events(rows)
		w.events(rows)
	})
	if err == nil {
		err = o.scan(ctx, p.events.DeadLetter, b.deadLetters)
	}
	if err == nil {
		err = o.scan(ctx, p.pageCounts.Late, w.late)
	}
	w.close()
	if err == nil {
		err = o.scan(ctx, p.pageCounts.Sink.Path, w.result)
	}
	if err != nil {
		return err
	}
	return errors.Join(b.report(o), w.report(o))
}

func newBalance(seed uint64, counts [partitions]int64) *balance {
	b := &balance{expected: map[string]int{}}
	for part, n := range counts {
		for k := range n {
			b.expect(eventOf(seed, k*partitions+int64(part)), int64(part), k)
		}
	}
	return b
}

func (b *balance) expect(e event, part, offset int64) {
	b.produced++
	switch e.kind {
	case view:
		b.views++
		b.expected[e.id()] = 1
	case bot:
		b.bots++
	default:
		b.malformed++
		b.expected[place(part, offset)] = 1
	}
}

// events notes rows of the table of events.
func (b *balance) events(rows *columnar.Batch) {
	ids := rows.Column(rows.Schema().Index("event_id"))
	for i := range rows.Rows() {
		b.written++
		b.seen(columnar.StringAt(ids, i))
	}
}

func (b *balance) deadLetters(rows *columnar.Batch) {
	parts, offsets := rows.Column(rows.Schema().Index("partition")), rows.Column(rows.Schema().Index("offset"))
	for i := range rows.Rows() {
		b.letters++
		b.seen(place(columnar.IntAt(parts, i), columnar.Int64At(offsets, i)))
	}
}

func (b *balance) seen(key string) {
	left, known := b.expected[key]
	switch {
	case !known:
		b.strange++
	case left == 0:
		b.doubled++
	default:
		b.expected[key] = left - 1
	}
}

func (b *balance) lost() (n int64) {
	for _, left := range b.expected {
		n += int64(left)
	}
	return n
}

func place(part, offset int64) string { return fmt.Sprintf("%d/%d", part, offset) }

func (o Options) scan(ctx context.Context, path string, fn func(*columnar.Batch)) error {
	objects, err := o.World.Objects(path)
	if err != nil {
		return err
	}
	t := delta.Open(objects, o.World.NewID)
	snap, err := t.Snapshot(ctx)
	if err != nil || snap.Version < 0 {
		return err
	}
	return t.Scan(ctx, snap, func(b *columnar.Batch) error { fn(b); return nil })
}

func (b *balance) report(o Options) error {
	fmt.Fprintf(o.Out, "\nproduced   %d records\n  = written %d + filtered %d + dead letters %d\nread back %d rows and %d dead letters: %d lost, %d doubled, %d unknown\n",
		b.produced, b.views, b.bots, b.malformed, b.written, b.letters, b.lost(), b.doubled, b.strange)
	if !b.balanced() {
		return ErrUnbalanced
	}
	fmt.Fprintln(o.Out, "balance    every record is in exactly one place")
	return nil
}
