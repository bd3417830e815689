package planner

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// TestPlans runs testdata. Commands:
//
//	table name=N [hidden=true]   declares a source, or its hidden columns, by DDL
//	plan [stage=S] [expect=R] [expect-not=R]   prints the plan at a stage, or the fault
//	steps     prints the logical plan and the plan after each rule that changed it
//	columns   prints the output columns
//	names     says whether the output can be a table
//	schema    prints the schema that a DDL declares, or the fault
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.HasPrefix(filepath.Ext(path), ".json") {
			return
		}
		if strings.Contains(path, "fuzz") {
			return
		}
		cat := Catalog{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				return declare(t, cat, d)
			case "schema":
				return describeSchema(d.Input)
			}
			p, err := Plan(d.Input, cat, Append)
			if err != nil {
				return describeError(t, err)
			}
			checkPlanned(t, d.Input, cat, p)
			return describePlanned(t, d, p)
		})
	})
}

func declare(t *testing.T, cat Catalog, d *datadriven.TestData) string {
	var name string
	d.ScanArgs(t, "name", &name)
	s, err := ParseSchema(d.Input)
	require.NoError(t, err)
	table := cat[name]
	if d.HasArg("hidden") {
		table.Hidden = s
	} else {
		table.Schema = s
	}
	cat[name] = table
	return ""
}

func describeError(t *testing.T, err error) string {
	var all Errors
	require.True(t, errors.As(err, &all))
	require.NotEmpty(t, all)
	return all.Pretty() + "\n"
}

func describeSchema(ddl string) string {
	s, err := ParseSchema(ddl)
	var fault *Error
	if errors.As(err, &fault) {
		return fault.Pretty() + "\n"
	}
	return fieldLines(s)
}

func fieldLines(s *columnar.Schema) string {
	var b strings.Builder
	for _, f := range s.Fields {
		b.WriteString(columnar.NewSchema(f).String() + "\n")
	}
	return b.String()
}

func describePlanned(t *testing.T, d *datadriven.TestData, p *Planned) string {
	switch d.Cmd {
	case "plan":
		checkFired(t, d, p.Fired)
		stage := "physical"
		d.MaybeScanArgs(t, "stage", &stage)
		return p.Tree(stage)
	case "steps":
		return steps(p.Logical)
	case "columns":
		return fieldLines(p.Physical.Schema())
	case "names":
		if err := CheckTableNames(p.Physical.Schema()); err != nil {
			return err.Error() + "\n"
		}
		return "ok\n"
	case "statement":
		return "plans\n"
	}
	d.Fatalf(t, "unknown command %s", d.Cmd)
	return ""
}

func checkFired(t *testing.T, d *datadriven.TestData, fired []string) {
	for _, arg := range d.CmdArgs {
		for _, rule := range arg.Vals {
			switch arg.Key {
			case "expect":
				require.Contains(t, fired, rule, d.Pos)
			case "expect-not":
				require.NotContains(t, fired, rule, d.Pos)
			}
		}
	}
}

// steps applies the rules one at a time.
func steps(n LogicalNode) string {
	var b strings.Builder
	b.WriteString(FormatLogical(n))
	for again := true; again; {
		again = false
		for _, r := range rules {
			next, changed := r.apply(n)
			if changed {
				n, again = next, true
				b.WriteString(r.name + "\n" + FormatLogical(n))
			}
		}
	}
	return b.String()
}

// checkPlanned asserts what holds for every plan: rules have converged, planning is
// deterministic, the output schema survives, and the physical plan has its shape.
func checkPlanned(t *testing.T, text string, cat Catalog, p *Planned) {
	t.Helper()
	require.Less(t, len(p.Fired), maxPasses)
	for _, r := range rules {
		_, changed := r.apply(p.Optimized)
		require.False(t, changed, "%s has not converged", r.name)
	}
	again, err := Plan(text, cat, Append)
	require.NoError(t, err)
	for _, stage := range []string{"logical", "optimized", "physical"} {
		require.Equal(t, p.Tree(stage), again.Tree(stage))
	}
	require.Equal(t, Fingerprint(p.Physical), Fingerprint(again.Physical))
	require.True(t, p.Logical.Schema().Equal(p.Optimized.Schema()))
	require.True(t, p.Logical.Schema().Equal(p.Physical.Schema()))
	checkShape(t, p.Physical)
}

// checkShape asserts a chain from a projection to a scan of which every column is read,
// or a union of such chains.
func checkShape(t *testing.T, n PhysicalNode) {
	t.Helper()
	if u, ok := n.(*UnionExec); ok {
		for _, in := range u.In {
			require.True(t, u.Out.Len() == in.Schema().Len())
			checkShape(t, in)
		}
		return
	}
	project, ok := n.(*ProjectExec)
	require.True(t, ok)
	require.Len(t, project.Exprs, project.Out.Len())
	below, used := project.In, map[int]bool{}
	use := func(e compute.Expr) {
		for _, i := range compute.Columns(e) {
			used[i] = true
		}
	}
	for _, e := range project.Exprs {
		use(e)
	}
	if f, ok := below.(*FilterExec); ok {
		require.Equal(t, columnar.Boolean, f.Pred.Type())
		use(f.Pred)
		below = f.In
	}
	scan, ok := below.(*ScanExec)
	if !ok {
		return
	}
	require.Empty(t, scan.Inputs())
	require.Len(t, scan.Columns, scan.Out.Len())
	require.Len(t, used, len(scan.Columns))
}

// The fingerprint is that of the plan: how the text is laid out, what is folded and what
// is not read leave it alone; source, columns, expressions and names change it.
func TestFingerprint(t *testing.T) {
	fingerprint := func(text string) string {
		p, err := Plan(text, pages, Append)
		require.NoError(t, err)
		return Fingerprint(p.Physical)
	}
	const query = "SELECT page, amount + 2 AS more FROM events WHERE page <> 'x'"
	require.Regexp(t, "^[0-9a-f]{16}$", fingerprint(query))
	for _, same := range []string{
		"select e.page,\n  (amount + (1 + 1)) as more -- two more\nfrom Events e where e.page != 'x';",
		"SELECT `page`, `amount` + 2L more FROM events WHERE page <> 'x'",
	} {
		require.Equal(t, fingerprint(query), fingerprint(same), same)
	}
	for _, other := range []string{
		"SELECT page, amount + 3 AS more FROM events WHERE page <> 'x'",
		"SELECT page, amount + 2 AS most FROM events WHERE page <> 'x'",
		"SELECT page, amount + 2 AS more FROM events",
		"SELECT amount + 2 AS more, page FROM events WHERE page <> 'x'",
	} {
		require.NotEqual(t, fingerprint(query), fingerprint(other), other)
	}
}
