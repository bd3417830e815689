package partition

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func TestPartitionValues(t *testing.T) {
	for _, c := range []struct {
		t    columnar.Type
		text string
		want any
	}{
		{columnar.String, "a", "a"},
		{columnar.Boolean, "true", true},
		{columnar.TinyInt, "-5", int64(-5)},
		{columnar.BigInt, "9223372036854775807", int64(9223372036854775807)},
		{columnar.Double, "1.5", 1.5},
		{columnar.Date, "1969-12-31", int64(-1)},
		{columnar.Timestamp, "1970-01-01 00:00:00.000001", int64(1)},
		{columnar.Timestamp, "1970-01-01 00:00:01", int64(1_000_000)},
		{columnar.Timestamp, "1970-01-01T00:00:00.000002Z", int64(2)},
		{columnar.Binary, "\u0000\u00ff", "\x00\xff"},
	} {
		got, err := Value(c.t, c.text)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	got, err := Value(columnar.Decimal(5, 2), "-1.5")
	require.NoError(t, err)
	require.Equal(t, "-150", got.(interface{ String() string }).String())
	for typ, text := range map[columnar.Type]string{columnar.TinyInt: "200", columnar.Date: "2024", columnar.Timestamp: "x", columnar.Decimal(3, 1): "1.25", columnar.Decimal(3, 2): "1e300", columnar.Binary: "\u0100", columnar.Boolean: "x"} {
		_, err := Value(typ, text)
		require.Error(t, err, typ)
	}
}
