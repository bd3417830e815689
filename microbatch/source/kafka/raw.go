package kafka

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// rawBuilder collects records into the columns of a raw batch.
type rawBuilder struct {
	values, keys   columnar.BinaryBuffer
	offsets, times []int64
	withKey        bool
}

// newRawBuilder makes a builder with room for so many rows and bytes of values, within the bounds of a raw batch.
func newRawBuilder(withKey bool, rows int64, size int) *rawBuilder {
	n := int(min(rows, rawRows))
	b := &rawBuilder{withKey: withKey, offsets: make([]int64, 0, n), times: make([]int64, 0, n)}
	b.values.Grow(n, min(size, rawBytes))
	return b
}

func (b *rawBuilder) full() bool {
	return len(b.offsets) >= rawRows || b.values.Bytes()+b.keys.Bytes() >= rawBytes
}

func (b *rawBuilder) add(r *record) {
	appendOrNull(&b.values, r.value)
	if b.withKey {
		appendOrNull(&b.keys, r.key)
	}
	b.offsets = append(b.offsets, r.offset)
	b.times = append(b.times, r.millis*1000)
}

func appendOrNull(to *columnar.BinaryBuffer, v []byte) {
	if v == nil {
		to.AppendNull()
		return
	}
	to.Append(v)
}

// finish returns the batch, nil if there are no rows.
func (b *rawBuilder) finish() *columnar.Batch {
	n := len(b.offsets)
	if n == 0 {
		return nil
	}
	cols := []columnar.Column{b.values.Finish(), columnar.NewInt64Column(b.offsets, nil), columnar.NewTimestampColumn(b.times, nil)}
	if b.withKey {
		cols = append(cols, b.keys.Finish())
	}
	return columnar.NewBatch(source.RawSchema(b.withKey), cols, n)
}
