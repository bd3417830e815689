package backfill

import "errors"

var (
	// ErrRange: there is no such range. Exit code 2.
	ErrRange = errors.New("the range cannot be filled")
	// ErrInexact: the rows of the range cannot be told, or not be computed exactly. Nothing was done.
	ErrInexact = errors.New("not exact")
	// ErrStopped: it was asked to stop. The same command goes on.
	ErrStopped = errors.New("the backfill was stopped; the same command goes on with it, --cancel ends it")
)
