package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// sortBy reads a list of columns: names, or mappings with the direction.
func (f *fileReader) sortBy(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		f.fault(n, "%s.sort_by: expected a list of columns", f.p.Sink.sinkKey())
		return
	}
	f.p.Sink.Layout.SortBy = []lakehouse.SortColumn{}
	for _, item := range list.Values {
		var c lakehouse.SortColumn
		switch item.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			f.fields(item, f.p.Sink.sinkKey()+".sort_by", map[string]func(ast.Node){
				"column": f.string(&c.Column, f.p.Sink.sinkKey()+".sort_by.column"),
				"order":  choice(f.reader, &c.Descending, f.p.Sink.sinkKey()+".sort_by.order", map[string]bool{"asc": false, "desc": true}),
			})
		default:
			f.string(&c.Column, f.p.Sink.sinkKey()+".sort_by")(item)
		}
		f.p.Sink.Layout.SortBy = append(f.p.Sink.Layout.SortBy, c)
	}
}

// bloomFilters reads a list of columns.
func (f *fileReader) bloomFilters(n ast.Node) {
	f.p.Sink.Layout.BloomFilters = []string{}
	f.strings(&f.p.Sink.Layout.BloomFilters, f.p.Sink.sinkKey()+".bloom_filters")(n)
}

// layout checks the columns of the layout and gives them the spelling of the result.
func (f *fileReader) layout(out *columnar.Schema) {
	l := &f.p.Sink.Layout
	for i := range l.SortBy {
		c := &l.SortBy[i]
		at := out.Index(c.Column)
		switch {
		case at < 0:
			f.fault(f.query, "%s.sort_by: the query has no column %s", f.p.Sink.sinkKey(), c.Column)
			continue
		case out.Fields[at].Type.Nested():
			f.fault(f.query, "%s.sort_by: %s is %s, which files are not sorted by; take a part of it", f.p.Sink.sinkKey(), c.Column, out.Fields[at].Type)
		}
		c.Column = out.Fields[at].Name
		if slices.ContainsFunc(l.SortBy[:i], func(o lakehouse.SortColumn) bool { return o.Column == c.Column }) {
			f.fault(f.query, "%s.sort_by: %s is there twice", f.p.Sink.sinkKey(), c.Column)
		}
		f.notPartition("sort_by", c.Column)
	}
	for i, name := range l.BloomFilters {
		head, rest, _ := strings.Cut(name, ".")
		if at := out.Index(head); at >= 0 {
			head = out.Fields[at].Name
			name = strings.TrimSuffix(head+"."+rest, ".")
		}
		if !parquetfile.CanFilter(out, name) {
			f.fault(f.query, "%s.bloom_filters: %s is not a column of the query, or a field of a STRUCT, of integers, DECIMAL, STRING, BINARY, DATE or TIMESTAMP", f.p.Sink.sinkKey(), name)
		}
		if slices.Contains(l.BloomFilters[:i], name) {
			f.fault(f.query, "%s.bloom_filters: %s is there twice", f.p.Sink.sinkKey(), name)
		}
		l.BloomFilters[i] = name
		f.notPartition("bloom_filters", name)
	}
}

func (f *fileReader) notPartition(key, column string) {
	if slices.Contains(f.p.Sink.PartitionBy, column) {
		f.fault(f.query, "%s.%s: the table is partitioned by %s, which has one value in each file; leave it out", f.p.Sink.sinkKey(), key, column)
	}
}
