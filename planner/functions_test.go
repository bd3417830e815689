package planner

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// TestFunctions: every function is documented and its example binds.
func TestFunctions(t *testing.T) {
	schema, err := ParseSchema("a BIGINT, b BIGINT, c BOOLEAN, d DATE, f BOOLEAN, s STRING, t TIMESTAMP")
	require.NoError(t, err)
	flags, err := ParseSchema("a BOOLEAN, b BOOLEAN")
	require.NoError(t, err)
	for _, f := range compute.Functions() {
		require.NotEmpty(t, f.Signature, f.Name)
		require.NotEmpty(t, f.Summary, f.Name)
		columns := schema
		if f.Name == "and" || f.Name == "or" || f.Name == "not" {
			columns = flags
		}
		if _, err := Expression(f.Example, columns); err != nil {
			require.ErrorContains(t, err, "UNSUPPORTED_FEATURE", f.Example)
		}
	}
}

const functionsPage = "../docs/functions.md"

// TestFunctionsPage: docs/functions.md is made of the table of functions; -rewrite makes it anew.
func TestFunctionsPage(t *testing.T) {
	page := functionsText()
	if flag.Lookup("rewrite").Value.String() == "true" {
		require.NoError(t, os.WriteFile(functionsPage, []byte(page), 0o644))
	}
	have, err := os.ReadFile(functionsPage)
	require.NoError(t, err)
	require.True(t, page == string(have), "the page is not up to date: run go test ./planner -rewrite")
}

func functionsText() string {
	var b strings.Builder
	b.WriteString(functionsIntro)
	writeFunctions(&b, compute.Functions())
	fmt.Fprintf(&b, "\nGenerators, which make several rows of one and stand alone in the SELECT list or in LATERAL VIEW: `%s`.\n", strings.Join(compute.GeneratorNames(), "`, `"))
	b.WriteString(aggregatesIntro)
	writeFunctions(&b, aggregate.Functions())
	b.WriteString("\n## Not there on purpose\n\n| function | it | instead |\n|---|---|---|\n")
	for _, name := range sortedKeys(refused) {
		fmt.Fprintf(&b, "| `%s()` | %s | %s |\n", name, refused[name].reason, refused[name].hint)
	}
	b.WriteString("\n## Where the answer is not Spark's\n\nOf the recorded expressions these are refused, each by decision:\n\n| expression | why |\n|---|---|\n")
	for _, text := range sortedKeys(knownDifferences) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", cell(text), knownDifferences[text])
	}
	for _, reason := range sortedKeys(moreDifferences) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", cell(strings.Join(moreDifferences[reason], "`, `")), reason)
	}
	b.WriteString(functionsEnd)
	return b.String()
}

func writeFunctions(b *strings.Builder, list []compute.FunctionInfo) {
	b.WriteString("| call | does | example |\n|---|---|---|\n")
	for _, f := range list {
		fmt.Fprintf(b, "| `%s` | %s | `%s` |\n", cell(f.Signature), cell(f.Summary), cell(f.Example))
	}
}

var cell = strings.NewReplacer("|", "\\|", "\n", " ").Replace

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return slices.Clip(keys)
}

const functionsEnd = `
Also:

* exp, sin and the other functions of real numbers may differ in the last digit: Java and Go compute them differently, and both are within the bounds of IEEE 754.
* The words epoch, now, today, tomorrow and yesterday are not read as dates or times: a constant should be one.
* A text of more than 256 MiB and an array of more than 16,777,216 elements fail their record.
* Zones whose rules before 1970 were merged in the time zone database follow the database of the binary.
`

const aggregatesIntro = `
## Aggregates

They take ` + "`DISTINCT`" + ` before their arguments and ` + "`FILTER (WHERE condition)`" + ` behind them. A NULL argument does not count, save for first, last and any_value.
An error of the result, such as a sum that overflows, belongs to no record and fails the run.

Where they are not Spark's: a set has one NaN, also that of collect_set, and no -0.0; of several most frequent values mode gives the least; DISTINCT, mode and
approx_count_distinct refuse a MAP, which has no equality.

`

const functionsIntro = `# Functions

Names, types, NULLs and errors are those of Spark 4.0.1 with ANSI mode on and the session in UTC. An error of ANSI mode fails the
row, which then goes where ` + "`on_bad_record`" + ` says; the ` + "`try_`" + ` functions give NULL instead. ` + "`lakewheel functions NAME`" + ` prints one line of this page.
The time functions of the present, such as ` + "`now()`" + `, give the time of the batch, the same for all of its rows.

`
