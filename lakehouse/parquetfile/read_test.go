package parquetfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func foreign(t testing.TB, name string) *store.Mem {
	body, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	s := store.NewMem()
	require.NoError(t, s.Put(context.Background(), name, body))
	return s
}

// Files of other writers: as Spark writes them (INT96, decimals in byte arrays, snappy); other timestamp units, decimals as integers, gzip,
// version 2 pages, several row groups; DuckDB with its unsigned integers.
func TestForeignFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"int96.parquet": {
			`{"b":true,"i8":1,"i16":1,"i32":1,"i64":1,"f":1.5,"d":1.5,"dec9":"1.25","dec18":"1.25","dec38":"12345678901234567890.25","s":"a","bin":"00ff","day":"2024-01-02","ts":"2024-01-02T03:04:05.678901Z"}`,
			`{"b":null,"i8":null,"i16":null,"i32":null,"i64":null,"f":null,"d":null,"dec9":null,"dec18":null,"dec38":null,"s":null,"bin":null,"day":null,"ts":null}`,
			`{"b":false,"i8":-128,"i16":-32768,"i32":-2147483648,"i64":-9223372036854775808,"f":"-Infinity","d":-0.25,"dec9":"-99.99","dec18":"-99.99","dec38":"-1.00","s":"é","bin":"","day":"1969-12-31","ts":"1969-12-31T23:59:59.999999Z"}`,
		},
		"units.parquet": {
			`{"ms":"2024-01-02T03:04:05.678Z","ns":"2024-01-02T03:04:05.678901Z","dec9":"1.25","dec18":"1.25","s":"a"}`,
			`{"ms":null,"ns":null,"dec9":null,"dec18":null,"s":null}`,
			`{"ms":"1969-12-31T23:59:59.999Z","ns":"1969-12-31T23:59:59.999999Z","dec9":"-99.99","dec18":"-99.99","s":"é"}`,
		},
		"duckdb.parquet": {
			`{"b":true,"i8":null,"u8":0,"u16":0,"u32":0,"s":null,"d20":"-1.000","day":"2024-01-01","ts":"2024-01-01T00:00:00.000001","tz":"2024-01-01T00:00:00.000Z","f":0}`,
			`{"b":false,"i8":1,"u8":1,"u16":300,"u32":2000000000,"s":"v1","d20":"0.000","day":"2024-01-02","ts":"2024-01-01T00:00:01.000001","tz":"2024-01-01T00:00:00.000Z","f":1}`,
			`{"b":true,"i8":2,"u8":2,"u16":600,"u32":4000000000,"s":"v0","d20":"1.000","day":"2024-01-03","ts":"2024-01-01T00:00:02.000001","tz":"2024-01-01T00:00:00.000Z","f":2}`,
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, want, readAll(t, foreign(t, name), name, nil)) })
	}
}

// A wanted schema may leave out, reorder, widen and add columns; a value is never bent.
func TestReadAs(t *testing.T) {
	s := foreign(t, "int96.parquet")
	schema := columnar.NewSchema(
		columnar.Field{Name: "new", Type: columnar.Decimal(5, 1), Nullable: true},
		columnar.Field{Name: "f", Type: columnar.Double, Nullable: true},
		columnar.Field{Name: "i8", Type: columnar.BigInt, Nullable: true},
		columnar.Field{Name: "dec9", Type: columnar.Decimal(20, 2), Nullable: true},
	)
	require.Equal(t, []string{`{"new":null,"f":1.5,"i8":1,"dec9":"1.25"}`, `{"new":null,"f":null,"i8":null,"dec9":null}`, `{"new":null,"f":"-Infinity","i8":-128,"dec9":"-99.99"}`},
		readAll(t, s, "int96.parquet", schema))
	for want, f := range map[string]columnar.Field{
		"column i64: it is INT here, and BIGINT in the file":        {Name: "i64", Type: columnar.Int},
		"column dec9: it is DECIMAL(9,3) here, and DECIMAL(9,2)":    {Name: "dec9", Type: columnar.Decimal(9, 3)},
		"column s: it is BIGINT here, and STRING in the file":       {Name: "s", Type: columnar.BigInt},
		"column d: it is FLOAT here, and DOUBLE in the file":        {Name: "d", Type: columnar.Float},
		"column day: it is TIMESTAMP here, and DATE in the file":    {Name: "day", Type: columnar.Timestamp},
		"column dec38: it is DECIMAL(37,2) here, and DECIMAL(38,2)": {Name: "dec38", Type: columnar.Decimal(37, 2)},
	} {
		f.Nullable = true
		file, err := s.Open(context.Background(), "int96.parquet")
		require.NoError(t, err)
		r, err := OpenReader(file, columnar.NewSchema(f))
		require.NoError(t, err)
		_, err = r.Next(context.Background())
		require.ErrorContains(t, err, want)
		r.Close()
	}
}

type bytesReader struct{ *bytes.Reader }

func (bytesReader) Close() error { return nil }

// readSome reads bytes as a file, and some batches of it.
func readSome(body []byte) error {
	r, err := OpenReader(bytesReader{bytes.NewReader(body)}, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	for range 20 {
		b, err := r.Next(context.Background())
		if err != nil {
			return err
		}
		b.Release()
	}
	return nil
}

func smallFile(t testing.TB) []byte {
	s := store.NewMem()
	w := newTestWriter(t, s, everyType, 0)
	b := randomBatch(rand.New(rand.NewPCG(1, 2)), 50, 0.3)
	defer b.Release()
	require.NoError(t, w.Write(context.Background(), 0, b))
	files, err := w.Finish(context.Background())
	require.NoError(t, err)
	body, _, err := s.Get(context.Background(), files[0].Name)
	require.NoError(t, err)
	return body
}

// A file cut anywhere is an error that says so.
func TestTruncatedFile(t *testing.T) {
	body := smallFile(t)
	for n := range body {
		require.ErrorIs(t, readSome(body[:n]), ErrDamaged)
	}
}

// A footer may claim any length: no room is made for it.
func TestFooterLength(t *testing.T) {
	body := smallFile(t)
	copy(body[len(body)-8:], []byte{0xff, 0xff, 0xff, 0xff})
	require.ErrorContains(t, readSome(body), "its footer is said to have 4294967295 of its")
}

// The bytes of a file come from outside: damage is an error, never a panic.
func FuzzForeignFile(f *testing.F) {
	names, err := filepath.Glob("testdata/*.parquet")
	require.NoError(f, err)
	for _, name := range names {
		body, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Add(smallFile(f))
	f.Fuzz(func(_ *testing.T, body []byte) { _ = readSome(body) })
}

// eventBatch looks like the events of the benchmarks: 8 columns, a unique text and one of 200.
func eventBatch(rows int) *columnar.Batch {
	rng := rand.New(rand.NewPCG(1, 1))
	var names []columnar.Field
	var cols []columnar.Column
	add := func(name string, typ columnar.Type, value func(b array.Builder, i int)) {
		b := array.NewBuilder(memory.DefaultAllocator, typ.Arrow())
		defer b.Release()
		for i := range rows {
			if i%10 == 3 {
				b.AppendNull()
			} else {
				value(b, i)
			}
		}
		names, cols = append(names, columnar.Field{Name: name, Type: typ, Nullable: true}), append(cols, b.NewArray())
	}
	add("id", columnar.String, func(b array.Builder, i int) { b.(*array.StringBuilder).Append(words(i) + words(i+1)) })
	add("page", columnar.String, func(b array.Builder, _ int) { b.(*array.StringBuilder).Append(words(rng.IntN(200))) })
	for _, t := range []columnar.Type{columnar.Timestamp, columnar.BigInt, columnar.Double, columnar.Decimal(12, 2), columnar.Int, columnar.Boolean} {
		add("c_"+t.Kind.String(), t, func(b array.Builder, _ int) { appendRandom(rng, b, t) })
	}
	return columnar.NewBatch(columnar.NewSchema(names...), cols, rows)
}

func BenchmarkWrite(b *testing.B) {
	batch := eventBatch(groupRows)
	defer batch.Release()
	b.ReportAllocs()
	b.SetBytes(batch.Bytes())
	for b.Loop() {
		w := newTestWriter(b, store.NewMem(), batch.Schema(), 0)
		require.NoError(b, w.Write(context.Background(), 0, batch))
		_, err := w.Finish(context.Background())
		require.NoError(b, err)
	}
	b.ReportMetric(float64(batch.Rows()*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRead(b *testing.B) {
	batch := eventBatch(groupRows)
	defer batch.Release()
	benchmarkRead(b, batch, batch.Bytes())
}

// benchmarkRead reads a file of one batch, size bytes in memory, again and again.
func benchmarkRead(b *testing.B, batch *columnar.Batch, size int64) {
	ctx := context.Background()
	s := store.NewMem()
	w := newTestWriter(b, s, batch.Schema(), 0)
	require.NoError(b, w.Write(ctx, 0, batch))
	files, err := w.Finish(ctx)
	require.NoError(b, err)
	f, err := s.Open(ctx, files[0].Name)
	require.NoError(b, err)
	b.ReportAllocs()
	b.SetBytes(size)
	rows := 0
	for b.Loop() {
		r, err := OpenReader(f, batch.Schema())
		require.NoError(b, err)
		for {
			got, err := r.Next(ctx)
			if err != nil {
				break
			}
			rows += got.Rows()
			got.Release()
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

// Nested columns of other writers: the three layouts of lists (Spark's own and its old one, DuckDB, pyarrow with its
// names), pages of version 2, timestamps of no zone.
func TestForeignNestedFiles(t *testing.T) {
	want := []string{
		`{"id":1,"a":[1,null,3],"aa":[["a",null],[],null],"s":{"x":1,"y":[{"z":"2024-01-02"}]},"m":[["k",[1]],["n",null]],"ntz":"2024-01-02T03:04:05.678901"}`,
		`{"id":2,"a":[],"aa":[],"s":null,"m":[],"ntz":null}`,
		`{"id":3,"a":null,"aa":null,"s":{"x":null,"y":null},"m":null,"ntz":"1969-12-31T23:59:59.999999"}`,
	}
	for _, name := range []string{"nested-spark.parquet", "nested-spark-legacy.parquet", "nested-duckdb.parquet", "nested-pyarrow.parquet"} {
		require.Equal(t, want, readAll(t, foreign(t, name), name, nil), name)
	}
}

// Lists without a group around them, and with the element as what is repeated: neither knows NULL elements.
func TestOldLists(t *testing.T) {
	type point struct{ X, Y int64 }
	type row struct {
		Bare   []int64
		Points []point
		Tail   string
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	_, err := w.Write([]row{{Bare: []int64{1, 2}, Tail: "a"}, {Points: []point{{1, 2}, {3, 4}}, Tail: "b"}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	s := store.NewMem()
	require.NoError(t, s.Put(context.Background(), "old", b.Bytes()))
	require.Equal(t, []string{`{"Bare":[1,2],"Points":[],"Tail":"a"}`, `{"Bare":[],"Points":[{"X":1,"Y":2},{"X":3,"Y":4}],"Tail":"b"}`},
		readAll(t, s, "old", nil))
}

// Damaged LZ4 would never end.
func TestNoLZ4(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[struct{ A int64 }](&b, parquet.Compression(&parquet.Lz4Raw))
	_, err := w.Write(make([]struct{ A int64 }, 1))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.ErrorContains(t, readSome(b.Bytes()), "compressed with LZ4, which is not read: write it again")
}

// Booleans as runs, in pages of both versions, with nulls and in lists, by the writers that make them: the same rows in each file.
func TestBooleanRuns(t *testing.T) {
	text, err := os.ReadFile("testdata/boolruns.ndjson")
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	boolean := columnar.Field{Name: "b", Type: columnar.Boolean, Nullable: true}
	schema := columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "required", Type: columnar.Boolean, Nullable: true}, boolean,
		columnar.Field{Name: "l", Type: columnar.Array(columnar.Boolean), Nullable: true}, columnar.Field{Name: "s", Type: columnar.Struct(boolean), Nullable: true})
	for _, writer := range []string{"pyarrow", "v1", "duckdb"} {
		name := "boolruns-" + writer + ".parquet"
		require.Equal(t, want, readAll(t, foreign(t, name), name, schema), name)
	}
}

// Runs may end anywhere, within a byte and beyond the values.
func TestDecodeRuns(t *testing.T) {
	for _, c := range []struct {
		runs string
		n    int
		want string
	}{
		{"", 0, ""},
		{"\x0a\x01", 5, "11111"},
		{"\x06\x01\x04\x00\x0e\x01", 12, "111001111111"},
		{"\x06\x01\x03\x05", 8, "11110100"},
		{"\x05\x0f\xf0", 13, "1111000000001"},
		{"\x00\x04\xff\x04\x00", 4, "1100"},
		{"\xfe\xff\xff\xff\x0f\x01", 3, "111"},
	} {
		bits, err := decodeRuns(append(binary.LittleEndian.AppendUint32(nil, uint32(len(c.runs))), c.runs...), c.n)
		require.NoError(t, err)
		got := ""
		for i := range c.n {
			got += map[bool]string{true: "1", false: "0"}[bitutil.BitIsSet(bits, i)]
		}
		require.Equal(t, c.want, got, "%q", c.runs)
	}
	for _, damaged := range []string{"", "\x01", "\x09\x00\x00\x00\x0a\x01", "\x01\x00\x00\x00\x0a", "\x02\x00\x00\x00\x0a\x01", "\x03\x00\x00\x00\x05\x01", "\x01\x00\x00\x00\xff"} {
		_, err := decodeRuns([]byte(damaged), 6)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%q", damaged)
	}
}

// A column of the type NULL is one of any type without a value.
func TestColumnsWithoutType(t *testing.T) {
	field := func(name string, typ columnar.Type) columnar.Field {
		return columnar.Field{Name: name, Type: typ, Nullable: true}
	}
	for _, typ := range []columnar.Type{columnar.Boolean, columnar.TinyInt, columnar.BigInt, columnar.String, columnar.Double, columnar.Decimal(9, 2), columnar.Timestamp, columnar.Date} {
		rows := readAll(t, foreign(t, "boolruns-pyarrow.parquet"), "boolruns-pyarrow.parquet", columnar.NewSchema(field("never", typ), field("n", columnar.Struct(field("x", typ)))))
		require.Equal(t, []string{`{"never":null,"n":null}`, `{"never":null,"n":{"x":null}}`}, rows[:2], typ)
		require.Len(t, rows, 60)
	}
}
