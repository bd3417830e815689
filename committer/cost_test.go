package committer

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// reads counts the objects that a start reads.
type reads struct {
	store.Store
	names []string
}

func (r *reads) Get(ctx context.Context, name string) ([]byte, store.Info, error) {
	r.names = append(r.names, name)
	return r.Store.Get(ctx, name)
}

func (r *reads) Open(ctx context.Context, name string) (store.Reader, error) {
	r.names = append(r.names, name)
	return r.Store.Open(ctx, name)
}

// commitsOfAge is how many commits make a table old: COMMITS, or fewer than the ten thousand of a long run.
func commitsOfAge(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("COMMITS"))
	if err != nil {
		return int(often(1500))
	}
	t.Logf("%d commits", n)
	return n
}

// What a table costs does not grow with the number of its commits: live files, objects that a start reads, the time of a commit, and how often a
// row is written.
func TestCostOfAnOldTable(t *testing.T) {
	objects, commits := store.NewMem(), commitsOfAge(t)
	o := options(objects, "driver")
	o.Compaction = CompactionPolicy{Files: 12, Inline: true}
	c, err := Open(t.Context(), o)
	require.NoError(t, err)
	took, most := make([]time.Duration, 0, commits), 0
	for range commits {
		start := time.Now()
		require.NoError(t, commitRows(t.Context(), c, position(c), position(c)+3))
		took = append(took, time.Since(start))
		require.NoError(t, c.Maintain(t.Context()))
		files, err := c.live.files(t.Context(), c.base)
		require.NoError(t, err)
		most = max(most, len(files))
	}
	require.LessOrEqual(t, most, 50)
	young, old := median(took[:100]), median(took[commits-100:])
	t.Logf("at most %d live files; a commit took %s at first and %s at last", most, young, old)
	counted := &reads{Store: objects}
	start := time.Now()
	_, err = Open(t.Context(), options(counted, "driver"))
	require.NoError(t, err)
	t.Logf("a start took %s and read %v", time.Since(start), counted.names)
	require.LessOrEqual(t, len(counted.names), 5)
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}
