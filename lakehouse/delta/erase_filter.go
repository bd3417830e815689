package delta

import (
	"context"
	"fmt"

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
		if f := h.keys.Fields[i]; len(among(columnar.NewSchema(f), h.partitionKeys)) == 0 {
			out.Fields, cols = append(out.Fields, f), append(cols, c)
			continue
		}
		c.Release()
	}
	return columnar.NewBatch(out, cols, h.set.Len())
}

// denied reports whether the Bloom filters of a file say that it holds none of the keys.
func (t *Table) denied(ctx context.Context, keys *columnar.Batch, f lakehouse.DataFile) (bool, error) {
	if keys == nil || f.Bytes < probedFrom {
		return false, nil
	}
	r, err := t.objects.Open(ctx, f.Path)
	if err != nil {
		return false, fmt.Errorf("data file of %s: %w", t, err)
	}
	defer r.Close()
	probe, err := parquetfile.OpenProbe(r, nil)
	if err != nil {
		return false, fmt.Errorf("data file %s of %s: %w", f.Path, t, err)
	}
	for _, field := range keys.Schema().Fields {
		if !probe.Filtered(field.Name) {
			continue
		}
		may, err := probe.MayHold(keys)
		if err != nil {
			return false, fmt.Errorf("data file %s of %s: %w", f.Path, t, err)
		}
		return len(may) == 0, nil
	}
	return false, nil
}
