package committer

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/parquetdir"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// globbed are the files that a glob over **/*.parquet of a folder finds, hidden folders included, by slash-separated path.
func globbed(t *testing.T, dir string) (out []string) {
	require.NoError(t, filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !e.IsDir() && strings.HasSuffix(file, ".parquet") {
			name, err := filepath.Rel(dir, file)
			require.NoError(t, err)
			out = append(out, filepath.ToSlash(name))
		}
		return err
	}))
	return out
}

// wholeFile reads a file whole.
func wholeFile(t *testing.T, objects store.Store, name string) (n int64) {
	f, err := objects.Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close()
	r, err := parquetfile.OpenReader(f, rowSchema)
	require.NoError(t, err)
	defer r.Close()
	for {
		b, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return n
		}
		require.NoError(t, err)
		n += int64(b.Rows())
		b.Release()
	}
}

// readers look at a folder until they are stopped: each file that a glob finds reads whole, and the log, read later, names it.
func readers(t *testing.T, dir string, stop *atomic.Bool) (looks int) {
	disk, err := store.NewLocal(dir)
	require.NoError(t, err)
	for ; !stop.Load(); looks++ {
		rows := map[string]int64{}
		for _, name := range globbed(t, dir) {
			rows[name] = wholeFile(t, disk, name)
		}
		table := parquetdir.Open(disk, "p", "", nil)
		snap, err := table.Snapshot(t.Context())
		require.NoError(t, err)
		files, err := table.Files(t.Context(), snap)
		require.NoError(t, err)
		committed := map[string]int64{}
		for _, f := range files {
			committed[f.Path] = f.Rows
		}
		for name, n := range rows {
			want, ok := committed[name]
			require.True(t, ok, "%s is visible and not committed", name)
			require.Equal(t, want, n, name)
		}
	}
	return looks
}

// While batches commit and processes die at each of their writes, a reader that never stops sees committed rows alone, and whole files.
func TestReadersOfPlainFilesSeeCommittedRowsAlone(t *testing.T) {
	format = plainFormat
	defer func() { format = deltaFormat }()
	root := t.TempDir()
	var stop atomic.Bool
	var group sync.WaitGroup
	for _, table := range []string{"t", "dead"} {
		group.Go(func() { t.Logf("%d looks at %s", readers(t, filepath.Join(root, table), &stop), table) })
	}
	disk, err := store.NewLocal(root)
	require.NoError(t, err)
	goal := int64(0)
	for k := 0; ; k++ {
		left := k
		goal += 6
		if err := runTo(t.Context(), dying{disk, &left}, goal); err == nil {
			break
		} else {
			require.ErrorIs(t, err, errDead)
		}
	}
	require.NoError(t, runTo(t.Context(), disk, goal))
	stop.Store(true)
	group.Wait()
	requireOnce(t, disk, goal, 3)
}
