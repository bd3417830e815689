package microbatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"

	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/state"
)

// StateStore keeps files of state beside a table.
type StateStore struct {
	Objects store.Store
	Name    string        // of the pipeline
	NewID   func() string // a UUID
}

// Put writes a file under a name of its own, durably.
func (s *StateStore) Put(ctx context.Context, body []byte) (committer.StateFile, error) {
	sum := sha256.Sum256(body)
	f := committer.StateFile{Path: path.Join("_lakewheel", s.Name, "state", s.NewID()+".arrow"), Bytes: int64(len(body)), SHA256: hex.EncodeToString(sum[:])}
	if err := s.Objects.Put(ctx, f.Path, body); err != nil {
		return f, fmt.Errorf("write state file %s: %w", f.Path, err)
	}
	return f, nil
}

const stateWayOut = "restore the folder _lakewheel as it was, or give the pipeline another name and another table, which starts afresh"

// Get reads a file and checks that it is the one that was written.
func (s *StateStore) Get(ctx context.Context, f committer.StateFile) ([]byte, error) {
	body, _, err := s.Objects.Get(ctx, f.Path)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return nil, fmt.Errorf("%w: state file %s, which the newest record names, is gone: %s", committer.ErrPositionLost, f.Path, stateWayOut)
	case err != nil:
		return nil, fmt.Errorf("read state file %s: %w", f.Path, err)
	}
	if sum := sha256.Sum256(body); int64(len(body)) != f.Bytes || hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("%w: %w: %s has %d bytes, its record says %d, and another checksum: %s", committer.ErrPositionLost, state.ErrDamaged, f.Path, len(body), f.Bytes, stateWayOut)
	}
	return body, nil
}
