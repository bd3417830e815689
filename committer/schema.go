package committer

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// schemaDiff says in words how rows do not fit a table, "" if they do. Columns are told by
// name; their order is the table's own affair.
func schemaDiff(table, rows *columnar.Schema) string {
	var diffs []string
	for _, f := range rows.Fields {
		i := table.Index(f.Name)
		switch {
		case i < 0:
			diffs = append(diffs, fmt.Sprintf("the table has no column %s", f.Name))
		case table.Fields[i].Name != f.Name:
			diffs = append(diffs, fmt.Sprintf("column %s is spelt %s in the table", f.Name, table.Fields[i].Name))
		case table.Fields[i].Type != f.Type:
			diffs = append(diffs, fmt.Sprintf("column %s is %s in the table and %s in the query", f.Name, table.Fields[i].Type, f.Type))
		case f.Nullable && !table.Fields[i].Nullable:
			diffs = append(diffs, fmt.Sprintf("column %s is NOT NULL in the table and may be NULL in the query", f.Name))
		}
	}
	for _, f := range table.Fields {
		if rows.Index(f.Name) < 0 {
			diffs = append(diffs, fmt.Sprintf("the query gives no column %s", f.Name))
		}
	}
	return strings.Join(diffs, "; ")
}

// nullable is the schema with every column nullable: as Spark, a table made by a stream
// promises nothing that a later query could not keep.
func nullable(s *columnar.Schema) *columnar.Schema {
	out := &columnar.Schema{Fields: append([]columnar.Field(nil), s.Fields...)}
	for i := range out.Fields {
		out.Fields[i].Nullable = true
	}
	return out
}
