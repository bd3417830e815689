package state

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// A commit after every run: files are merged as a binary counter counts.
func TestLogCounts(t *testing.T) {
	l := NewLog(nil)
	for run := int64(1); run <= 1000; run++ {
		after, keep := l.Next()
		l.Add(fmt.Sprint(run), after, keep, run)
		require.Len(t, l.Names(), bits.OnesCount64(uint64(run)), "after run %d", run)
		requireCovered(t, l, run)
	}
}

// requireCovered asserts that the files hold every run from 1 on, each once.
func requireCovered(t *testing.T, l *Log, run int64) {
	until := int64(0)
	for i, f := range l.files {
		require.Equal(t, until, f.after, "file %d", i)
		until = run
		if i+1 < len(l.files) {
			until = l.files[i+1].after
		}
	}
	require.Equal(t, run, until)
}

// What a restore found stays until everything is written anew, and no record ever names more files than it may.
func TestLogAfterRestore(t *testing.T) {
	for _, found := range []int{0, 1, 5, mostFiles - 1, mostFiles, mostFiles + 5} {
		names := make([]string, found)
		for i := range names {
			names[i] = fmt.Sprintf("old%d", i)
		}
		l := NewLog(names)
		whole := false
		for run := int64(1); run <= 300; run++ {
			after, keep := l.Next()
			whole = whole || after < 0
			l.Add(fmt.Sprint(run), after, keep, run)
			require.LessOrEqual(t, len(l.Names()), max(mostFiles, 1))
			if !whole {
				require.Equal(t, names, l.Names()[:found])
			}
		}
	}
}

// A commit without changes, one that holds everything, and one of empty state.
func TestLogShortcuts(t *testing.T) {
	l := NewLog([]string{"old"})
	after, keep := l.Next()
	l.Add("a", after, keep, 1)
	l.Saved(2)
	after, _ = l.Next()
	require.EqualValues(t, 0, after, "merged with a, which holds what changed from the start on")
	l.Add("all", -1, 0, 3)
	require.Equal(t, []string{"all"}, l.Names())
	after, keep = l.Next()
	require.EqualValues(t, 3, after)
	l.Add("b", after, keep, 4)
	require.Equal(t, []string{"all", "b"}, l.Names())
	l.Drop(5)
	require.Empty(t, l.Names())
	after, _ = l.Next()
	require.EqualValues(t, 5, after)
}
