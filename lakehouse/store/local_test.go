package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Links to folders that stand for the root, and links to files, are followed, as where a file is made visible by a link that is moved.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "real", "..data"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real", "..data", "a.json"), []byte("{}"), 0o644))
	require.NoError(t, os.Symlink(filepath.Join("..data", "a.json"), filepath.Join(dir, "real", "a.json")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "real", "dangling.json")))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	s, err := store.NewLocal(filepath.Join(dir, "link"))
	require.NoError(t, err)
	var names []string
	require.NoError(t, s.Walk(t.Context(), "", func(in store.Info) error { names = append(names, in.Name); return nil }))
	require.ElementsMatch(t, []string{"..data/a.json", "a.json"}, names)
	body, _, err := s.Get(t.Context(), names[0])
	require.NoError(t, err)
	require.Equal(t, "{}", string(body))
}
