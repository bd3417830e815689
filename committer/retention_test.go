package committer

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// A state file goes with the last record that names it, also where a restart has forgotten what older records name.
func TestStateFilesGoWithTheirRecords(t *testing.T) {
	objects, c := store.NewMem(), &clock{}
	objects.SetClock(func() int64 { return c.now().UnixMilli() })
	o := options(objects, "driver")
	o.Now, o.RetainCommits, o.RetainFor = c.now, 3, time.Minute
	// Commit i writes file i and names the newest two files and file 0.
	name := func(i int64) string { return fmt.Sprintf("_lakewheel/p/state/%d.arrow", i) }
	for i := range int64(12) {
		driver, err := Open(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, o.Objects.Put(t.Context(), name(i), []byte{byte(i)}))
		files := []StateFile{{Path: name(0)}}
		for k := max(1, i-1); k <= i; k++ {
			files = append(files, StateFile{Path: name(k)})
		}
		_, err = driver.Commit(t.Context(), Batch{First: i, Last: i, Sources: progressAt(i + 1), State: files})
		require.NoError(t, err)
		c.millis.Add(time.Hour.Milliseconds())
		require.NoError(t, driver.Maintain(t.Context()))
		newest := driver.Last()
		for _, f := range newest.State {
			_, _, err := o.Objects.Get(t.Context(), f.Path)
			require.NoError(t, err, "commit %d names %s", i, f.Path)
		}
	}
	list, err := o.Objects.List(t.Context(), "_lakewheel/p/state", "")
	require.NoError(t, err)
	require.Less(t, len(list), 8, "old files are gone")
	require.Equal(t, name(0), list[0].Name, "the oldest is still named")
}

// A record that cannot be read might name any file: nothing is removed.
func TestDamagedRecordKeepsStateFiles(t *testing.T) {
	objects, c := store.NewMem(), &clock{}
	objects.SetClock(func() int64 { return c.now().UnixMilli() })
	o := options(objects, "driver")
	o.Now, o.RetainCommits, o.RetainFor = c.now, 1, time.Minute
	driver, err := Open(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, o.Objects.Put(t.Context(), "_lakewheel/p/state/a.arrow", nil))
	_, err = driver.Commit(t.Context(), Batch{Sources: progressAt(1), State: []StateFile{{Path: "_lakewheel/p/state/a.arrow"}}})
	require.NoError(t, err)
	require.NoError(t, o.Objects.Put(t.Context(), recordName("p", 1<<40), []byte("{")))
	driver, err = Open(t.Context(), o)
	require.NoError(t, err)
	c.millis.Add(time.Hour.Milliseconds())
	_, err = driver.Commit(t.Context(), Batch{First: 1, Last: 1, Sources: progressAt(2)})
	require.NoError(t, err)
	require.Error(t, driver.Maintain(t.Context()))
	_, _, err = o.Objects.Get(t.Context(), "_lakewheel/p/state/a.arrow")
	require.NoError(t, err)
}
