package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
)

// ErrUnbalanced: the tables do not hold exactly what was produced.
var ErrUnbalanced = errors.New("the tables do not hold exactly what was produced")

// balance is what the tables hold against what the stream was.
type balance struct {
	produced, views, bots, malformed int64 // of the stream
	written, letters                 int64 // of the tables
	lost, doubled, strange           int64
}

func (b balance) balanced() bool {
	return b.lost+b.doubled+b.strange == 0 && b.written == b.views && b.letters == b.malformed
}

// prove reads the tables back and compares them with the stream made again.
func prove(ctx context.Context, o Options, p *config.Pipeline, seed uint64, counts [partitions]int64) error {
	b := balance{}
	expected := map[string]int{} // times still expected: views by id, dead letters by place
	for part, n := range counts {
		for k := range n {
			b.expect(expected, eventOf(seed, k*partitions+int64(part)), int64(part), k)
		}
	}
	seen := func(key string) {
		left, known := expected[key]
		switch {
		case !known:
			b.strange++
		case left == 0:
			b.doubled++
		default:
			expected[key] = left - 1
		}
	}
	err := o.scan(ctx, p.Sink.Path, func(rows *columnar.Batch) {
		ids := rows.Column(rows.Schema().Index("event_id"))
		for i := range rows.Rows() {
			b.written++
			seen(columnar.StringAt(ids, i))
		}
	})
	if err != nil {
		return err
	}
	err = o.scan(ctx, p.DeadLetter, func(rows *columnar.Batch) {
		parts, offsets := rows.Column(rows.Schema().Index("partition")), rows.Column(rows.Schema().Index("offset"))
		for i := range rows.Rows() {
			b.letters++
			seen(place(columnar.IntAt(parts, i), columnar.Int64At(offsets, i)))
		}
	})
	if err != nil {
		return err
	}
	for _, left := range expected {
		b.lost += int64(left)
	}
	return b.report(o)
}

func (b *balance) expect(expected map[string]int, e event, part, offset int64) {
	b.produced++
	switch e.kind {
	case view:
		b.views++
		expected[e.id()] = 1
	case bot:
		b.bots++
	default:
		b.malformed++
		expected[place(part, offset)] = 1
	}
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

func (b balance) report(o Options) error {
	fmt.Fprintf(o.Out, "\nproduced  %d records\n  = written %d + filtered %d + dead letters %d\nread back %d rows and %d dead letters: %d lost, %d doubled, %d unknown\n",
		b.produced, b.views, b.bots, b.malformed, b.written, b.letters, b.lost, b.doubled, b.strange)
	if !b.balanced() {
		return ErrUnbalanced
	}
	fmt.Fprintln(o.Out, "balance   every record is in exactly one place")
	return nil
}
