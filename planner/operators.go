package planner

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Operator describes an operator with state by what its state is made of: two plans whose operators agree in it can use
// the same state, however the rows come to it.
type Operator struct {
	Name string // "aggregate-1", counted from the sink down
	Kind string // aggregate, session or dedup
	// Keys are what the groups are told apart by, with types: "page STRING", "window(ts, 10s, 10s, 0s) TIMESTAMP".
	// For a session the first one is the session.
	Keys []string
	// Calls are the aggregates with the types of their results: "sum(amount) DECIMAL(20,2)".
	Calls []string
}

// Operators lists the operators with state of a plan, from the sink down and from left to right.
func Operators(n PhysicalNode) []Operator {
	var out []Operator
	listOperators(n, &out)
	return out
}

func listOperators(n PhysicalNode, out *[]Operator) {
	switch n := n.(type) {
	case *AggregateExec:
		*out = append(*out, n.operator(len(*out)+1))
	case *DedupExec:
		*out = append(*out, n.operator(len(*out)+1))
	}
	for _, in := range n.Inputs() {
		listOperators(in, out)
	}
}

func (a *AggregateExec) operator(number int) Operator {
	o := Operator{Kind: "aggregate"}
	if a.Session != nil {
		o.Kind = "session"
		o.Keys = append(o.Keys, "session_window("+origin(a.In, a.Session.Time)+")")
	}
	o.Name = fmt.Sprintf("%s-%d", o.Kind, number)
	for _, k := range a.Keys {
		o.Keys = append(o.Keys, origin(a.In, k)+" "+k.Type().String())
	}
	for _, c := range a.Calls {
		o.Calls = append(o.Calls, c.String()+" "+c.Type().String())
	}
	return o
}

func (d *DedupExec) operator(number int) Operator {
	o := Operator{Kind: "dedup", Name: fmt.Sprintf("dedup-%d", number)}
	for _, k := range d.Keys {
		f := d.Schema().Fields[k]
		o.Keys = append(o.Keys, columnar.QuoteName(f.Name)+" "+f.Type.String())
	}
	return o
}

// origin prints an expression over the rows of n; a plain column as what it was computed from since the last operator with state.
func origin(n PhysicalNode, e compute.Expr) string {
	i, ok := compute.Position(e)
	if !ok {
		return e.String()
	}
	switch n := n.(type) {
	case *ProjectExec:
		return origin(n.In, n.Exprs[i])
	case *FilterExec:
		return origin(n.In, e)
	case *WatermarkExec:
		return origin(n.In, e)
	case *UnionExec:
		return origin(n.In[0], e)
	case *WindowExec:
		if i == n.Out.Len()-1 {
			return fmt.Sprintf("window(%s, %s, %s, %s)", origin(n.In, n.Time), micros(n.Size), micros(n.Slide), micros(n.Start))
		}
		return origin(n.In, e)
	}
	return e.String()
}
