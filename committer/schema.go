package committer

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
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

// evolvedDiff is schemaDiff where the rows may add columns to the table and lack some of
// its columns, if those may be NULL.
func evolvedDiff(table, rows *columnar.Schema) string {
	evolved, err := lakehouse.Evolve(table, nullable(rows))
	if err != nil {
		return err.Error()
	}
	full := &columnar.Schema{Fields: append([]columnar.Field{}, rows.Fields...)}
	for _, f := range evolved.Fields {
		if rows.Index(f.Name) < 0 {
			full.Fields = append(full.Fields, columnar.Field{Name: f.Name, Type: f.Type, Nullable: true})
		}
	}
	for i, f := range full.Fields {
		if at := evolved.Index(f.Name); at >= 0 {
			full.Fields[i].Type = evolved.Fields[at].Type
		}
	}
	return schemaDiff(evolved, full)
}

// evolution is the schema of the table once it has the columns of the rows; nil if it has
// them, or if there are no rows yet.
func (c *Committer) evolution(base lakehouse.Snapshot, files []lakehouse.DataFile) *columnar.Schema {
	if !c.opts.AddColumns || len(files) == 0 {
		return nil
	}
	evolved, err := lakehouse.Evolve(base.Schema, nullable(c.opts.Schema))
	if err != nil || evolved == base.Schema {
		return nil // checkSchema has refused what does not fit
	}
	return evolved
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
