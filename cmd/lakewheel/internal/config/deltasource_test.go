package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/planner"
)

// A query takes a new column of a table by a * over it, wherever it stands, and by no other way.
func TestTakesNew(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "g", Type: columnar.String, Nullable: true})
	s, other := &Source{Name: "e", Schema: schema}, &Source{Name: "f", Schema: schema}
	catalog := planner.Catalog{"e": s.table(), "f": other.table()}
	for query, want := range map[string]bool{
		"SELECT * FROM e":                               true,
		"SELECT x.* FROM e AS x":                        true,
		"SELECT * EXCEPT (g) FROM e":                    true,
		"SELECT id FROM (SELECT * FROM e)":              false,
		"SELECT * FROM (SELECT * EXCEPT (g) FROM e)":    true,
		"SELECT * FROM (SELECT id FROM e)":              false,
		"SELECT id, g FROM e":                           false,
		"SELECT * FROM f UNION ALL SELECT id, g FROM e": false,
		"SELECT * FROM e UNION ALL SELECT id, g FROM f": true,
	} {
		require.Equal(t, want, takesNew(query, catalog, s, planner.Options{}), query)
	}
	require.False(t, takesNew("SELECT count(*) FROM e", catalog, s, planner.Options{Mode: planner.Complete}))
}
