package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// grouped makes a file of lanes with some values. The function it returns opens it.
func grouped(t *testing.T, groups ...[]int64) func() *Reader {
	schema := columnar.NewSchema(columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "s", Type: columnar.String, Nullable: true})
	objects := store.NewMem()
	w, err := NewWriter(objects, schema, Options{Name: func() string { return "x" }})
	require.NoError(t, err)
	for i, values := range groups {
		texts := make([]string, len(values))
		for k, v := range values {
			texts[k] = fmt.Sprintf("v%04d", v)
		}
		require.NoError(t, w.Write(context.Background(), int64(i), columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(values, nil), columnar.NewStringColumn(texts)}, len(values))))
	}
	_, err = w.Finish(context.Background())
	require.NoError(t, err)
	return func() *Reader {
		in, err := objects.Open(context.Background(), "x")
		require.NoError(t, err)
		r, err := OpenReader(in, schema)
		require.NoError(t, err)
		return r
	}
}

// Row groups are read alone, and the Reader knows where in the file it is.
func TestSelectedRowGroups(t *testing.T) {
	many := func(from int64) (out []int64) {
		for i := range int64(150_000) {
			out = append(out, from+i)
		}
		return out
	}
	open := grouped(t, many(0), many(150_000), many(300_000))
	n := len(open().RowGroups())
	require.Greater(t, n, 1)
	for mask := range 1 << n {
		r := open()
		chosen, rows := []int{}, int64(0)
		for i, g := range r.RowGroups() {
			if mask>>i&1 == 1 {
				chosen, rows = append(chosen, i), rows+g.Rows
			}
		}
		r.Select(chosen)
		for {
			b, err := r.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			require.Equal(t, r.Row(), columnar.Int64At(b.Column(0), 0))
			require.Equal(t, r.Row()+int64(b.Rows())-1, columnar.Int64At(b.Column(0), b.Rows()-1))
			rows -= int64(b.Rows())
			b.Release()
		}
		require.Zero(t, rows)
	}
}

// The bounds of a row group, as the file's statistics have them.
func TestBounds(t *testing.T) {
	r := grouped(t, []int64{5, 3, 9})()
	n, s := r.schema.Fields[0], r.schema.Fields[1]
	for upper, want := range map[bool]int64{false: 3, true: 9} {
		c, ok := r.Bound(0, n, upper)
		require.True(t, ok)
		require.Equal(t, want, columnar.Int64At(c, 0))
		c, ok = r.Bound(0, s, upper)
		require.True(t, ok)
		require.Equal(t, fmt.Sprintf("v%04d", want), columnar.StringAt(c, 0))
	}
	_, ok := r.Bound(0, columnar.Field{Name: "x", Type: columnar.BigInt}, false)
	require.False(t, ok, "no such column")
	_, ok = r.Bound(0, columnar.Field{Name: "n", Type: columnar.String}, false)
	require.False(t, ok, "another type")
	require.True(t, r.Holds("n"))
	require.False(t, r.Holds("x"))
}
