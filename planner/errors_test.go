package planner

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

var pages = Catalog{"events": {Schema: columnar.NewSchema(
	columnar.Field{Name: "page", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "amount", Type: columnar.BigInt, Nullable: true},
)}}

// Positions move into the file that holds the text: its first line stands at 14, each
// of its lines is indented by two.
func TestShift(t *testing.T) {
	_, err := Plan("SELECT pge,\n  amout FROM events", pages)
	var all Errors
	require.True(t, errors.As(err, &all))
	moved := all.Shift(14, 3)
	require.Equal(t, "14:10: [UNRESOLVED_COLUMN.WITH_SUGGESTION] unknown column pge (did you mean page?)\n"+
		"15:5: [UNRESOLVED_COLUMN.WITH_SUGGESTION] unknown column amout (did you mean amount?)", moved.Error())
	require.Equal(t, 1, all[0].Line, "the original stays")
	require.True(t, strings.HasSuffix(moved[1].Pretty(), "\n    amout FROM events\n    ^"), "the excerpt is that of the text")
}

// Every fault can be had as an *Error, whether there are one or several.
func TestErrorsUnwrap(t *testing.T) {
	_, err := Plan("SELECT pge FROM events", pages)
	var one *Error
	require.True(t, errors.As(err, &one))
	require.Equal(t, 7, one.Offset)
	require.Equal(t, "UNRESOLVED_COLUMN.WITH_SUGGESTION", one.Condition)
	_, err = ParseSchema("")
	require.EqualError(t, err, "1:1: the schema is empty (write: name TYPE, name TYPE, ...)")
}

// Text that would exhaust memory or the stack is refused.
func TestLimits(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text", "SELECT '" + strings.Repeat("x", maxTextBytes) + "' AS x FROM events", "the text is 1048602 bytes long, the limit is 1048576"},
		{"parentheses", "SELECT " + strings.Repeat("(", 1000) + "page", "the query nests deeper than 200 levels"},
		{"signs", "SELECT " + strings.Repeat("- ", 1000) + "1", "the query nests deeper than 200 levels"},
		{"subqueries", strings.Repeat("SELECT * FROM (", 1000), "the query nests deeper than 200 levels"},
		{"chain", "SELECT amount" + strings.Repeat(" + amount", 2000) + " AS x FROM events", "the expression nests deeper than 1000 operators"},
		{"casts", "SELECT page" + strings.Repeat("::STRING", 2000) + " AS x FROM events", "the expression nests deeper than 1000 operators"},
		{"bytes", "SELECT '\xff' FROM events", "the text is not valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Plan(c.text, pages)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Plan("SELECT amount"+strings.Repeat(" + amount", 900)+" AS x FROM events", pages)
	require.NoError(t, err)
}

func TestClosest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"pge", "page"}, {"PAGE_", "page"}, {"apge", "page"}, {"amuont", "amount"}, {"zzz", ""}, {"p", ""}, {strings.Repeat("x", 500), ""},
	} {
		require.Equal(t, c.want, closest(c.word, []string{"page", "amount"}), c.word)
	}
}
