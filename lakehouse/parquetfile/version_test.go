package parquetfile

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// The bridge relies on what version v0.32.0 of parquet-go keeps to itself. After an upgrade: check that
// (*ColumnWriter).writeDataPage still takes a Page and that the fields of findFields still mean the same, then name the version here.
func TestBridge(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/parquet-go/parquet-go" {
				require.Equal(t, "v0.32.0", dep.Version)
			}
		}
	}
	require.True(t, fields.found, "ColumnWriter has other fields now: text columns are written without dictionaries")
}

// Which text columns get a dictionary, as the file tells it.
func TestDictionaryChoice(t *testing.T) {
	ctx := context.Background()
	const rows = 10_000
	plain, dictionary := []format.Encoding{format.Plain, format.RLE}, []format.Encoding{format.Plain, format.RLE, format.RLEDictionary}
	for name, c := range map[string]struct {
		text func(i int) string
		want []format.Encoding
	}{
		"three values":               {func(i int) string { return []string{"a", "bb", ""}[i%3] }, dictionary},
		"one value":                  {func(int) string { return "same" }, dictionary},
		"each twice":                 {func(i int) string { return words(i / 2) }, dictionary},
		"all different":              {words, plain},
		"different after the sample": {func(i int) string { return words(max(0, i-dictionarySample)) }, plain},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMem()
			schema := columnar.NewSchema(columnar.Field{Name: "s", Type: columnar.String, Nullable: true})
			w := newTestWriter(t, s, schema, 0)
			texts := make([]string, rows)
			for i := range texts {
				texts[i] = c.text(i)
			}
			b := columnar.NewBatch(schema, []columnar.Column{columnar.NewStringColumn(texts)}, rows)
			defer b.Release()
			require.NoError(t, w.Write(ctx, 0, b))
			files, err := w.Finish(ctx)
			require.NoError(t, err)
			require.Equal(t, lines(b), readAll(t, s, files[0].Name, schema))
			chunk := metadata(t, s, files[0].Name).RowGroups[0].Columns[0].MetaData
			require.ElementsMatch(t, c.want, chunk.Encoding)
			require.Equal(t, len(c.want) == len(dictionary), chunk.DictionaryPageOffset > 0)
		})
	}
}
