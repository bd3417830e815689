package delta

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Bounds are read once, as long as they are asked for now and then; other columns have bounds of their own.
func TestKnownBounds(t *testing.T) {
	tab, reads := open(store.NewMem()), 0
	of := func(k *knownBounds, path string) {
		k.of(lakehouse.DataFile{Path: path}, func() []group.Bounds { reads++; return nil })
	}
	k := tab.boundsBy([]string{"a"})
	of(k, "f")
	of(k, "f")
	require.Equal(t, 1, reads)
	for i := range maxRecent {
		of(k, fmt.Sprint(i))
	}
	of(tab.boundsBy([]string{"a"}), "f")
	require.Equal(t, 1+maxRecent, reads, "f was asked for not long ago")
	for i := range 2 * maxRecent {
		of(k, fmt.Sprint("other", i))
	}
	of(k, "f")
	require.Equal(t, 2+3*maxRecent, reads, "f was forgotten")
	require.LessOrEqual(t, len(k.recent)+len(k.old), 2*maxRecent)
	require.NotSame(t, k, tab.boundsBy([]string{"b"}))
}
