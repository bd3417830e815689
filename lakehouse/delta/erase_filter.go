package delta

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// probedFrom is the size of a file in bytes from which on its Bloom filters are asked: of a smaller one the keys are read as soon.
const probedFrom = 1 << 20

// probedKeys is how many keys are asked for at most: of so many a file may hold one in any case.
const probedKeys = 1 << 20

// deniable are the keys without the partition columns, as a filter is asked for them; nil if it is not worth it.
func (h *hunt) deniable() *columnar.Batch {
	if h.set.Len() > probedKeys || len(h.partitionKeys) == h.keys.Len() {
		return nil
	}
	out, cols := &columnar.Schema{}, []columnar.Column{}
	for i, c := range h.set.Keys() {
		if f := h.keys.Fields[i]; !slices.Contains(h.partitionKeys, f.Name) {
			out.Fields, cols = append(out.Fields, f), append(cols, c)
			continue
		}
		c.Release()
	}
	return columnar.NewBatch(out, cols, h.set.Len())
}

// denied reports whether the Bloom filters of a file say that it holds none of the keys.
func denied(keys *columnar.Batch, f lakehouse.DataFile, probe *parquetfile.Probe) (bool, error) {
	if keys == nil || f.Bytes < probedFrom || !slices.ContainsFunc(keys.Schema().Fields, func(f columnar.Field) bool { return probe.Filtered(f.Name) }) {
		return false, nil
	}
	may, err := probe.MayHold(keys)
	return err == nil && len(may) == 0, err
}
