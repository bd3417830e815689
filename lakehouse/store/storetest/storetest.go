// Package storetest holds what every store promises, as tests: each kind of store runs them.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Run checks the promises; open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for name, check := range map[string]func(t *testing.T, s store.Store){
		"objects appear once and stay":      objectsAppearOnceAndStay,
		"ETag tells a replacement":          etagTellsAReplacement,
		"list is one folder in order":       listIsOneFolderInOrder,
		"walk is all folders below":         walkIsAllFoldersBelow,
		"writer shows nothing before close": writerShowsNothingBeforeClose,
		"abort and delete leave nothing":    abortAndDeleteLeaveNothing,
		"put-if-absent race has one winner": putIfAbsentRaceHasOneWinner,
		"rename moves and may be repeated":  renameMovesAndMayBeRepeated,
		"rename replaces nothing":           renameReplacesNothing,
		"names stay inside":                 namesStayInside,
		"names of all kinds":                namesOfAllKinds,
		"names in answers":                  namesInAnswers,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}

func objectsAppearOnceAndStay(t *testing.T, s store.Store) {
	ctx := context.Background()
	_, _, err := s.Get(ctx, "log/1.json")
	require.ErrorIs(t, err, store.ErrNotExist)
	in, err := s.PutIfAbsent(ctx, "log/1.json", []byte("one"))
	require.NoError(t, err)
	require.EqualValues(t, 3, in.Size)
	_, err = s.PutIfAbsent(ctx, "log/1.json", []byte("two"))
	require.ErrorIs(t, err, store.ErrExists)
	body, again, err := s.Get(ctx, "log/1.json")
	require.NoError(t, err)
	require.Equal(t, "one", string(body))
	require.Equal(t, []any{in.Name, in.Size, in.ETag}, []any{again.Name, again.Size, again.ETag})
}

// An object in the place of another has another ETag, even with the same bytes where the medium can tell; S3 cannot.
func etagTellsAReplacement(t *testing.T, s store.Store) {
	ctx := context.Background()
	content := []byte("same")
	before, err := s.PutIfAbsent(ctx, "a", content)
	require.NoError(t, err)
	if _, ok := s.(*store.S3); ok {
		content = []byte("also")
	}
	require.NoError(t, s.Put(ctx, "a", content))
	after, err := s.Stat(ctx, "a")
	require.NoError(t, err)
	require.NotEqual(t, before.ETag, after.ETag)
}

func listIsOneFolderInOrder(t *testing.T, s store.Store) {
	ctx := context.Background()
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
}

func walkIsAllFoldersBelow(t *testing.T, s store.Store) {
	ctx := context.Background()
	for _, name := range []string{"log/2.json", "log/1.json", "log/deep/er/3.json", "logs.json"} {
		require.NoError(t, s.Put(ctx, name, []byte(name)))
	}
	names := func(s store.Store, folder string) (out []string) {
		require.NoError(t, s.Walk(ctx, folder, func(in store.Info) error {
			require.Positive(t, in.Size)
			out = append(out, in.Name)
			return nil
		}))
		slices.Sort(out)
		return out
	}
	require.Equal(t, []string{"log/1.json", "log/2.json", "log/deep/er/3.json", "logs.json"}, names(s, ""))
	require.Equal(t, []string{"log/1.json", "log/2.json", "log/deep/er/3.json"}, names(s, "log"))
	require.Equal(t, []string{"deep/er/3.json"}, names(store.Sub(s, "log"), "deep"))
	require.Equal(t, []string{"1.json", "2.json", "deep/er/3.json"}, names(store.Sub(s, "log"), ""))
	require.Empty(t, names(s, "missing"))
	enough := errors.New("enough")
	require.ErrorIs(t, s.Walk(ctx, "", func(store.Info) error { return enough }), enough)
}

func writerShowsNothingBeforeClose(t *testing.T, s store.Store) {
	ctx := context.Background()
	w, err := s.Create(ctx, "data/part.parquet")
	require.NoError(t, err)
	_, err = w.Write([]byte("hello"))
	require.NoError(t, err)
	_, err = s.Stat(ctx, "data/part.parquet")
	require.ErrorIs(t, err, store.ErrNotExist)
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
}

func abortAndDeleteLeaveNothing(t *testing.T, s store.Store) {
	ctx := context.Background()
	w, err := s.Create(ctx, "x")
	require.NoError(t, err)
	w.Abort()
	_, err = s.Stat(ctx, "x")
	require.ErrorIs(t, err, store.ErrNotExist)
	require.NoError(t, s.Put(ctx, "y", nil))
	require.NoError(t, s.Delete(ctx, "y"))
	require.NoError(t, s.Delete(ctx, "y"), "deleting what is not there is no error")
}

func putIfAbsentRaceHasOneWinner(t *testing.T, s store.Store) {
	ctx := context.Background()
	for round := range 20 {
		var wins atomic.Int32
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				_, err := s.PutIfAbsent(ctx, fmt.Sprintf("r/%d", round), fmt.Append(nil, i))
				if err == nil {
					wins.Add(1)
				} else if !errors.Is(err, store.ErrExists) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 1, wins.Load())
	}
}

func renameMovesAndMayBeRepeated(t *testing.T, s store.Store) {
	ctx := context.Background()
	const from, to = "staged/a", "day=2026-01-01 00%3A00/ünï é+&#?/a.parquet"
	require.NoError(t, s.Put(ctx, from, []byte("rows")))
	for range 3 {
		require.NoError(t, s.Rename(ctx, from, to))
		body, _, err := s.Get(ctx, to)
		require.NoError(t, err)
		require.Equal(t, "rows", string(body))
		_, err = s.Stat(ctx, from)
		require.ErrorIs(t, err, store.ErrNotExist)
	}
	require.ErrorIs(t, s.Rename(ctx, "staged/none", "none"), store.ErrNotExist)
	_, err := s.Stat(ctx, "none")
	require.ErrorIs(t, err, store.ErrNotExist)
}

// S3 does not look: names are unique by construction.
func renameReplacesNothing(t *testing.T, s store.Store) {
	if _, ok := s.(*store.S3); ok {
		return
	}
	ctx := context.Background()
	require.NoError(t, s.Put(ctx, "a", []byte("ours")))
	require.NoError(t, s.Put(ctx, "d/b", []byte("theirs")))
	require.ErrorIs(t, s.Rename(ctx, "a", "d/b"), store.ErrExists)
	for name, want := range map[string]string{"a": "ours", "d/b": "theirs"} {
		body, _, err := s.Get(ctx, name)
		require.NoError(t, err)
		require.Equal(t, want, string(body))
	}
}

// A name never leads out of the root, whatever the operation.
func namesStayInside(t *testing.T, s store.Store) {
	ctx := context.Background()
	for _, name := range []string{"../x", "/etc/passwd", "a/../../../x", "a/./b", "a//b"} {
		ops := map[string]func() error{
			"put if absent": func() error { _, err := s.PutIfAbsent(ctx, name, nil); return err },
			"put":           func() error { return s.Put(ctx, name, nil) },
			"create":        func() error { _, err := s.Create(ctx, name); return err },
			"get":           func() error { _, _, err := s.Get(ctx, name); return err },
			"open":          func() error { _, err := s.Open(ctx, name); return err },
			"stat":          func() error { _, err := s.Stat(ctx, name); return err },
			"list":          func() error { _, err := s.List(ctx, name, ""); return err },
			"rename":        func() error { return s.Rename(ctx, name, "x") },
			"rename to":     func() error { return s.Rename(ctx, "x", name) },
			"delete":        func() error { return s.Delete(ctx, name) },
		}
		for op, run := range ops {
			require.ErrorContains(t, run(), "is not a relative path", "%s %s", op, name)
		}
	}
}

// Names are relative to the store in all that it tells, and whole in its errors.
func namesInAnswers(t *testing.T, s store.Store) {
	ctx := context.Background()
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
	require.Equal(t, []store.Info{made, made, made}, append(list, got, stat))
	require.Equal(t, "d/a", made.Name)
	_, err = s.PutIfAbsent(ctx, "d/a", nil)
	require.ErrorContains(t, err, "d/a")
	_, err = s.Open(ctx, "d/missing")
	require.ErrorContains(t, err, "d/missing")
}

// Folders and files may bear any characters that a table gives them.
func namesOfAllKinds(t *testing.T, s store.Store) {
	ctx := context.Background()
	for i, base := range []string{"a b", "day=2026-01-01 00%3A00%3A00", "p+q&r=s;t", "'quoted'", "ünï/cödé", "(x)[y]{z}", "a#b?c", "~tilde!$,@", "%", "100%25"} {
		name := fmt.Sprintf("odd%d/%s/x.parquet", i, base)
		body := []byte(name)
		_, err := s.PutIfAbsent(ctx, name, body)
		require.NoError(t, err, name)
		got, in, err := s.Get(ctx, name)
		require.NoError(t, err, name)
		require.Equal(t, name, string(got))
		require.Equal(t, name, in.Name)
		list, err := s.List(ctx, path.Dir(name), "")
		require.NoError(t, err, name)
		require.Len(t, list, 1, name)
		require.Equal(t, name, list[0].Name)
		require.NoError(t, s.Delete(ctx, name))
		_, err = s.Stat(ctx, name)
		require.ErrorIs(t, err, store.ErrNotExist, name)
	}
}
