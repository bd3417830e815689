package store_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/lakehouse/store/storetest"
)

// Every store keeps the same promises.
func TestPromises(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) store.Store{
		"memory":         func(*testing.T) store.Store { return store.NewMem() },
		"below a folder": func(*testing.T) store.Store { return store.Sub(store.NewMem(), "a/b") },
		"S3":             store.OpenFakeS3,
		"local": func(t *testing.T) store.Store {
			s, err := store.NewLocal(filepath.Join(t.TempDir(), "not", "made", "yet"))
			require.NoError(t, err)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) { storetest.Run(t, open) })
	}
}
