package store

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process that dies between the new name and the removal of the old one leaves both; the next call makes an end of it.
func TestLocalRenameHalfDone(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := NewLocal(dir)
	require.NoError(t, err)
	require.NoError(t, s.Put(ctx, "staged/a", []byte("rows")))
	require.NoError(t, os.Link(filepath.Join(dir, "staged", "a"), filepath.Join(dir, "a.parquet")))
	require.NoError(t, s.Rename(ctx, "staged/a", "a.parquet"))
	_, err = s.Stat(ctx, "staged/a")
	require.ErrorIs(t, err, ErrNotExist)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "staged")))
	require.NoError(t, s.Rename(ctx, "staged/a", "a.parquet"), "also where the folder is gone")
}

// Whatever becomes of any request of a rename, repeating it ends with the object under its new name alone.
func TestS3RenameThroughFaults(t *testing.T) {
	ctx := context.Background()
	for name, w := range map[string]wrong{"503": refuse503, "applied, then 503": applyThen503, "dropped": drop, "applied, then dropped": applyThenDrop, "throttled": slowDown,
		"no answer": hang, "late": applyLate, "sent twice": applyTwice} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for nth := range 3 {
				f := newFakeS3(t)
				s := f.open(t, func(c *S3Config) { c.Timeout = 300 * time.Millisecond })
				require.NoError(t, s.Put(ctx, "staged/a", []byte("rows")))
				f.fail(func(n int, _ *http.Request) wrong {
					if n == nth {
						return w
					}
					return nothing
				})
				require.NoError(t, s.Rename(ctx, "staged/a", "a.parquet"), "request %d", nth)
				f.fail(nil)
				require.NoError(t, s.Rename(ctx, "staged/a", "a.parquet"))
				body, _, err := s.Get(ctx, "a.parquet")
				require.NoError(t, err)
				require.Equal(t, "rows", string(body))
				_, err = s.Stat(ctx, "staged/a")
				require.ErrorIs(t, err, ErrNotExist)
			}
		})
	}
}

// A rename that got no answer at all has left the object under one of the names, or both; the next process finds it.
func TestRenameOutcomes(t *testing.T) {
	ctx, down := context.Background(), errors.New("network is down")
	for name, outcome := range map[string]Outcome{"failed": Fail, "answer lost": LoseReply, "call lost": LoseCall, "late": Late} {
		m := NewMem()
		require.NoError(t, m.Put(ctx, "a", []byte("rows")))
		m.Inject(Meet(Fault{Op: OpRename, Outcome: outcome, Err: down}))
		require.ErrorIs(t, m.Rename(ctx, "a", "b"), down, name)
		require.NoError(t, m.Rename(ctx, "a", "b"), name)
		body, _, err := m.Get(ctx, "b")
		require.NoError(t, err)
		require.Equal(t, "rows", string(body))
	}
}
