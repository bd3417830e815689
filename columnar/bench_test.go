package columnar_test

import (
	"fmt"
	"testing"

	"github.com/lakewheel/lakewheel/columnar"
)

// BenchmarkGather copies every other of 65,536 rows.
func BenchmarkGather(b *testing.B) {
	const rows = 65_536
	numbers, texts, half := make([]int64, rows), make([]string, rows), columnar.Selection{}
	for i := range rows {
		numbers[i], texts[i] = int64(i), fmt.Sprintf("/p/%08d", i)
		if i%2 == 0 {
			half = append(half, int32(i))
		}
	}
	for name, c := range map[string]columnar.Column{"int64": columnar.NewInt64Column(numbers, nil), "string": columnar.NewStringColumn(texts)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				columnar.Gather(c, half, nil).Release()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(half)), "ns/row")
			b.ReportMetric(float64(b.N)*float64(len(half))/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
