package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every store keeps the same promises.
func forEachStore(t *testing.T, run func(t *testing.T, s Store)) {
	t.Run("memory", func(t *testing.T) { run(t, NewMem()) })
	t.Run("local", func(t *testing.T) {
		s, err := NewLocal(filepath.Join(t.TempDir(), "not", "made", "yet"))
		require.NoError(t, err)
		run(t, s)
	})
	t.Run("below a folder", func(t *testing.T) { run(t, Sub(NewMem(), "a/b")) })
}

func TestObjectsAppearOnceAndStay(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		_, _, err := s.Get(ctx, "log/1.json")
		require.ErrorIs(t, err, ErrNotExist)
		in, err := s.PutIfAbsent(ctx, "log/1.json", []byte("one"))
		require.NoError(t, err)
		require.EqualValues(t, 3, in.Size)
		_, err = s.PutIfAbsent(ctx, "log/1.json", []byte("two"))
		require.ErrorIs(t, err, ErrExists)
		body, again, err := s.Get(ctx, "log/1.json")
		require.NoError(t, err)
		require.Equal(t, "one", string(body))
		require.Equal(t, in, again)
	})
}

// An object in the place of another has another ETag, even with the same bytes.
func TestETagTellsAReplacement(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		before, err := s.PutIfAbsent(ctx, "a", []byte("same"))
		require.NoError(t, err)
		require.NoError(t, s.Put(ctx, "a", []byte("same")))
		after, err := s.Stat(ctx, "a")
		require.NoError(t, err)
		require.NotEqual(t, before.ETag, after.ETag)
	})
}

func TestListIsOneFolderInOrder(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		for _, name := range []string{"log/2.json", "log/1.json", "log/deep/3.json", "root.json"} {
			require.NoError(t, s.Put(ctx, name, []byte(name)))
		}
		names := func(folder, after string) (out []string) {
			list, err := s.List(ctx, folder, after)
			require.NoError(t, err)
			for _, in := range list {
				out = append(out, in.Name)
			}
			return out
		}
		require.Equal(t, []string{"log/1.json", "log/2.json"}, names("log", ""))
		require.Equal(t, []string{"log/2.json"}, names("log", "1.json"))
		require.Equal(t, []string{"root.json"}, names("", ""))
		require.Empty(t, names("missing", ""))
	})
}

func TestWriterShowsNothingBeforeClose(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		w, err := s.Create(ctx, "data/part.parquet")
		require.NoError(t, err)
		_, err = w.Write([]byte("hello"))
		require.NoError(t, err)
		_, err = s.Stat(ctx, "data/part.parquet")
		require.ErrorIs(t, err, ErrNotExist)
		list, err := s.List(ctx, "data", "")
		require.NoError(t, err)
		require.Empty(t, list)
		require.NoError(t, w.Close())
		w.Abort()
		r, err := s.Open(ctx, "data/part.parquet")
		require.NoError(t, err)
		defer r.Close()
		require.EqualValues(t, 5, r.Size())
		tail := make([]byte, 3)
		_, err = r.ReadAt(tail, 2)
		require.True(t, err == nil || err == io.EOF)
		require.Equal(t, "llo", string(tail))
	})
}

func TestAbortAndDeleteLeaveNothing(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		w, err := s.Create(ctx, "x")
		require.NoError(t, err)
		w.Abort()
		_, err = s.Stat(ctx, "x")
		require.ErrorIs(t, err, ErrNotExist)
		require.NoError(t, s.Put(ctx, "y", nil))
		require.NoError(t, s.Delete(ctx, "y"))
		require.NoError(t, s.Delete(ctx, "y"), "deleting what is not there is no error")
	})
}

func TestPutIfAbsentRaceHasOneWinner(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		for round := range 20 {
			var wins atomic.Int32
			var group sync.WaitGroup
			for i := range 8 {
				group.Go(func() {
					_, err := s.PutIfAbsent(ctx, fmt.Sprintf("r/%d", round), fmt.Append(nil, i))
					if err == nil {
						wins.Add(1)
					} else if !errors.Is(err, ErrExists) {
						t.Error(err)
					}
				})
			}
			group.Wait()
			require.EqualValues(t, 1, wins.Load())
		}
	})
}

func TestLocalRefusesNamesOutsideItsFolder(t *testing.T) {
	s, err := NewLocal(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"../x", "/etc/passwd", "a/../../x", "", "."} {
		require.ErrorContains(t, s.Put(context.Background(), name, nil), "is not a relative path", name)
	}
}

func TestLocalLeavesNoTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := NewLocal(dir)
	require.NoError(t, err)
	_, err = s.PutIfAbsent(context.Background(), "a", nil)
	require.NoError(t, err)
	_, err = s.PutIfAbsent(context.Background(), "a", nil)
	require.ErrorIs(t, err, ErrExists)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestMemFaults(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("no space left on device")
	for name, c := range map[string]struct {
		outcome Outcome
		want    error
		later   bool // after the next operation
	}{
		"fail":       {Fail, boom, false},
		"lost reply": {LoseReply, ErrUnknown, true},
		"lost call":  {LoseCall, ErrUnknown, false},
		"late":       {Late, ErrUnknown, true},
		"twice":      {Twice, ErrExists, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMem()
			m.Inject(func(n int, _ Op, _ string) (Outcome, error) {
				if n == 0 {
					return c.outcome, map[bool]error{true: boom}[c.outcome == Fail]
				}
				return Normal, nil
			})
			_, err := m.PutIfAbsent(ctx, "a", []byte("x"))
			require.ErrorIs(t, err, c.want)
			_, err = m.Stat(ctx, "a")
			require.Equal(t, c.later, err == nil)
		})
	}
}

func TestMemCrash(t *testing.T) {
	ctx := context.Background()
	m := NewMem()
	m.CrashAfter(1)
	require.NoError(t, m.Put(ctx, "a", nil))
	require.ErrorIs(t, m.Put(ctx, "b", nil), ErrCrashed)
	_, err := m.Stat(ctx, "a")
	require.ErrorIs(t, err, ErrCrashed, "the process is dead")
	_, err = m.Reopen().Stat(ctx, "a")
	require.NoError(t, err)
	_, err = m.Reopen().Stat(ctx, "b")
	require.ErrorIs(t, err, ErrNotExist)
}
