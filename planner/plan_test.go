package planner

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// TestPlans runs testdata. Commands:
//
//	table name=N [hidden=true] [watermark=C] [dedup=(K, ...)] [within=true]
//	          declares a source, or its hidden columns, by DDL; its watermark stays 10 s behind column C
//	plan [mode=M] [stage=S] [expect=R] [expect-not=R]   prints the plan at a stage, or the fault
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
			mode := modeOf(t, d)
			p, err := Plan(d.Input, cat, Options{Mode: mode})
			if err != nil {
				return describeError(t, err)
			}
			checkPlanned(t, d.Input, cat, mode, p)
			return describePlanned(t, d, p)
		})
	})
}

func modeOf(t *testing.T, d *datadriven.TestData) OutputMode {
	name := "append"
	d.MaybeScanArgs(t, "mode", &name)
	return parseMode(t, name)
}

func parseMode(t *testing.T, name string) OutputMode {
	t.Helper()
	for m := Append; m <= Complete; m++ {
		if m.String() == name {
			return m
		}
	}
	require.Fail(t, "no output mode", name)
	return Append
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
	if d.HasArg("watermark") {
		table.EventTime = &EventTime{Delay: 10_000_000}
		d.ScanArgs(t, "watermark", &table.EventTime.Column)
	}
	if arg, ok := d.Arg("dedup"); ok {
		table.Dedup = &DedupRule{Keys: arg.Vals, Within: d.HasArg("within")}
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
func checkPlanned(t *testing.T, text string, cat Catalog, mode OutputMode, p *Planned) {
	t.Helper()
	require.Less(t, len(p.Fired), maxPasses)
	for _, r := range rules {
		_, changed := r.apply(p.Optimized)
		require.False(t, changed, "%s has not converged", r.name)
	}
	again, err := Plan(text, cat, Options{Mode: mode})
	require.NoError(t, err)
	for _, stage := range []string{"logical", "optimized", "physical"} {
		require.Equal(t, p.Tree(stage), again.Tree(stage))
	}
	require.Equal(t, Fingerprint(p.Physical), Fingerprint(again.Physical))
	require.True(t, p.Logical.Schema().Equal(p.Optimized.Schema()))
	require.True(t, p.Logical.Schema().Equal(p.Physical.Schema()))
	checkShape(t, p.Physical)
}

// checkShape asserts the shape that the comment of PhysicalNode describes.
func checkShape(t *testing.T, n PhysicalNode) {
	t.Helper()
	switch n := n.(type) {
	case *SortExec, *LimitExec:
		checkShape(t, n.Inputs()[0])
		return
	case *UnionExec:
		for _, in := range n.In {
			require.Equal(t, n.Out.Len(), in.Schema().Len())
			checkChain(t, in)
		}
		return
	}
	checkChain(t, n)
}

// checkChain asserts a chain of operators without state down to a scan or to an operator with state.
func checkChain(t *testing.T, n PhysicalNode) {
	t.Helper()
	for {
		checkWidth(t, n)
		switch x := n.(type) {
		case *ProjectExec, *FilterExec, *GenerateExec, *WindowExec, *SortExec, *LimitExec:
			n = n.Inputs()[0]
		case *WatermarkExec:
			for n = x.In; ; n = n.Inputs()[0] {
				if _, ok := n.(*FilterExec); !ok {
					break
				}
			}
			require.IsType(t, &ScanExec{}, n)
		case *ScanExec:
			require.Empty(t, x.Inputs())
			require.Len(t, x.Columns, x.Out.Len())
			return
		default:
			require.True(t, isStateful(n), "%T", n)
			checkShape(t, n.Inputs()[0])
			return
		}
	}
}

func isStateful(n PhysicalNode) bool {
	switch n.(type) {
	case *AggregateExec, *DedupExec:
		return true
	}
	return false
}

// checkWidth asserts that an operator has a type for each of its columns.
func checkWidth(t *testing.T, n PhysicalNode) {
	t.Helper()
	switch n := n.(type) {
	case *ProjectExec:
		require.Len(t, n.Exprs, n.Out.Len())
		for i, e := range n.Exprs {
			require.Equal(t, n.Out.Fields[i].Type, e.Type())
		}
	case *FilterExec:
		require.Equal(t, columnar.Boolean, n.Pred.Type())
	case *WindowExec:
		require.Equal(t, n.In.Schema().Len()+1, n.Out.Len())
		require.Equal(t, columnar.Timestamp, n.Time.Type())
	case *AggregateExec:
		first := n.Out.Len() - len(n.Calls) - len(n.Keys)
		require.Equal(t, n.Session != nil, first == 2)
		for i, k := range n.Keys {
			require.Equal(t, n.Out.Fields[first+i].Type, k.Type())
		}
		for i, c := range n.Calls {
			require.Equal(t, n.Out.Fields[first+len(n.Keys)+i].Type, c.Type())
		}
	}
}

// The fingerprint is that of the plan: how the text is laid out, what is folded and what
// is not read leave it alone; source, columns, expressions and names change it.
func TestFingerprint(t *testing.T) {
	fingerprint := func(text string) string {
		p, err := Plan(text, pages, Options{})
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
