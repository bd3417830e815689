package state

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// table is a target that keeps rows.
type table struct {
	schema *columnar.Schema
	keys   int
	rows   []string
}

func (t *table) Schema() *columnar.Schema { return t.schema }
func (t *table) KeyColumns() int          { return t.keys }

func (t *table) Load(rows *columnar.Batch, _ int64) error {
	for i := range rows.Rows() {
		t.rows = append(t.rows, string(columnar.AppendRowJSON(nil, rows, i)))
	}
	return nil
}

var counts = columnar.NewSchema(columnar.Field{Name: "k", Type: columnar.String, Nullable: true}, columnar.Field{Name: "n", Type: columnar.BigInt})

// file makes a state file of counts by key.
func file(t *testing.T, keys []string, n ...int64) []byte {
	b := columnar.NewBatch(counts, []columnar.Column{columnar.NewStringColumn(keys), columnar.NewInt64Column(n, nil)}, len(keys))
	defer b.Release()
	body, err := Encode("0:aggregate", b)
	require.NoError(t, err)
	return body
}

// The newest file that has a key holds all there is of it.
func TestRestore(t *testing.T) {
	files := [][]byte{
		file(t, []string{"a", "b", "c"}, 1, 2, 3),
		file(t, []string{"b"}, 20),
		file(t, []string{"c", "c", "d"}, 30, 31, 40), // two sessions of one key
	}
	to := &table{schema: counts, keys: 1}
	require.NoError(t, Restore("0:aggregate", files, 0, to))
	require.Equal(t, []string{`{"k":"c","n":30}`, `{"k":"c","n":31}`, `{"k":"d","n":40}`, `{"k":"b","n":20}`, `{"k":"a","n":1}`}, to.rows)
}

// Without keys there is one group, and the newest file has it.
func TestRestoreWithoutKeys(t *testing.T) {
	to := &table{schema: counts, keys: 0}
	require.NoError(t, Restore("0:aggregate", [][]byte{file(t, []string{"x"}, 1), file(t, []string{"x"}, 2)}, 0, to))
	require.Equal(t, []string{`{"k":"x","n":2}`}, to.rows)
}

// A file of format 1 that an earlier build wrote reads as it did then.
func TestFormat1(t *testing.T) {
	body, err := os.ReadFile("testdata/state-format-1.arrow")
	require.NoError(t, err)
	name, err := OperatorOf(body)
	require.NoError(t, err)
	require.Equal(t, "0:aggregate", name)
	schema, err := schemaOf(body)
	require.NoError(t, err)
	require.Equal(t, counts.String(), schema.String())
	to := &table{schema: counts, keys: 1}
	require.NoError(t, Restore(name, [][]byte{body}, 0, to))
	require.Equal(t, []string{`{"k":"a","n":1}`, `{"k":"b","n":2}`, `{"k":"c","n":3}`}, to.rows)
}

func TestFilesOfAnother(t *testing.T) {
	body := file(t, []string{"a"}, 1)
	ignore := func(*columnar.Batch) error { return nil }
	require.ErrorIs(t, Decode(body, "1:dedup", counts, ignore), ErrDamaged)
	require.ErrorIs(t, Decode(body, "0:aggregate", columnar.NewSchema(columnar.Field{Name: "k", Type: columnar.Int}), ignore), ErrDamaged)
	require.Error(t, Decode(body[:len(body)/2], "0:aggregate", counts, ignore))
	_, err := OperatorOf([]byte("no"))
	require.ErrorIs(t, err, ErrDamaged)
}
