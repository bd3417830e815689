package delta

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

var everyPartition = columnar.NewSchema(field("id", columnar.Int), field("s", columnar.String), field("b", columnar.Boolean), field("t", columnar.TinyInt), field("d", columnar.Decimal(5, 2)),
	field("x", columnar.Double), field("day", columnar.Date), field("ts", columnar.Timestamp), field("ntz", columnar.TimestampNTZ))

func everyPartitionRows(t *testing.T) *columnar.Batch {
	rows := []string{
		`{"id":1,"s":"a b/c=d%e:fé","b":true,"t":1,"d":"1.50","x":1,"day":"2024-01-02","ts":"2024-01-02 03:04:05.678901","ntz":"2024-01-02 03:04:05.6"}`,
		`{"id":2,"s":"","b":false,"t":-1,"d":"-0.05","x":1e30,"day":"1969-12-31","ts":"1969-12-31 23:59:59","ntz":"1969-12-31 23:59:59"}`,
		`{"id":3,"s":null,"b":null,"t":null,"d":null,"x":null,"day":null,"ts":null,"ntz":null}`,
		`{"id":4,"s":null,"b":null,"t":null,"d":null,"x":null,"day":null,"ts":null,"ntz":null}`,
		`{"id":5,"s":"` + strings.Repeat("long ", 100) + `","b":true,"t":1,"d":"1.50","x":0.1,"day":"2024-01-02","ts":"2024-01-02 00:00:00","ntz":"2024-01-02 00:00:00"}`,
	}
	typ := columnar.Struct(everyPartition.Fields...)
	c, _, err := array.FromJSON(memory.DefaultAllocator, typ.Arrow(), strings.NewReader("["+strings.Join(rows, ",")+"]"))
	require.NoError(t, err)
	defer c.Release()
	cols := make([]columnar.Column, everyPartition.Len())
	for i := range cols {
		cols[i] = c.(*array.Struct).Field(i)
		cols[i].Retain()
	}
	return columnar.NewBatch(everyPartition, cols, len(rows))
}

// Partition values of each type go to the log and to the names of folders, and come back; "" becomes NULL, as in Spark.
func TestPartitionedTable(t *testing.T) {
	ctx := context.Background()
	objects := store.NewMem()
	tab := open(objects)
	base, err := tab.Snapshot(ctx)
	require.NoError(t, err)
	by := []string{"s", "b", "t", "d", "x", "day", "ts", "ntz"}
	w, err := tab.Stage(ctx, everyPartition, lakehouse.WriteOptions{Prefix: "part", PartitionBy: by})
	require.NoError(t, err)
	b := everyPartitionRows(t)
	defer b.Release()
	require.NoError(t, w.Write(ctx, 0, b))
	files, err := w.Finish(ctx)
	require.NoError(t, err)
	require.Len(t, files, 4)
	folders := make([]string, len(files))
	for i, f := range files {
		folders[i] = f.Path[:strings.LastIndex(f.Path, "/")]
		require.Contains(t, f.Stats, `"nullCount":{"id":0}`)
	}
	slices.Sort(folders)
	null := partition.Null
	require.Equal(t, "s="+null+"/b="+null+"/t="+null+"/d="+null+"/x="+null+"/day="+null+"/ts="+null+"/ntz="+null, folders[0])
	require.Equal(t, "s="+null+"/b=false/t=-1/d=-0.05/x=1e+30/day=1969-12-31/ts=1969-12-31T23%3A59%3A59.000Z/ntz=1969-12-31 23%3A59%3A59.000", folders[1])
	require.Equal(t, "s=a b%2Fc%3Dd%25e%3Afé/b=true/t=1/d=1.50/x=1/day=2024-01-02/ts=2024-01-02T03%3A04%3A05.678901Z/ntz=2024-01-02 03%3A04%3A05.600", folders[2])
	require.Regexp(t, `^s=(long ){39}lon~[0-9a-f]{16}/b=true/`, folders[3])
	c := change(0, files)
	c.Create = &lakehouse.Creation{ID: "x", Schema: everyPartition, PartitionBy: by}
	_, err = tab.Commit(ctx, base, c)
	require.NoError(t, err)

	again := open(objects)
	snap, err := again.Snapshot(ctx)
	require.NoError(t, err)
	require.NoError(t, snap.Unusable)
	require.Equal(t, by, snap.PartitionBy)
	got, want := scan(t, again, snap), []string(nil)
	for i := range b.Rows() {
		want = append(want, strings.Replace(string(columnar.AppendRowJSON(nil, b, i)), `"s":""`, `"s":null`, 1))
	}
	slices.Sort(got)
	require.Equal(t, want, got)

	require.NoError(t, again.checkpoint(ctx, snap, 0))
	body, _, err := objects.Get(ctx, checkpointName(0))
	require.NoError(t, err)
	rows, err := parquet.Read[struct {
		Add *struct {
			PartitionValues map[string]*string `parquet:"partitionValues"`
		} `parquet:"add"`
	}](bytes.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	nulls := 0
	for _, r := range rows {
		if r.Add == nil {
			continue
		}
		for _, v := range r.Add.PartitionValues {
			if v == nil {
				nulls++
			}
		}
	}
	require.Equal(t, 9, nulls, "NULL, not an empty text: Spark would read that as a number")
}
