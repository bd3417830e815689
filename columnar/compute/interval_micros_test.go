package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// The length of an interval in microseconds; a text that is none has none.
func TestIntervalMicros(t *testing.T) {
	for text, want := range map[string]string{
		"10 seconds": "10000000", "1 minute 30 seconds": "90000000", "-5 seconds": "-5000000", "1 day -1 hours": "82800000000",
		"0.000001 second": "1", "interval 1 week": "604800000000", "5 apples": "NULL", "": "NULL", "seconds": "NULL",
	} {
		e, err := compute.IntervalMicros(compute.Text(text))
		require.NoError(t, err)
		require.Equal(t, columnar.BigInt, e.Type())
		require.Contains(t, compute.Fold(e).String(), want, text)
	}
	months, err := compute.IntervalMicros(compute.Text("1 month"))
	require.NoError(t, err)
	require.False(t, compute.Literal(compute.Fold(months)), "it fails where it is evaluated")
	for _, words := range []string{"2 hours", "3 days"} {
		interval, err := compute.IntervalWords(words)
		require.NoError(t, err)
		a, err := compute.IntervalMicros(interval)
		require.NoError(t, err)
		b, err := compute.IntervalMicros(compute.Text(words))
		require.NoError(t, err)
		require.Equal(t, compute.Fold(b).String(), compute.Fold(a).String())
	}
	_, err = compute.IntervalMicros(compute.Integer(1, columnar.Int))
	require.Error(t, err)
}

// Same finds an expression again, Replace puts another one in its place, Direct skips a STRUCT that is only made to be taken apart.
func TestRewrites(t *testing.T) {
	column := func(i int, name string) compute.Expr { return compute.Column(i, name, columnar.BigInt, true) }
	call := func(name string, args ...compute.Expr) compute.Expr {
		e, err := compute.Call(name, args...)
		require.NoError(t, err)
		return e
	}
	a, b := column(0, "a"), column(1, "b")
	sum := call("+", a, b)
	require.True(t, compute.Same(sum, call("+", column(1, "b"), column(0, "a"))))
	require.False(t, compute.Same(call("-", a, b), call("-", b, a)))
	require.False(t, compute.Same(a, column(2, "a")), "columns of one name are not one")

	double := call("*", sum, sum)
	replaced := compute.Replace(double, func(x compute.Expr) compute.Expr {
		if compute.Same(x, sum) {
			return column(7, "sum")
		}
		return nil
	})
	require.Equal(t, "(sum * sum)", replaced.String())
	require.Equal(t, []int{7}, compute.Columns(replaced))

	made := call("named_struct", compute.Text("x"), sum, compute.Text("y"), b)
	x, err := compute.Field(made, "x")
	require.NoError(t, err)
	require.Equal(t, "(a + b)", compute.Direct(x).String())

	at, plain := compute.Position(b)
	require.True(t, plain)
	require.Equal(t, 1, at)
	_, plain = compute.Position(sum)
	require.False(t, plain)
}
