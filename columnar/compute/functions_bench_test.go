package compute

import (
	"fmt"
	"testing"

	"github.com/lakewheel/lakewheel/columnar"
)

// urlBatch has a column of paths with a query, such as those of access logs.
func urlBatch() *columnar.Batch {
	values := make([]string, benchRows)
	for i := range values {
		h := uint32(i+1) * 2654435761
		values[i] = fmt.Sprintf("https://shop.example/p/%08d?channel_id=%d&q=%x", h%100_000_000, h%97, h)
	}
	schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String})
	return columnar.NewBatch(schema, []columnar.Column{columnar.NewStringColumn(values)}, benchRows)
}

func BenchmarkFunctions(b *testing.B) {
	batch := urlBatch()
	defer batch.Release()
	s := Column(0, "s", columnar.String, false)
	for _, c := range []struct {
		title string
		name  string
		args  []Expr
	}{
		{"equal", "=", []Expr{s, Text("https://shop.example/p/00000001")}},
		{"contains", "contains", []Expr{s, Text("channel_id=42")}},
		{"startswith", "startswith", []Expr{s, Text("https://shop")}},
		{"like", "like", []Expr{s, Text("%channel_id=42&%")}},
		{"rlike literal", "rlike", []Expr{s, Text("channel_id=42")}},
		{"rlike class", "rlike", []Expr{s, Text(`channel_id=\d+&`)}},
		{"rlike anchored", "rlike", []Expr{s, Text(`^https?://[^/]+/p/\d+`)}},
		{"rlike alternatives", "rlike", []Expr{s, Text(`(foo|bar|channel)_id=(4|5)2`)}},
		{"regexp_extract", "regexp_extract", []Expr{s, Text(`(&|^|\?)channel_id=([^&]*)`), Integer(2, columnar.Int)}},
		{"regexp_replace", "regexp_replace", []Expr{s, Text(`\d+`), Text("#")}},
		{"split", "split", []Expr{s, Text("/")}},
		{"parse_url", "parse_url", []Expr{s, Text("HOST")}},
		{"parse_url key", "parse_url", []Expr{s, Text("QUERY"), Text("q")}},
		{"split_part", "split_part", []Expr{s, Text("/"), Integer(4, columnar.Int)}},
		{"lpad", "lpad", []Expr{s, Integer(80, columnar.Int), Text("*")}},
		{"translate", "translate", []Expr{s, Text("/?"), Text("__")}},
		{"xxhash64", "xxhash64", []Expr{s}},
		{"hash", "hash", []Expr{s}},
		{"md5", "md5", []Expr{s}},
		{"url_encode", "url_encode", []Expr{s}},
		{"format_string", "format_string", []Expr{Text("%s-%05d"), s, Integer(7, columnar.Int)}},
	} {
		b.Run(c.title, func(b *testing.B) {
			e, err := Call(c.name, c.args...)
			if err != nil {
				b.Fatal(err)
			}
			e = Fold(e)
			ev := NewDefaultEvaluator()
			for b.Loop() {
				out, err := ev.Eval(e, batch, nil)
				if err != nil {
					b.Fatal(err)
				}
				out.Release()
			}
			perRow(b)
		})
	}
}
