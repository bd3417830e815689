package committer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// difference are the files to take out of a table, and to put back, so that it has the rows of an older version.
func (c *Committer) difference(ctx context.Context, table lakehouse.Table, then, now lakehouse.Snapshot) (out, back []lakehouse.DataFile, err error) {
	was := map[string]lakehouse.DataFile{}
	if then.Version >= 0 {
		if err := sameShape(table, then, now); err != nil {
			return nil, nil, err
		}
		files, err := table.Files(ctx, then)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			was[f.Path] = f
		}
	}
	files, err := table.Files(ctx, now)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if _, stays := was[f.Path]; stays {
			delete(was, f.Path)
			continue
		}
		out = append(out, f)
	}
	back = slices.SortedFunc(maps.Values(was), byPath)
	missing, err := table.(lakehouse.TimeTraveller).Missing(ctx, back)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: %d files that held rows of %s at version %d are gone (%s, ...): they were vacuumed, and nothing was changed", ErrRefused, len(missing), table, then.Version, missing[0])
	}
	return out, back, err
}

// sameShape refuses to put back files whose rows are not rows of the table as it is now.
func sameShape(table lakehouse.Table, then, now lakehouse.Snapshot) error {
	evolved, err := lakehouse.Evolve(now.Schema, then.Schema)
	switch {
	case then.ID != now.ID:
		return fmt.Errorf("%w: %s was replaced by another table since version %d", ErrRefused, table, then.Version)
	case !slices.Equal(then.PartitionBy, now.PartitionBy):
		return fmt.Errorf("%w: the partitioning of %s has changed since version %d", ErrRefused, table, then.Version)
	case err != nil:
		return fmt.Errorf("%w: the schema of %s has changed since version %d: %w", ErrRefused, table, then.Version, err)
	case evolved != now.Schema:
		return fmt.Errorf("%w: %s has lost columns since version %d: it had %s", ErrRefused, table, then.Version, then.Schema)
	}
	return nil
}
