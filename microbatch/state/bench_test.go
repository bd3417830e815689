package state

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// BenchmarkEncode makes a file of what a batch of so many rows may change.
func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			keys, counts64 := make([]string, n), make([]int64, n)
			for i := range keys {
				keys[i], counts64[i] = fmt.Sprintf("/p/%d", i), int64(i)
			}
			rows := columnar.NewBatch(counts, []columnar.Column{columnar.NewStringColumn(keys), columnar.NewInt64Column(counts64, nil)}, n)
			b.ReportAllocs()
			for b.Loop() {
				body, err := Encode("0:aggregate", rows)
				require.NoError(b, err)
				b.ReportMetric(float64(len(body)), "bytes")
			}
		})
	}
}
