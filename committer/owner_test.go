package committer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// carryFolder copies a folder, but for what lies below some names in it.
func carryFolder(t *testing.T, from, to *store.Mem, source, target string, but ...string) {
	err := from.Walk(t.Context(), source, func(in store.Info) error {
		rest := strings.TrimPrefix(in.Name, source+"/")
		for _, name := range but {
			if strings.HasPrefix(rest, name+"/") {
				return nil
			}
		}
		body, _, err := from.Get(t.Context(), in.Name)
		require.NoError(t, err)
		return to.Put(t.Context(), target+"/"+rest, body)
	})
	require.NoError(t, err)
}

// at gives a driver a table in another place.
func at(objects store.Store, table, side string) Options {
	o := options(objects, "driver")
	o.Objects, o.Table = store.Sub(objects, table), delta.Open(store.Sub(objects, table), o.NewID)
	o.Side = map[string]SideTable{"dead_letter": {Table: delta.Open(store.Sub(objects, side), o.NewID), Schema: rowSchema}}
	return o
}

// A table that was moved or copied with all that belongs to it goes on there. Without its _lakewheel it has lost its position; without the side table whose
// rows may still be due it is refused.
func TestMovedTable(t *testing.T) {
	made := store.NewMem()
	require.NoError(t, runTo(t.Context(), made, 12))
	for name, c := range map[string]struct {
		but     []string
		side    bool
		err     error
		message string
	}{
		"with all that belongs to it": {nil, true, nil, ""},
		"without _lakewheel":          {[]string{"_lakewheel"}, true, ErrPositionLost, "restore the folder _lakewheel"},
		"without its side table":      {nil, false, ErrRefused, "move that table along"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := store.NewMem()
			carryFolder(t, made, objects, "t", "moved", c.but...)
			if c.side {
				carryFolder(t, made, objects, "dead", "moved_dead")
			}
			driver, err := Open(t.Context(), at(objects, "moved", "moved_dead"))
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
				require.ErrorContains(t, err, c.message)
				return
			}
			require.NoError(t, err)
			require.NoError(t, commitRows(t.Context(), driver, position(driver), 15))
			require.Len(t, ids(t, objects, "moved"), 15)
			require.Len(t, ids(t, objects, "moved_dead"), 5)
		})
	}
}

// Two pipelines fill one table, in turns and at once: each keeps its own position, and each row is there once. Their files stay apart when they are merged.
func TestTwoPipelinesOneTable(t *testing.T) {
	objects := store.NewMem()
	second := named(options(objects, "q"), objects, "q", "")
	second.Side = nil
	first := options(objects, "p")
	first.Side = nil
	_, err := Open(t.Context(), first)
	require.NoError(t, err)
	_, err = Open(t.Context(), second)
	require.ErrorIs(t, err, ErrRefused, "a pipeline adds to the table of another only if it says so")
	second.Append = true
	a, err := Open(t.Context(), first)
	require.NoError(t, err)
	b, err := Open(t.Context(), second)
	require.NoError(t, err)
	batch := func(c *Committer, from int64) {
		out, err := c.NewOutput(t.Context())
		require.NoError(t, err)
		require.NoError(t, writeIDs([]int64{from, from + 1, from + 2}, func(rows *columnar.Batch) error { return out.Write(t.Context(), 0, rows) }))
		last := c.Last().LastBatch + 1
		_, err = c.Commit(t.Context(), Batch{First: last, Last: last, Sources: progressAt(position(c) + 3), Output: out})
		require.NoError(t, err)
		require.NoError(t, c.Maintain(t.Context()))
	}
	for i := range int64(10) {
		batch(a, 3*i)
		batch(b, 1000+3*i)
	}
	rows := ids(t, objects, "t")
	require.Len(t, rows, 60)
	for id, times := range rows {
		require.Equal(t, 1, times, "id %d", id)
	}
	require.EqualValues(t, []int64{30, 30}, []int64{position(a), position(b)})
	for _, f := range liveFiles(t, objects) {
		require.True(t, bears(f.Path, "p") != bears(f.Path, "q"), f.Path)
	}
}

// A table that another program made takes our rows if its schema does: by name, whatever the order, in its own spelling.
func TestTableOfAnotherProgram(t *testing.T) {
	field := func(name string, t columnar.Type) columnar.Field {
		return columnar.Field{Name: name, Type: t, Nullable: true}
	}
	for name, c := range map[string]struct {
		schema  *columnar.Schema
		message string
	}{
		"the same columns":          {columnar.NewSchema(field("id", columnar.BigInt)), ""},
		"columns in another case":   {columnar.NewSchema(field("ID", columnar.BigInt)), "column id is spelt ID in the table"},
		"columns that we lack":      {columnar.NewSchema(field("x", columnar.String), field("id", columnar.BigInt)), "the query gives no column x"},
		"columns of another type":   {columnar.NewSchema(field("id", columnar.Int)), "column id is INT in the table and BIGINT in the query"},
		"columns that are not ours": {columnar.NewSchema(field("other", columnar.BigInt)), "the table has no column id"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := store.NewMem()
			d := delta.Open(store.Sub(objects, "t"), nil)
			_, err := d.Commit(t.Context(), lakehouse.Snapshot{Version: -1}, lakehouse.Change{Time: 1, Operation: "CREATE TABLE", Create: &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: c.schema}})
			require.NoError(t, err)
			_, err = Open(t.Context(), options(objects, "driver"))
			if c.message != "" {
				require.ErrorIs(t, err, ErrRefused)
				require.ErrorContains(t, err, c.message)
				return
			}
			require.NoError(t, err)
		})
	}
}

// A side table that was removed, or put back from an older copy, while its newest rows may be due: their files are gone with it, so that a log entry would
// name what is not there. It is refused until it is back, or the loss accepted.
func TestLostSideTable(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 6))
	older := objects.Clone()
	require.NoError(t, runTo(t.Context(), objects, 9))
	for name, restore := range map[string]func(o *store.Mem){
		"removed":                   func(*store.Mem) {},
		"put back from an old copy": func(o *store.Mem) { carryFolder(t, older, o, "dead", "dead") },
	} {
		t.Run(name, func(t *testing.T) {
			damaged := store.NewMem()
			carryFolder(t, objects, damaged, "t", "t")
			restore(damaged)
			o := options(damaged, "driver")
			o.Bounded = true
			_, err := Open(t.Context(), o)
			require.ErrorIs(t, err, ErrPositionLost)
			require.ErrorContains(t, err, "--accept-loss")
			o = options(damaged, "driver")
			o.AcceptLoss = true
			c, err := Open(t.Context(), o)
			require.NoError(t, err)
			require.NoError(t, commitRows(t.Context(), c, 9, 12))
			require.Len(t, ids(t, damaged, "t"), 12)
			require.Contains(t, ids(t, damaged, "dead"), int64(-10), "the table can be read, and has the new rows")
		})
	}
}

// A loss that was accepted is said in the table at once, also by a run that finds nothing to do.
func TestAcceptedLossStays(t *testing.T) {
	objects := store.NewMem()
	require.NoError(t, runTo(t.Context(), objects, 6))
	d := delta.Open(store.Sub(objects, "t"), nil)
	snap, err := d.Snapshot(t.Context())
	require.NoError(t, err)
	_, err = d.Commit(t.Context(), snap, lakehouse.Change{Time: serial.Add(1), Operation: "RESTORE", DataChange: true, Remove: liveFiles(t, objects)[:1]})
	require.NoError(t, err)
	_, err = Open(t.Context(), boundedOptions(objects))
	require.ErrorIs(t, err, ErrPositionLost)
	accepting := boundedOptions(objects)
	accepting.AcceptLoss = true
	_, err = Open(t.Context(), accepting)
	require.NoError(t, err)
	_, err = Open(t.Context(), boundedOptions(objects))
	require.NoError(t, err)
}

// Plain files and a Delta table do not share a folder.
func TestDeltaAmongPlainFiles(t *testing.T) {
	objects := store.NewMem()
	defer func() { format = deltaFormat }()
	format = plainFormat
	require.NoError(t, runTo(t.Context(), objects, 6))
	format = deltaFormat
	_, err := Open(t.Context(), named(options(objects, "driver"), objects, "q", ""))
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "plain Parquet files of p")
}
