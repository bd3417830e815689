package planner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Operator describes an operator with state by what its state is made of: two plans whose operators agree in it can use
// the same state, however the rows come to it.
type Operator struct {
	Kind string // aggregate, session, dedup or dedup_within
	// Mode is the output mode of an aggregate or of sessions: what is kept depends on it. "" for the others.
	Mode string
	// Keys are what groups are told apart by. For a session the first one is the session itself.
	Keys  []OperatorKey
	Calls []OperatorCall
}

// OperatorKey is an expression over the rows of the sources, or of the operator with state below.
type OperatorKey struct {
	SQL, Type string // "window(ts, '10 seconds')", "TIMESTAMP"
	Window    int64  // microseconds from the value on, where the key is the start of a window; 0: it is none
}

// OperatorCall is an aggregate. Type is that of its result; with the types of its inputs it says how its state is to be read.
type OperatorCall struct {
	SQL, Type string
	Inputs    []string
}

// Operators lists the operators with state of a plan, from the sink down and from left to right.
func Operators(n PhysicalNode) []Operator {
	var out []Operator
	switch n := n.(type) {
	case *AggregateExec:
		out = append(out, n.operator())
	case *DedupExec:
		out = append(out, n.operator())
	}
	for _, in := range n.Inputs() {
		out = append(out, Operators(in)...)
	}
	return out
}

func (a *AggregateExec) operator() Operator {
	o := Operator{Kind: "aggregate", Mode: a.Mode.String()}
	if a.Session != nil {
		o.Kind = "session"
		o.Keys = append(o.Keys, OperatorKey{SQL: fmt.Sprintf("session_window(%s, %s)", traced(a.In, a.Session.Time), gapText(traced(a.In, a.Session.Gap))), Type: columnar.Timestamp.String()})
	}
	for _, k := range a.Keys {
		o.Keys = append(o.Keys, OperatorKey{SQL: traced(a.In, k).String(), Type: k.Type().String(), Window: windowSize(a.In, k)})
	}
	for _, c := range a.Calls {
		o.Calls = append(o.Calls, operatorCall(a.In, c))
	}
	return o
}

func operatorCall(in PhysicalNode, c *aggregate.Call) OperatorCall {
	out := OperatorCall{Type: c.Type().String(), Inputs: []string{}}
	inputs := make([]compute.Expr, len(c.Inputs()))
	for i, e := range c.Inputs() {
		inputs[i] = traced(in, e)
		out.Inputs = append(out.Inputs, e.Type().String())
	}
	out.SQL = c.With(inputs).String()
	return out
}

func (d *DedupExec) operator() Operator {
	o := Operator{Kind: "dedup"}
	if d.Within {
		o.Kind = "dedup_within"
	}
	schema := d.Schema()
	for _, k := range d.Keys {
		f := schema.Fields[k]
		o.Keys = append(o.Keys, OperatorKey{SQL: traced(d.In, compute.Column(k, f.Name, f.Type, f.Nullable)).String(), Type: f.Type.String()})
	}
	return o
}

// traced rewrites an expression over the rows of n as one over the columns of the scan, or of the aggregate, from which they come. What
// no expression computes there, such as a window, becomes a name.
func traced(n PhysicalNode, e compute.Expr) compute.Expr {
	if compute.Size(e) > maxNodes {
		return e
	}
	var in PhysicalNode
	var to func(i int) compute.Expr
	switch n := n.(type) {
	case *ProjectExec:
		in, to = n.In, func(i int) compute.Expr { return n.Exprs[i] }
	case *WindowExec:
		in, to = n.In, n.column
	case *GenerateExec:
		in, to = n.In, n.column
	case *FilterExec, *WatermarkExec, *DedupExec:
		return traced(n.Inputs()[0], e)
	case *UnionExec:
		return tracedUnion(n, e)
	default:
		return e
	}
	return traced(in, compute.Substitute(e, to))
}

// tracedUnion is what the expression is in every branch, whichever comes first.
func tracedUnion(u *UnionExec, e compute.Expr) compute.Expr {
	first, texts := traced(u.In[0], e), []string{}
	for _, in := range u.In {
		texts = append(texts, traced(in, e).String())
	}
	slices.Sort(texts)
	if texts = slices.Compact(texts); len(texts) == 1 {
		return first
	}
	return compute.Variable("union("+strings.Join(texts, " | ")+")", e.Type())
}

// column is what a column of the rows is in those of the input.
func (w *WindowExec) column(i int) compute.Expr {
	if i < w.Out.Len()-1 {
		return columnOf(w.Out, i, i)
	}
	text := fmt.Sprintf("window(%s, '%s'", traced(w.In, w.Time), intervalWords(w.Size))
	if w.Slide != w.Size || w.Start != 0 {
		text += fmt.Sprintf(", '%s'", intervalWords(w.Slide))
	}
	if w.Start != 0 {
		text += fmt.Sprintf(", '%s'", intervalWords(w.Start))
	}
	return compute.Variable(text+")", columnar.Timestamp)
}

// column is what a column of the rows is in those of the input.
func (g *GenerateExec) column(i int) compute.Expr {
	if i < len(g.Keep) {
		return columnOf(g.Out, i, g.Keep[i])
	}
	from := g.Generator.With(traced(g.In, g.Generator.List))
	return compute.Variable(fmt.Sprintf("%s#%d", from, i-len(g.Keep)), g.Out.Fields[i].Type)
}

// columnOf refers to column i of s, which stands at another place.
func columnOf(s *columnar.Schema, i, place int) compute.Expr {
	f := s.Fields[i]
	return compute.Column(place, f.Name, f.Type, f.Nullable)
}

// windowSize is the size of the window whose start an expression over the rows of n is, 0 if it is none.
func windowSize(n PhysicalNode, e compute.Expr) int64 {
	for {
		i, ok := compute.Position(e)
		if !ok {
			return 0
		}
		switch at := n.(type) {
		case *WindowExec:
			if i == at.Out.Len()-1 {
				return at.Size
			}
		case *ProjectExec:
			e = at.Exprs[i]
		case *FilterExec, *WatermarkExec, *DedupExec, *UnionExec:
		default:
			return 0
		}
		n = n.Inputs()[0]
	}
}

// gapText prints the gap of a session, in microseconds: a constant as an interval.
func gapText(gap compute.Expr) string {
	if us, err := strconv.ParseInt(gap.String(), 10, 64); err == nil && compute.Literal(gap) {
		return "'" + intervalWords(us) + "'"
	}
	return gap.String()
}
