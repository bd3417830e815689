package partition

import (
	"context"
	"errors"
	"io"
	"path"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Many partitions, lanes and goroutines on few open writers: no row is lost or doubled, and each file holds one partition.
func TestManyPartitions(t *testing.T) {
	ctx, objects := context.Background(), store.NewMem()
	schema := columnar.NewSchema(field("n", columnar.BigInt), field("k", columnar.BigInt))
	ids := 0
	s, err := NewWriter(schema, Options{Objects: objects, By: []string{"k"}, Finish: finish, Names: func(values map[string]*string) (func() string, error) {
		ids++
		return Numbered(path.Join(Folder([]string{"k"}, values), "f"+string(rune('a'+ids%26))+string(rune('a'+ids/26%26))+string(rune('a'+ids/676))), ".parquet"), nil
	}})
	require.NoError(t, err)
	s.maxOpen, s.maxBytes = 5, 4<<10
	var group sync.WaitGroup
	for lane := range int64(4) {
		group.Go(func() {
			for i := range int64(50) {
				n, k := make([]int64, 40), make([]int64, 40)
				for j := range n {
					n[j], k[j] = lane*10_000+i*40+int64(j), (i*7+int64(j))%20
				}
				b := columnar.NewBatch(schema, []columnar.Column{columnar.NewInt64Column(n, nil), columnar.NewInt64Column(k, nil)}, len(n))
				require.NoError(t, s.Write(ctx, lane, b))
				b.Release()
			}
		})
	}
	group.Wait()
	require.LessOrEqual(t, len(s.open), 5)
	require.LessOrEqual(t, s.held, int64(4<<10))
	files, err := s.Finish(ctx)
	require.NoError(t, err)
	seen := map[int64]int64{}
	for _, f := range files {
		scan(t, objects, f, schema, func(n, k int64) { seen[n] = k })
	}
	require.Len(t, seen, 4*50*40)
	for n, k := range seen {
		i, j := n%10_000/40, n%40
		require.Equal(t, (i*7+j)%20, k, "row %d", n)
	}
	s.Abort()
}

func finish(ctx context.Context, w *parquetfile.Writer, _ *columnar.Schema, values map[string]*string) (out []lakehouse.DataFile, err error) {
	files, err := w.Finish(ctx)
	for _, f := range files {
		out = append(out, lakehouse.DataFile{Path: f.Name, Rows: f.Rows, Bytes: f.Bytes, Partition: values})
	}
	return out, err
}

// scan reads a file with its partition columns.
func scan(t *testing.T, objects store.Store, file lakehouse.DataFile, schema *columnar.Schema, fn func(n, k int64)) {
	c, err := NewColumns(schema, []string{"k"}, file.Partition)
	require.NoError(t, err)
	f, err := objects.Open(t.Context(), file.Path)
	require.NoError(t, err)
	r, err := parquetfile.OpenReader(f, c.InFile)
	require.NoError(t, err)
	for {
		b, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		full := c.Fill(b)
		b.Release()
		for i := range full.Rows() {
			fn(columnar.Int64At(full.Column(0), i), columnar.Int64At(full.Column(1), i))
		}
		full.Release()
	}
}
