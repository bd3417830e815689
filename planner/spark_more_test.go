package planner

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// moreDifferences are expressions that are refused or answered otherwise than by
// Spark, by the reason.
var moreDifferences = map[string][]string{
	"half of a UTF-16 pair has no UTF-8": {`mask('Abc','🎉')`, `regexp_replace('🎉b🎉b','b','x',2)`, `regexp_replace('🎉','.','x',2)`},
	"not a regular language":             {`rlike('aa','(a)\\1')`, `rlike('aa','(?<x>a)\\k<x>')`},
	"conversions of format_string that print addresses, hashes or parts of times, or nested values": {`format_string('%a',1D)`, `format_string('%h','abc')`, `format_string('%h',255)`,
		`format_string('%tY',TIMESTAMP'2024-01-01 00:00:00')`, `format_string('%s', array(1,2))`},
	"exponents and forms for negative numbers in format_number": {`format_number(1234.5,'0.00E0')`, `format_number(-1234.5,'#,##0.00;(#,##0.00)')`},
	"only ASCII digits are digits":                              {`to_number('１２','99')`},
	"a digit before a point that the format begins with":        {`to_number('1','.9')`},
	"rare forms of Java are refused": {`rlike('é','(?U)\\w')`, `rlike('漢','\\p{InCJKUnifiedIdeographs}')`, `rlike('é','\\p{javaLowerCase}')`,
		`rlike('a','\\p{block=BasicLatin}')`, `rlike('a','\\N{LATIN SMALL LETTER A}')`, `rlike('é','\\X')`},
}

// TestMoreSparkFunctions compares further expressions with Spark's answers, as
// integration/spark/gen_functions.py recorded them.
func TestMoreSparkFunctions(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark/functions_more.json")
	require.NoError(t, err)
	different := map[string]bool{}
	for _, list := range moreDifferences {
		for _, text := range list {
			different[text] = true
		}
	}
	for line := range bytes.Lines(raw) {
		var c sparkCase
		require.NoError(t, json.Unmarshal(line, &c))
		e, err := Expression(c.Expr, columnar.NewSchema())
		got := sparkOutcome(e, err, c.As)
		if same := sameOutcome(got, c) || anyError(c.Error) && strings.HasPrefix(got, "error "); same == different[c.Expr] {
			t.Errorf("%s\n  got  %s\n  want %s %s%s", c.Expr, got, c.Type, c.Value, c.Error)
			continue
		}
		if err == nil && compute.Literal(compute.Fold(e)) {
			require.Equal(t, got, sparkOutcome(compute.Fold(e), nil, c.As), "folded: %s", c.Expr)
		}
	}
}

// anyError reports whether Spark failed with an exception of Java and no condition.
func anyError(condition string) bool {
	return strings.HasSuffix(condition, "Exception") && condition != "USER_RAISED_EXCEPTION"
}

// unrecorded are the examples that Spark cannot answer once for all, or not at all.
var unrecorded = map[string]string{}

// TestExamples: Spark's answer is recorded for the example of every function that reads
// neither a column nor the clock.
func TestExamples(t *testing.T) {
	raw, err := os.ReadFile("testdata/spark/functions_more.json")
	require.NoError(t, err)
	recorded := map[string]bool{}
	for line := range bytes.Lines(raw) {
		var c sparkCase
		require.NoError(t, json.Unmarshal(line, &c))
		recorded[c.Expr] = true
	}
	for _, f := range compute.Functions() {
		_, err := Expression(f.Example, columnar.NewSchema())
		clock := strings.Contains(f.Example, "current_") || strings.Contains(f.Example, "curdate") || strings.Contains(f.Example, "now()") || strings.Contains(f.Example, "localtimestamp") || f.Example == "unix_timestamp()"
		if err == nil && !clock && unrecorded[f.Example] == "" {
			require.True(t, recorded[f.Example], "ask gen_functions.py: %s", f.Example)
		}
	}
}
