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
	t.Run("S3", func(t *testing.T) { run(t, newFakeS3(t).open(t)) })
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
		require.Equal(t, []any{in.Name, in.Size, in.ETag}, []any{again.Name, again.Size, again.ETag})
	})
}

// An object in the place of another has another ETag, even with the same bytes where the medium can tell; S3 cannot.
func TestETagTellsAReplacement(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		content := []byte("same")
		before, err := s.PutIfAbsent(ctx, "a", content)
		require.NoError(t, err)
		if _, ok := s.(*S3); ok {
			content = []byte("also")
		}
		require.NoError(t, s.Put(ctx, "a", content))
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

// A name never leads out of the root, whatever the operation.
func TestNamesStayInside(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		for _, name := range []string{"../x", "/etc/passwd", "a/../../../x", "a/./b", "a//b"} {
			ops := map[string]func() error{
				"put if absent": func() error { _, err := s.PutIfAbsent(ctx, name, nil); return err },
				"put":           func() error { return s.Put(ctx, name, nil) },
				"create":        func() error { _, err := s.Create(ctx, name); return err },
				"get":           func() error { _, _, err := s.Get(ctx, name); return err },
				"open":          func() error { _, err := s.Open(ctx, name); return err },
				"stat":          func() error { _, err := s.Stat(ctx, name); return err },
				"list":          func() error { _, err := s.List(ctx, name, ""); return err },
				"delete":        func() error { return s.Delete(ctx, name) },
			}
			for op, run := range ops {
				require.ErrorContains(t, run(), "is not a relative path", "%s %s", op, name)
			}
		}
	})
}

// Names are relative to the store in all that it tells, and whole in its errors.
func TestNamesInAnswers(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, func(t *testing.T, s Store) {
		made, err := s.PutIfAbsent(ctx, "d/a", []byte("x"))
		require.NoError(t, err)
		_, got, err := s.Get(ctx, "d/a")
		require.NoError(t, err)
		stat, err := s.Stat(ctx, "d/a")
		require.NoError(t, err)
		list, err := s.List(ctx, "d", "")
		require.NoError(t, err)
		if made.Modified == 0 {
			made.Modified = stat.Modified // the answer to a put may not tell it
		}
		require.Equal(t, []Info{made, made, made}, append(list, got, stat))
		require.Equal(t, "d/a", made.Name)
		_, err = s.PutIfAbsent(ctx, "d/a", nil)
		require.ErrorContains(t, err, "d/a")
		_, err = s.Open(ctx, "d/missing")
		require.ErrorContains(t, err, "d/missing")
	})
}

// The folder of an object may vanish (a vacuum removes empty ones) and is made again.
func TestLocalMakesItsFolderAgain(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := NewLocal(dir)
	require.NoError(t, err)
	require.NoError(t, s.Put(ctx, "d/a", nil))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "d")))
	require.NoError(t, s.Put(ctx, "d/b", nil))
}

// What fails before link(2) certainly did not happen.
func TestLocalFailsForCertainBeforeTheLink(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := NewLocal(dir)
	require.NoError(t, err)
	require.NoError(t, s.Put(ctx, "file", nil))
	_, err = s.PutIfAbsent(ctx, "file/below", nil)
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrUnknown)
	require.NotErrorIs(t, err, ErrExists)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.PutIfAbsent(cancelled, "new", nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Stat(ctx, "new")
	require.ErrorIs(t, err, ErrNotExist)
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
		later   bool // there after the next operation
	}{
		"fail":       {Fail, boom, false},
		"lost reply": {LoseReply, ErrUnknown, true},
		"lost call":  {LoseCall, ErrUnknown, false},
		"late":       {Late, ErrUnknown, true},
		"twice":      {Twice, ErrExists, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMem()
			m.Inject(Meet(Fault{Op: OpPutIfAbsent, Outcome: c.outcome, Err: boom}))
			_, err := m.PutIfAbsent(ctx, "a", []byte("x"))
			require.ErrorIs(t, err, c.want)
			_, err = m.Stat(ctx, "a")
			require.Equal(t, c.later, err == nil)
		})
	}
}

// Which operations a fault meets: put a, put log/1, get a, put log/2, get a.
func TestFaultConditions(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		fault Fault
		met   []int
	}{
		"the first of any":       {Fault{}, []int{0}},
		"the third of any":       {Fault{Nth: 2}, []int{2}},
		"the second read":        {Fault{Op: OpGet, Nth: 1}, []int{4}},
		"by name":                {Fault{Name: "log/*"}, []int{1}},
		"by name, every":         {Fault{Name: "log/*", Every: true}, []int{1, 3}},
		"every write":            {Fault{Writes: true, Every: true}, []int{0, 1, 3}},
		"writes from the second": {Fault{Writes: true, Nth: 1, Every: true}, []int{1, 3}},
		"nothing fits":           {Fault{Op: OpDelete, Every: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMem()
			c.fault.Outcome, c.fault.Err = Fail, boom
			m.Inject(Meet(c.fault))
			put := func(name string) error { return m.Put(ctx, name, nil) }
			get := func() error { _, _, err := m.Get(ctx, "a"); return err }
			var met []int
			for i, err := range []error{put("a"), put("log/1"), get(), put("log/2"), get()} {
				if errors.Is(err, boom) {
					met = append(met, i)
				}
			}
			require.Equal(t, c.met, met)
		})
	}
}

func TestMemShorthands(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	m := NewMem()
	m.FailAt(1, boom)
	require.NoError(t, m.Put(ctx, "a", nil))
	require.ErrorIs(t, m.Put(ctx, "b", nil), boom)
	require.NoError(t, m.Put(ctx, "b", nil))
	require.Equal(t, 3, m.Ops())
	m.FailAppliedAt(0, boom)
	_, err := m.PutIfAbsent(ctx, "c", nil)
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, boom)
	m.FailWrites(boom)
	w, err := m.Create(ctx, "d")
	require.NoError(t, err)
	require.ErrorIs(t, w.Close(), boom)
	require.ErrorIs(t, m.Delete(ctx, "a"), boom)
	_, err = m.Stat(ctx, "c")
	require.NoError(t, err, "reading goes on")
	other := m.Clone()
	require.NoError(t, other.Delete(ctx, "a"))
	_, err = m.Stat(ctx, "a")
	require.NoError(t, err, "a clone is another store")
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
