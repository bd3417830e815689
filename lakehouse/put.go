package lakehouse

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// PutEntry decides a log entry: nil if the name is free, or holds this body from an earlier try; ErrConflict if it holds another;
// ErrUnknown if that cannot be told. After another error it was certainly not put.
func PutEntry(ctx context.Context, objects store.Store, name string, body []byte) (store.Info, error) {
	in, err := objects.PutIfAbsent(ctx, name, body)
	switch {
	case err == nil:
		return in, nil
	case errors.Is(err, store.ErrExists):
		return sameBody(ctx, objects, name, body)
	case errors.Is(err, store.ErrUnknown), ctx.Err() != nil:
		return in, fmt.Errorf("%w: %s of %s: %w", ErrUnknown, name, objects, err)
	}
	return in, fmt.Errorf("commit %s of %s: %w", name, objects, err)
}

// sameBody settles a name that is taken: by an earlier try of the same put, or by another commit.
func sameBody(ctx context.Context, objects store.Store, name string, body []byte) (store.Info, error) {
	there, in, err := objects.Get(ctx, name)
	switch {
	case err != nil:
		return in, fmt.Errorf("%w: %s of %s cannot be read back: %w", ErrUnknown, name, objects, err)
	case bytes.Equal(there, body):
		return in, nil
	}
	return in, fmt.Errorf("%w: %s of %s", ErrConflict, name, objects)
}
