package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

func (f *fileReader) sideTables(n ast.Node) {
	f.fields(n, "side_tables", map[string]func(ast.Node){
		"dead_letter": f.tablePath(&f.p.DeadLetter, "side_tables.dead_letter"),
		"late": func(n ast.Node) {
			f.lateTableAt = n
			f.tablePath(&f.p.Late, "side_tables.late")(n)
		},
	})
}

func (f *fileReader) tablePath(to *string, what string) func(ast.Node) {
	return func(n ast.Node) {
		f.string(to, what)(n)
		f.table(n, *to, what)
	}
}

// placeSideTables gives the side tables their default paths beside the table, and checks that no two tables lie in each other.
func (f *fileReader) placeSideTables() {
	if f.lateTableAt != nil && f.p.LateRows != TableLate {
		f.fault(f.lateTableAt, "side_tables.late: it is filled by late_rows: table, and empty without it")
	}
	f.placeSideTable(&f.p.DeadLetter, "dead_letter", f.p.Sink.Path)
	if f.p.LateRows == TableLate {
		f.placeSideTable(&f.p.Late, "late", f.p.Sink.Path, f.p.DeadLetter)
	}
}

// placeSideTable does so for one, whose neighbours are the table itself and the side tables before it.
func (f *fileReader) placeSideTable(path *string, kind string, neighbours ...string) {
	main := neighbours[0]
	if *path == "" && wholeBucket(main) {
		f.faultAt(1, 1, "side_tables: the table has the whole bucket %s for itself, so %s needs a place in another one", main, kind)
		return
	}
	if *path == "" && main != "" {
		*path = strings.TrimRight(main, "/") + "_" + kind
	}
	for _, other := range neighbours {
		if main != "" && other != "" && overlap(other, *path) {
			f.faultAt(1, 1, "side_tables.%s: %s and the table %s lie in each other; give it a folder of its own", kind, *path, other)
		}
	}
}
