package delta

import (
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
)

// knownBounds remembers what the statistics of files say of some key columns: they are asked at every commit, and to read them takes
// much longer than to ask. What was not asked for a while is forgotten.
type knownBounds struct {
	columns []string

	mu          sync.Mutex                // guards what follows
	recent, old map[string][]group.Bounds // by path
}

// maxRecent is how many files are remembered; up to twice as many are.
const maxRecent = 1 << 16

// boundsBy is what is known of some columns; other columns begin anew.
func (t *Table) boundsBy(columns []string) *knownBounds {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bounds == nil || !slices.Equal(t.bounds.columns, columns) {
		t.bounds = &knownBounds{columns: slices.Clone(columns), recent: map[string][]group.Bounds{}}
	}
	return t.bounds
}

// of is what is known of a file, or else what read says. A file with that path never changes.
func (k *knownBounds) of(f lakehouse.DataFile, read func() []group.Bounds) []group.Bounds {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.recent[f.Path]
	if ok {
		return b
	}
	if b, ok = k.old[f.Path]; !ok {
		b = read()
	}
	if len(k.recent) == maxRecent {
		k.recent, k.old = map[string][]group.Bounds{}, k.recent
	}
	k.recent[f.Path] = b
	return b
}
