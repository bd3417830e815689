package group_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
)

// BenchmarkAdd looks up keys that are known, in batches of 64k rows, in random order.
func BenchmarkAdd(b *testing.B) {
	str, num, ts := columnar.String, columnar.BigInt, columnar.Timestamp
	for _, types := range [][]columnar.Type{{num}, {num, ts}, {str}, {ts, str}, {num, ts, str}} {
		for _, groups := range []int{1_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%v/%d", types, groups), func(b *testing.B) { benchmarkAdd(b, types, groups) })
		}
	}
}

const batchRows = 1 << 16

func benchmarkAdd(b *testing.B, types []columnar.Type, groups int) {
	x, batches, ids := group.NewIndex(types), keyBatches(types, groups), []int32(nil)
	for _, cols := range batches {
		ids = x.Add(cols, nil, ids)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ids = x.Add(batches[i%len(batches)], nil, ids)
	}
	b.ReportMetric(float64(b.N)*batchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/batchRows, "ns/row")
	b.ReportMetric(float64(x.Bytes())/float64(x.Len()), "B/key")
}

// keyBatches are enough batches to see most of the keys: a user, one of four windows, a name of some 12 letters.
func keyBatches(types []columnar.Type, groups int) [][]columnar.Column {
	random := rand.New(rand.NewPCG(1, 2))
	var batches [][]columnar.Column
	for range max(4, 2*groups/batchRows) {
		keys := make([]uint64, batchRows)
		for i := range keys {
			keys[i] = random.Uint64N(uint64(groups))
		}
		cols := make([]columnar.Column, len(types))
		for k, t := range types {
			cols[k] = keyColumn(t, keys)
		}
		batches = append(batches, cols)
	}
	return batches
}

func keyColumn(t columnar.Type, keys []uint64) columnar.Column {
	ints := make([]int64, len(keys))
	var texts columnar.BinaryBuffer
	for i, k := range keys {
		if ints[i] = int64(k); t == columnar.Timestamp {
			ints[i] = int64(k%4) * 60_000_000
		}
		texts.AppendString(fmt.Sprintf("page-%07d", k))
	}
	if t == columnar.String {
		return texts.FinishString()
	}
	return columnar.NewFixedColumn(t, ints, nil)
}
