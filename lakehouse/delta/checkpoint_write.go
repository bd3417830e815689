package delta

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// checkpointRows are the rows of a checkpoint of a state: protocol, metadata and transactions first, so that a restart finds them in the first
// pages; then tombstones that readers may still need; then live files. No commitInfo.
func (s *state) checkpointRows(removedSince int64) []action {
	out := []action{{Protocol: s.protocol}, {MetaData: s.meta}}
	for _, app := range slices.Sorted(maps.Keys(s.txns)) {
		t := s.txns[app]
		out = append(out, action{Txn: &t})
	}
	for _, domain := range slices.Sorted(maps.Keys(s.domains)) {
		d := s.domains[domain]
		out = append(out, action{DomainMetadata: &d})
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.removed), fileKey.compare) {
		if r := s.removed[k]; r.DeletionTimestamp != nil && *r.DeletionTimestamp >= removedSince {
			r.DataChange = false
			out = append(out, action{Remove: &r})
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.live), fileKey.compare) {
		a := s.live[k]
		a.PartitionValues, a.DataChange = withoutEmpty(a.PartitionValues), false
		out = append(out, action{Add: &a})
	}
	return out
}

func (k fileKey) compare(o fileKey) int {
	return cmp.Or(cmp.Compare(k.path, o.path), cmp.Compare(k.vector, o.vector))
}

// withoutEmpty are partition values with NULL for "", which stands for it in the entries of some writers. Spark reads "" as a number, a
// date, ..., in a checkpoint, and fails.
func withoutEmpty(values map[string]*string) map[string]*string {
	out := make(map[string]*string, len(values))
	for k, v := range values {
		out[k] = orNull(v)
	}
	return out
}

func encodeCheckpoint(rows []action) ([]byte, error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[action](&b, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.DataPageVersion(1))
	if _, err := w.Write(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
