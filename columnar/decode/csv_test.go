package decode

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

var csvSchema = columnar.NewSchema(
	columnar.Field{Name: "i", Type: columnar.Int, Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "d", Type: columnar.Decimal(5, 2), Nullable: true})

// TestCSV: one line a record.
func TestCSV(t *testing.T) {
	for _, c := range []struct {
		opts    CSVOptions
		in, out string
	}{
		{CSVOptions{}, `1,a,2.5`, `{"i":1,"s":"a","d":"2.50"}`},
		{CSVOptions{}, "1,a,2.5\r\n", `{"i":1,"s":"a","d":"2.50"}`},
		{CSVOptions{}, `,,`, `{"i":null,"s":null,"d":null}`},
		{CSVOptions{}, `,"",`, `{"i":null,"s":"","d":null}`},
		{CSVOptions{}, `1,"a,b",2`, `{"i":1,"s":"a,b","d":"2.00"}`},
		{CSVOptions{}, `1,"a ""b"" c",2`, `{"i":1,"s":"a \"b\" c","d":"2.00"}`},
		{CSVOptions{}, `1,"a \"b",2`, `{"i":1,"s":"a \"b","d":"2.00"}`},
		{CSVOptions{}, `1,"C:\x",2`, `{"i":1,"s":"C:\\x","d":"2.00"}`},
		{CSVOptions{}, "1,\"two\nlines\",2", `{"i":1,"s":"two\nlines","d":"2.00"}`},
		{CSVOptions{}, `"1","a","2"`, `{"i":1,"s":"a","d":"2.00"}`},
		{CSVOptions{}, `1, a ,2`, `{"i":1,"s":" a ","d":"2.00"}`},
		{CSVOptions{}, ` 1,a,2`, `error: field "i": expected INT, got " 1" at byte 0`},
		{CSVOptions{}, `1,a`, `error: expected 3 values, got 2 at byte 3`},
		{CSVOptions{}, `1,a,2,`, `error: expected 3 values, there are more at byte 6`},
		{CSVOptions{}, ``, `error: expected 3 values, got 1 at byte 0`},
		{CSVOptions{}, `x,a,2`, `error: field "i": expected INT, got "x" at byte 0`},
		{CSVOptions{}, `1,a,1234.5`, `error: field "d": expected DECIMAL(5,2), got "1234.5" at byte 4`},
		{CSVOptions{}, `1,"a,2`, `error: the record ends within quotes at byte 6`},
		{CSVOptions{}, `1,"a"b,2`, `error: expected a separator after the closing quote, got b at byte 5`},
		{CSVOptions{}, "1,\xff,2", `error: field "s": expected STRING, got "\xff" at byte 2`},
		{CSVOptions{Separator: ';', Quote: '\''}, `1;'a;b';2`, `{"i":1,"s":"a;b","d":"2.00"}`},
		{CSVOptions{Null: "NA"}, `NA,"NA",NA`, `{"i":null,"s":"NA","d":null}`},
		{CSVOptions{Lenient: true}, `x,a`, `{"i":null,"s":"a","d":null}`},
		{CSVOptions{Lenient: true}, `1,a,2,3`, `{"i":1,"s":"a","d":"2.00"}`},
	} {
		t.Run(c.in, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(columnar.Heap)
			defer mem.AssertSize(t, 0)
			neighbour := strings.ReplaceAll(`7,x,1`, ",", string([]byte{max(c.opts.Separator, ',')}))
			got := decodeAll(t, NewCSV(csvSchema, c.opts, mem), neighbour, c.in, nullDocument, neighbour)
			require.Equal(t, []string{`{"i":7,"s":"x","d":"1.00"}`, c.out, `{"i":null,"s":null,"d":null}`, `{"i":7,"s":"x","d":"1.00"}`}, got)
		})
	}
}

// FuzzCSV: any record decodes or fails, and leaves its neighbours alone.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{`1,a,2`, `"1","a""b",`, `,,,`, `1,"`, "1,\"\\\"\",3\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		if string(record) == nullDocument {
			return
		}
		got := decodeAll(t, NewCSV(csvSchema, CSVOptions{}, nil), `7,x,1`, string(record), `8,y,2`)
		require.Equal(t, `{"i":7,"s":"x","d":"1.00"}`, got[0])
		require.Equal(t, `{"i":8,"s":"y","d":"2.00"}`, got[2])
	})
}

// BenchmarkCSV decodes the benchmark's record.
func BenchmarkCSV(b *testing.B) {
	docs := make([]string, 4096)
	for i := range docs {
		docs[i] = "12345,/p/some/page,12.50"
	}
	values := documentsOf(docs...)
	defer values.Release()
	d := NewCSV(csvSchema, CSVOptions{}, nil)
	b.ReportAllocs()
	b.SetBytes(int64(len(strings.Join(docs, ""))))
	for b.Loop() {
		out, _, err := d.Decode(values)
		if err != nil {
			b.Fatal(err)
		}
		out.Release()
	}
	b.ReportMetric(float64(b.N)*float64(len(docs))/b.Elapsed().Seconds(), "rows/s")
}
