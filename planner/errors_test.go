package planner

import (
	"errors"
	"fmt"
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
	_, err := Plan("SELECT pge,\n  amout FROM events", pages, Options{})
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
	_, err := Plan("SELECT pge FROM events", pages, Options{})
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
		{"between", "SELECT " + strings.Repeat("(", 60) + "page" + strings.Repeat(" BETWEEN page AND page)", 60) + " AS x FROM events", "the expression is too large"},
		{"nullif", "SELECT " + strings.Repeat("nullif(", 60) + "page" + strings.Repeat(", 'x')", 60) + " AS x FROM events", "the expression is too large"},
		{"case", "SELECT " + strings.Repeat("CASE ", 60) + "amount" + strings.Repeat(" WHEN 1 THEN 2 WHEN 2 THEN 3 END", 60) + " AS x FROM events", "the expression is too large"},
		{"bytes", "SELECT '\xff' FROM events", "the text is not valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Plan(c.text, pages, Options{})
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Plan("SELECT amount"+strings.Repeat(" + amount", 900)+" AS x FROM events", pages, Options{})
	require.NoError(t, err)
}

// Wide texts are planned, and refused, in time that grows with their length: as a
// product of columns and columns each of these would take minutes.
func TestWideTexts(t *testing.T) {
	const wide = 50000
	var items, ddl strings.Builder
	for i := range wide {
		fmt.Fprintf(&items, "page AS c%d, ", i)
		fmt.Fprintf(&ddl, "c%d INT, ", i)
	}
	p, err := Plan("SELECT "+items.String()+"amount FROM events", pages, Options{})
	require.NoError(t, err)
	require.Equal(t, wide+1, p.Physical.Schema().Len())
	s, err := ParseSchema(ddl.String() + "z INT")
	require.NoError(t, err)
	require.Equal(t, wide+1, s.Len())
	_, err = Plan("SELECT "+strings.Repeat("9", wide)+" AS x FROM events", pages, Options{})
	require.Less(t, len(err.Error()), 2*maxSentence, "a quoted text is cut")
	for _, fault := range []string{"pge, ", "page, "} {
		_, err = Plan("SELECT "+strings.Repeat(fault, wide)+"amount FROM events", pages, Options{})
		var all Errors
		require.True(t, errors.As(err, &all))
		require.Len(t, all, maxFaults, "the first faults only")
	}
}

func TestClosest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"pge", "page"}, {"PAGE_", "page"}, {"apge", "page"}, {"amuont", "amount"}, {"zzz", ""}, {"p", ""}, {strings.Repeat("x", 500), ""},
	} {
		require.Equal(t, c.want, closest(c.word, []string{"page", "amount"}), c.word)
	}
}
