package lakehouse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func field(name string, t columnar.Type) columnar.Field {
	return columnar.Field{Name: name, Type: t, Nullable: true}
}

func TestEvolve(t *testing.T) {
	id := columnar.Field{Name: "id", Type: columnar.BigInt}
	ab := columnar.Struct(field("a", columnar.Int), field("b", columnar.String))
	ca := columnar.Struct(field("c", columnar.Date), field("a", columnar.Int))
	abc := columnar.Struct(field("a", columnar.Int), field("b", columnar.String), field("c", columnar.Date))
	schema := func(fields ...columnar.Field) *columnar.Schema { return columnar.NewSchema(fields...) }
	for name, c := range map[string]struct {
		table, rows *columnar.Schema
		want        *columnar.Schema
		wrong       string
	}{
		"the same":           {schema(id, field("n", columnar.Int)), schema(field("n", columnar.Int), id), schema(id, field("n", columnar.Int)), ""},
		"fewer":              {schema(id, field("n", columnar.Int)), schema(id), schema(id, field("n", columnar.Int)), ""},
		"more":               {schema(id), schema(columnar.Field{Name: "n", Type: columnar.Int}, id), schema(id, field("n", columnar.Int)), ""},
		"in a STRUCT":        {schema(field("s", ab)), schema(field("s", ca)), schema(field("s", abc)), ""},
		"in an ARRAY":        {schema(field("s", columnar.Array(ab))), schema(field("s", columnar.Array(ca))), schema(field("s", columnar.Array(abc))), ""},
		"in a MAP":           {schema(field("s", columnar.Map(columnar.Int, ab))), schema(field("s", columnar.Map(columnar.Int, ca))), schema(field("s", columnar.Map(columnar.Int, abc))), ""},
		"another type":       {schema(id), schema(field("id", columnar.Int)), nil, "column id is BIGINT in the table and INT in the query"},
		"another case":       {schema(id), schema(field("ID", columnar.BigInt)), nil, "column ID is spelt id in the table"},
		"another nested one": {schema(field("s", ab)), schema(field("s", columnar.Struct(field("b", columnar.Int)))), nil, "column s.b is STRING in the table and INT in the query"},
		"another key":        {schema(field("s", columnar.Map(columnar.Int, ab))), schema(field("s", columnar.Map(columnar.BigInt, ab))), nil, "column s.key is INT in the table and BIGINT in the query"},
		"another kind":       {schema(field("s", ab)), schema(field("s", columnar.Array(ab))), nil, "column s is STRUCT<a: INT, b: STRING> in the table"},
	} {
		got, err := Evolve(c.table, c.rows)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong, name)
			continue
		}
		require.NoError(t, err, name)
		require.True(t, c.want.Equal(got), "%s: %s", name, got)
	}
}
