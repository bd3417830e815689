package offsets

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func at(rows ...int64) Positions {
	out := Positions{}
	for i, n := range rows {
		out[Partition{Topic: "t", ID: int32(i)}] = n
	}
	return out
}

// How far a batch reads from the start of three partitions with these ends.
func TestLimits(t *testing.T) {
	sizes := func(bytes ...float64) func(Partition) float64 {
		return func(p Partition) float64 { return bytes[p.ID] }
	}
	for _, c := range []struct {
		name    string
		limits  Limits
		ends    Positions
		want    Positions
		byBytes bool
	}{
		{"no limit", Limits{}, at(1, 20, 300), at(1, 20, 300), false},
		{"rows are shared by backlog", Limits{Rows: 10}, at(100, 300, 600), at(1, 3, 6), false},
		{"each partition has a cap", Limits{PartitionRows: 50}, at(10, 99_990, 0), at(10, 50, 0), false},
		{"a hot partition leaves room to the others", Limits{Rows: 100, PartitionRows: 50}, at(25, 99_000, 25), at(25, 50, 25), false},
		{"bytes make all less", Limits{Bytes: 1000, RowBytes: sizes(10, 10, 10)}, at(100, 300, 600), at(10, 30, 60), true},
		{"large rows take their share", Limits{Bytes: 1000, RowBytes: sizes(1, 100, 1)}, at(100, 100, 0), at(9, 9, 0), true},
		{"bytes that fit change nothing", Limits{Bytes: 1000, RowBytes: sizes(1, 1, 1)}, at(100, 100, 0), at(100, 100, 0), false},
		{"a row larger than the limit goes alone", Limits{Bytes: 10, RowBytes: sizes(50e6, 50e6, 50e6)}, at(1, 3, 2), at(0, 1, 0), true},
		{"all of them", Limits{Rows: 100, PartitionRows: 80, Bytes: 500, RowBytes: sizes(10, 10, 10)}, at(1000, 10, 10), at(40, 5, 5), true},
	} {
		until, byBytes := c.limits.Plan(at(0, 0, 0), c.ends)
		require.Equal(t, c.want, until, c.name)
		require.Equal(t, c.byBytes, byBytes, c.name)
	}
}

// Whatever the limits: a batch stays within them, goes on where there is something, and never beyond the end.
func TestLimitsHold(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(r, "partitions")
		from, ends := Positions{}, Positions{}
		backlog := int64(0)
		for i := range n {
			p := Partition{Topic: "t", ID: int32(i)}
			from[p] = rapid.Int64Range(0, 1000).Draw(r, "from")
			ends[p] = from[p] + rapid.Int64Range(0, 1_000_000).Draw(r, "backlog")
			backlog += ends[p] - from[p]
		}
		size := rapid.Float64Range(0.1, 1e6).Draw(r, "size")
		l := Limits{Rows: rapid.Int64Range(0, 10_000).Draw(r, "rows"), PartitionRows: rapid.Int64Range(0, 1000).Draw(r, "partition"),
			Bytes: rapid.Int64Range(0, 1e6).Draw(r, "bytes"), RowBytes: func(Partition) float64 { return size }}
		until, _ := l.Plan(from, ends)
		rows := int64(0)
		for p, at := range from {
			require.True(r, until[p] >= at && until[p] <= ends[p])
			require.True(r, l.PartitionRows == 0 || until[p]-at <= l.PartitionRows)
			rows += until[p] - at
		}
		require.Equal(r, backlog > 0, rows > 0)
		require.True(r, l.Rows == 0 || rows <= l.Rows+int64(n))
		require.True(r, l.Bytes == 0 || rows <= 1 || float64(rows)*size <= float64(l.Bytes))
	})
}
