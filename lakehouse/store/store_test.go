package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

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
