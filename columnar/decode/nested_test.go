package decode

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

var (
	ints  = columnar.Array(columnar.Int)
	point = columnar.Struct(columnar.Field{Name: "x", Type: columnar.Int}, columnar.Field{Name: "on", Type: columnar.Boolean}, columnar.Field{Name: "tag", Type: columnar.String})
	trail = columnar.Array(point)
	attrs = columnar.Map(columnar.String, columnar.Decimal(5, 2))
	deep  = columnar.Struct(columnar.Field{Name: "m", Type: columnar.Map(columnar.String, trail)}, columnar.Field{Name: "at", Type: columnar.TimestampNTZ})
)

// TestNestedValues: one line a value, as it stands behind "v":.
func TestNestedValues(t *testing.T) {
	for _, c := range []struct {
		typ     columnar.Type
		in, out string
	}{
		{ints, `[1, 2 ,3]`, `[1,2,3]`},
		{ints, `[]`, `[]`},
		{ints, `[ ]`, `[]`},
		{ints, `null`, `null`},
		{ints, `[null,1]`, `[null,1]`},
		{ints, `1`, `error: field "v": expected ARRAY<INT>, got 1 at byte 5`},
		{ints, `{"a":1}`, `error: field "v": expected ARRAY<INT>, got {"a":1 at byte 5`},
		{ints, `[1,"x"]`, `error: field "v[1]": expected INT, got "x" at byte 8`},
		{ints, `[1 2]`, `error: field "v": expected , or ], got 2 at byte 8`},
		{ints, `[1,]`, `error: field "v[1]": expected INT, got ] at byte 8`},
		{columnar.Array(ints), `[[1],[],null,[2,3]]`, `[[1],[],null,[2,3]]`},
		{columnar.Array(columnar.String), `["a",1,{"k":[]},null,""]`, `["a","1","{\"k\":[]}",null,""]`},
		{point, `{"x":1,"on":true,"tag":"a","more":[{}]}`, `{"x":1,"on":true,"tag":"a"}`},
		{point, `{"tag":"a","x":1}`, `{"x":1,"on":null,"tag":"a"}`},
		{point, `{}`, `{"x":null,"on":null,"tag":null}`},
		{point, `null`, `null`},
		{point, `[]`, `error: field "v": expected STRUCT<x: INT, on: BOOLEAN, tag: STRING>, got [ at byte 5`},
		{point, `{"x":1,"x":2}`, `error: field "v.x": the field appears twice at byte 12`},
		{point, `{"x":true}`, `error: field "v.x": expected INT, got true at byte 10`},
		{trail, `[{"x":1},null,{"on":true,"tag":"é"}]`, `[{"x":1,"on":null,"tag":null},null,{"x":null,"on":true,"tag":"é"}]`},
		{trail, `[{"x":1},{"x":[]}]`, `error: field "v[1].x": expected INT, got [ at byte 19`},
		{attrs, `{"a":1,"b":null,"c":"2.5"}`, `[["a","1.00"],["b",null],["c","2.50"]]`},
		{attrs, `{}`, `[]`},
		{attrs, `{"a":1,"a":2}`, `error: field "v": a key of a MAP appears twice, got "a" at byte 12`},
		{attrs, `{"a":"x"}`, `error: field "v": expected DECIMAL(5,2), got "x" at byte 10`},
		{deep, `{"m":{"k":[{"x":1}]},"at":"2024-02-29T12:00:00"}`, `{"m":[["k",[{"x":1,"on":null,"tag":null}]]],"at":"2024-02-29T12:00:00.000"}`},
		{deep, `{"at":"2024-02-29T12:00:00Z"}`, `error: field "v.at": expected TIMESTAMP_NTZ, got "2024-02-29T12:00:00Z" at byte 11`},
	} {
		t.Run(c.typ.String()+"/"+c.in, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(columnar.Heap)
			defer mem.AssertSize(t, 0)
			want := c.out
			if !strings.HasPrefix(want, "error") {
				want = `{"v":` + want + `}`
			}
			got := decodeAll(t, NewJSON(field1(c.typ), mem), `{"v":`+c.in+`}`)
			require.Equal(t, []string{want}, got)
		})
	}
}

// TestRescued: what the schema does not name is kept under its path; what it names and
// the batch does not read is not.
func TestRescued(t *testing.T) {
	declared := columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.Int, Nullable: true}, columnar.Field{Name: "unread", Type: columnar.Int, Nullable: true},
		columnar.Field{Name: "p", Type: point, Nullable: true}, columnar.Field{Name: "l", Type: trail, Nullable: true}, columnar.Field{Name: RescuedField, Type: columnar.String, Nullable: true})
	for _, c := range []struct{ in, out string }{
		{`{"id":1,"unread":2}`, `null`},
		{`{"id":1,"b":[1, {"c":"x"}],"a":null}`, `{"b":[1, {"c":"x"}],"a":null}`},
		{`{"_rescued":5}`, `{"_rescued":5}`},
		{`{"a\"b":1}`, `{"a\"b":1}`},
		{`{"p":{"x":1,"y":2},"q":3}`, `{"p.y":2,"q":3}`},
		{`{"l":[{"x":1},{"z":{"w":1}},{"x":2,"v":3}],"p":{"u":1}}`, `{"l[1].z":{"w":1},"l[2].v":3,"p.u":1}`},
	} {
		d := NewJSON(declared.Select([]int{0, 2, 3, 4}), nil)
		d.Declare(declared)
		values := documentsOf(`{"broken":1`, c.in, `{}`)
		b, errs, err := d.Decode(values)
		require.NoError(t, err)
		require.Len(t, errs, 1)
		rescued := b.Column(3)
		got := "null"
		if rescued.IsValid(1) {
			got = columnar.StringAt(rescued, 1)
		}
		require.Equal(t, c.out, got, c.in)
		require.True(t, rescued.IsNull(0) && rescued.IsNull(2))
	}
}

// TestBadRowsLeaveNoTrace: whatever a bad document has written is taken back, at every level.
func TestBadRowsLeaveNoTrace(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	schema := columnar.NewSchema(columnar.Field{Name: "p", Type: trail, Nullable: true}, columnar.Field{Name: "d", Type: deep, Nullable: true})
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	d := NewJSON(schema, mem)
	for range 50 {
		var docs, want []string
		for i := range r.IntN(60) {
			good := fmt.Sprintf(`{"p":[{"x":%d,"on":true,"tag":"t%d"},null,{"x":null,"on":false,"tag":null}],"d":{"m":{"k":[],"l%d":[null,{"x":1,"on":null,"tag":"z"}]},"at":null}}`, i, i, i)
			shown := strings.Replace(strings.Replace(good, `{"k":[],"l`, `[["k",[]],["l`, 1), `"z"}]}`, `"z"}]]]`, 1)
			shown = strings.Replace(shown, fmt.Sprintf(`["l%d":`, i), fmt.Sprintf(`["l%d",`, i), 1)
			docs, want = append(docs, good), append(want, shown)
			if r.IntN(2) == 0 {
				docs = append(docs, good[:1+r.IntN(len(good)-1)])
				want = append(want, "error")
			}
		}
		got := decodeAll(t, d, docs...)
		for i := range got {
			if strings.HasPrefix(got[i], "error") {
				got[i] = "error"
			}
		}
		if len(want) > 0 {
			require.Equal(t, want, got)
		}
	}
}

// BenchmarkNested decodes records with a STRUCT, an ARRAY and a MAP.
func BenchmarkNested(b *testing.B) {
	schema := columnar.NewSchema(columnar.Field{Name: "p", Type: point, Nullable: true}, columnar.Field{Name: "a", Type: ints, Nullable: true}, columnar.Field{Name: "m", Type: attrs, Nullable: true})
	docs := make([]string, 4096)
	for i := range docs {
		docs[i] = fmt.Sprintf(`{"p":{"x":%d,"on":true,"tag":"home"},"a":[1,2,3],"m":{"price":12.50,"tax":1.25}}`, i)
	}
	values := documentsOf(docs...)
	defer values.Release()
	d := NewJSON(schema, nil)
	b.ReportAllocs()
	for b.Loop() {
		out, _, err := d.Decode(values)
		if err != nil {
			b.Fatal(err)
		}
		out.Release()
	}
	b.ReportMetric(float64(b.N)*float64(len(docs))/b.Elapsed().Seconds(), "rows/s")
}
