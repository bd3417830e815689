package partition

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func field(name string, t columnar.Type) columnar.Field {
	return columnar.Field{Name: name, Type: t, Nullable: true}
}

func TestRefusedPartitions(t *testing.T) {
	s := columnar.NewSchema(field("n", columnar.Int), field("a", columnar.Array(columnar.Int)), field("raw", columnar.Binary))
	for want, by := range map[string][]string{
		"partition column x: the table has no such column: it has n, a, raw": {"x"},
		"partition column n is named twice":                                  {"n", "n"},
		"partition column a is ARRAY<INT>, which no partition can have":      {"a"},
		"partition column raw is BINARY, which no partition can have":        {"raw"},
	} {
		require.ErrorContains(t, Check(s, by), want)
	}
	require.ErrorContains(t, Check(columnar.NewSchema(field("n", columnar.BigInt), field("s", columnar.String)), []string{"s", "n"}), "all columns are partition columns")
	require.NoError(t, Check(s, nil))
}

// What a folder is named by its values is read back from its name.
func TestFolders(t *testing.T) {
	text := func(s string) *string { return &s }
	for want, value := range map[string]*string{
		"k=a b":                          text("a b"),
		"k=a%2Fb%3Dc%25":                 text("a/b=c%"),
		"k=2024-01-02T03%3A04%3A05.000Z": text("2024-01-02T03:04:05.000Z"),
		"k=fé+&":                         text("fé+&"),
		"k=__HIVE_DEFAULT_PARTITION__":   nil,
		"k=" + strings.Repeat("x", 198):  text(strings.Repeat("x", 198)),
	} {
		got, err := ExactFolder([]string{"k"}, map[string]*string{"k": value})
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, want, Folder([]string{"k"}, map[string]*string{"k": value}))
		column, back, ok := ParseFolder(got)
		require.True(t, ok)
		require.Equal(t, "k", column)
		require.Equal(t, value, back)
	}
	long := map[string]*string{"k": text(strings.Repeat("é/", 100))}
	_, err := ExactFolder([]string{"k"}, long)
	require.ErrorContains(t, err, "partition column k makes a folder name of 502 bytes")
	require.Regexp(t, "^k=(é%2F){39}é%~[0-9a-f]{16}$", Folder([]string{"k"}, long))
	for name, want := range map[string]string{"a%20b=c%2": "c%2", "k=": "", "k=a=b": "a=b"} { // as others write them
		_, back, ok := ParseFolder(name)
		require.True(t, ok, name)
		require.Equal(t, want, *back)
	}
	for _, name := range []string{"", "data", "=x", "%zz=1"} {
		_, _, ok := ParseFolder(name)
		require.False(t, ok, name)
	}
}
