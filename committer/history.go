package committer

import (
	"context"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// eachEntry calls f with the entries of a table up to a snapshot, newest first, until f returns false. whole: f did, or has seen the first entry; otherwise
// the log was cleaned.
func eachEntry(ctx context.Context, table lakehouse.Table, s lakehouse.Snapshot, f func(lakehouse.Entry) bool) (whole bool, err error) {
	for limit := 1; s.Version >= 0; limit = min(8*limit, 1024) { // mostly the newest tells
		entries, err := table.History(ctx, s, limit)
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			if !f(e) || e.Version == 0 {
				return true, nil
			}
		}
		if len(entries) < limit {
			return false, nil
		}
		s.Version -= int64(limit)
	}
	return true, nil
}
