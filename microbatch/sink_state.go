package microbatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// Get reads a file and checks that it is the one that was written.
func (s *StateStore) Get(ctx context.Context, f committer.StateFile) ([]byte, error) {
	body, _, err := s.Objects.Get(ctx, f.Path)
	if err != nil {
		return nil, fmt.Errorf("read state file %s: %w", f.Path, err)
	}
	if sum := sha256.Sum256(body); int64(len(body)) != f.Bytes || hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("%w: %s has %d bytes with another checksum than its record says (%d bytes)", state.ErrDamaged, f.Path, len(body), f.Bytes)
	}
	return body, nil
}
