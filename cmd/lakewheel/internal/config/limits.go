package config

import (
	"time"

	"github.com/goccy/go-yaml/ast"
)

// Limits bound a batch; see microbatch.Limits.
type Limits struct {
	RowsPerBatch     int64
	RowsPerPartition int64         // 0: no bound
	BytesPerBatch    int64         // 0: no bound
	MinRows          int64         // 0: no batch waits for more
	MaxDelay         time.Duration // of MinRows
	Adaptive         bool
	Memory           int64 // bytes of data in flight
}

// defaultLimits has Spark's maxTriggerDelay.
var defaultLimits = Limits{RowsPerBatch: 1_000_000, MaxDelay: 15 * time.Minute, Memory: 512 << 20}

// limits reads the limits of a batch.
func (f *fileReader) limits(n ast.Node) {
	l := &f.p.Limits
	var minAt, delayAt ast.Node
	f.fields(n, "limits", map[string]func(ast.Node){
		"rows_per_batch":     f.whole(&l.RowsPerBatch, "limits.rows_per_batch", 1),
		"rows_per_partition": f.whole(&l.RowsPerPartition, "limits.rows_per_partition", 1),
		"bytes_per_batch":    f.size(&l.BytesPerBatch, "limits.bytes_per_batch", 1<<10),
		"min_rows":           func(n ast.Node) { minAt = n; f.whole(&l.MinRows, "limits.min_rows", 1)(n) },
		"max_delay":          func(n ast.Node) { delayAt = n; f.positive(&l.MaxDelay, "limits.max_delay")(n) },
		"adaptive":           f.bool(&l.Adaptive, "limits.adaptive"),
		"memory":             f.size(&l.Memory, "limits.memory", 64<<20),
	})
	if delayAt != nil && minAt == nil {
		f.fault(delayAt, "limits.max_delay: it is how long a batch waits for min_rows, which is missing")
	}
	if l.MinRows > l.RowsPerBatch {
		f.fault(minAt, "limits.min_rows: a batch has at most %d rows (rows_per_batch), and cannot wait for %d", l.RowsPerBatch, l.MinRows)
	}
}
