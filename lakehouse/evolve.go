package lakehouse

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// Evolve returns the schema of a table with what its rows have more: columns at the end, and fields at the end of STRUCTs, wherever
// they are nested. It returns table itself if nothing is added. New ones may be NULL, as they are in all older rows. Columns that the rows lack stay, and
// will be NULL. Another type, and a name that differs in case alone, are errors.
func Evolve(table, rows *columnar.Schema) (*columnar.Schema, error) {
	fields, err := evolveFields(table.Fields, rows.Fields, "")
	if err != nil {
		return nil, err
	}
	out := columnar.NewSchema(fields...)
	if out.Equal(table) {
		return table, nil
	}
	return out, nil
}

func evolveFields(table, rows []columnar.Field, above string) ([]columnar.Field, error) {
	out := append([]columnar.Field(nil), table...)
	known := columnar.Schema{Fields: table}
	for _, f := range rows {
		at := known.Index(f.Name)
		switch {
		case at < 0:
			out = append(out, columnar.Field{Name: f.Name, Type: f.Type, Nullable: true})
			continue
		case table[at].Name != f.Name:
			return nil, fmt.Errorf("column %s is spelt %s in the table", above+f.Name, above+table[at].Name)
		}
		t, err := evolveType(table[at].Type, f.Type, above+f.Name)
		if err != nil {
			return nil, err
		}
		out[at].Type = t
	}
	return out, nil
}

func evolveType(table, rows columnar.Type, name string) (columnar.Type, error) {
	if table == rows {
		return table, nil
	}
	if table.Kind != rows.Kind || !table.Nested() {
		return table, fmt.Errorf("column %s is %s in the table and %s in the query", name, table, rows)
	}
	parts, err := evolveFields(table.Parts(), rows.Parts(), name+".")
	if err != nil {
		return table, err
	}
	switch table.Kind {
	case columnar.ArrayKind:
		return columnar.Array(parts[0].Type), nil
	case columnar.MapKind:
		return columnar.Map(parts[0].Type, parts[1].Type), nil
	}
	return columnar.Struct(parts...), nil
}
