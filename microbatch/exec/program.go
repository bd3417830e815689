package exec

import (
	"fmt"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/planner"
)

// Program is a compiled plan: a Pipeline for each source that it reads, and the stateful operators behind them.
type Program struct {
	// Plan is what it was compiled from.
	Plan planner.PhysicalNode
	// Pipelines of the inputs, in their order.
	Pipelines []*Pipeline
	// Operators from the sink down, as Spark lists them; rows go through them in the opposite order.
	Operators []*Operator
	// Watermarks are the places where event time is observed.
	Watermarks []Watermark
	Mode       planner.OutputMode
	Out        *columnar.Schema
	finish     []step           // of a complete result
	late       *columnar.Schema // of the table of late rows; nil: they are only counted
	keyed      *keyed           // nil: the sink replaces no groups
}

// Watermark is a place where the event time of a source is observed. Names are unique in a program.
type Watermark struct {
	Name   string
	Source string
	Delay  int64 // microseconds
}

// ToSink is the target of rows that no stateful operator takes.
const ToSink = -1

// Settings shape how a plan runs.
type Settings struct {
	Mode planner.OutputMode
	// Lateness keeps windows for so long after their end, in update mode: a window is put out when the watermark reaches its end,
	// and again in each batch that brings late rows, as Flink does. 0: windows end with the watermark, as in Spark.
	Lateness time.Duration
	// KeepLate makes rows of LateSchema of what is late at the first stateful operator.
	KeepLate bool
	// Keys are those of the groups of the result, for a sink that replaces groups; nil: it adds rows.
	Keys *planner.Keys
	// Within leaves out, where event time is observed, the rows that are not of a span of it; nil: none.
	Within *TimeSpan
}

// TimeSpan is a half-open span of event time, microseconds.
type TimeSpan struct{ From, Until int64 }

// Compile turns a physical plan over some sources into a Program.
func Compile(plan planner.PhysicalNode, set Settings, inputs ...Input) (*Program, error) {
	c := &compiler{p: &Program{Plan: plan, Mode: set.Mode, Out: plan.Schema(), keyed: newKeyed(set.Keys, plan.Schema())}, lateness: set.Lateness.Microseconds(), within: set.Within}
	if set.KeepLate {
		var err error
		if c.p.late, err = LateSchema(inputs...); err != nil {
			return nil, err
		}
	}
	for _, in := range inputs {
		p := &Pipeline{input: in, decoded: &columnar.Schema{}}
		if in.Format == "csv" || set.KeepLate { // values of CSV have places, not names; late rows are kept whole
			p.decoded = withoutCorrupt(in.Schema)
		}
		c.p.Pipelines = append(c.p.Pipelines, p)
	}
	if err := c.stage(c.finish(plan), ToSink, nil); err != nil {
		return nil, err
	}
	c.p.describe(plan)
	return c.p, nil
}

// Rises reports whether an operator has to be run, without data, when the watermark has risen.
func (p *Program) Rises() bool {
	for _, op := range p.Operators {
		if op.rises() {
			return true
		}
	}
	return false
}

// compiler cuts a plan at its stateful operators.
type compiler struct {
	p        *Program
	lateness int64 // microseconds
	within   *TimeSpan
}

// finish takes the operators over a complete result off the top of a plan.
func (c *compiler) finish(plan planner.PhysicalNode) planner.PhysicalNode {
	top := plan
	for {
		switch n := plan.(type) {
		case *planner.SortExec:
			c.p.finish = append([]step{&sorting{n.Keys}}, c.p.finish...)
			plan = n.In
		case *planner.LimitExec:
			c.p.finish = append([]step{&limit{n.N, n.Skip}}, c.p.finish...)
			plan = n.In
		case *planner.ProjectExec:
			if !sorted(n.In) {
				return plan
			}
			c.p.finish = append([]step{newProject(n)}, c.p.finish...)
			plan = n.In
		default:
			if len(c.p.finish) == 0 {
				return top
			}
			return plan
		}
	}
}

func sorted(n planner.PhysicalNode) bool {
	switch n := n.(type) {
	case *planner.SortExec, *planner.LimitExec:
		return true
	case *planner.ProjectExec:
		return sorted(n.In)
	}
	return false
}

// stage compiles the stateless operators from node down, whose rows go to a target. entry, if it is not nil, makes of them
// the columns that the target takes.
func (c *compiler) stage(node planner.PhysicalNode, target int, entry func() []step) error {
	var chain []planner.PhysicalNode // the last operator first
	for {
		switch n := node.(type) {
		case *planner.UnionExec:
			for _, in := range n.In {
				if err := c.stage(below(chain, in), target, entry); err != nil {
					return err
				}
			}
			return nil
		case *planner.ScanExec:
			return c.branch(n, chain, target, entry)
		case *planner.AggregateExec, *planner.DedupExec:
			return c.operator(n, chain, target, entry)
		}
		chain = append(chain, node)
		if len(node.Inputs()) != 1 {
			return fmt.Errorf("plan has an unknown operator %T", node)
		}
		node = node.Inputs()[0]
	}
}

// below stands a chain of operators on another input.
func below(chain []planner.PhysicalNode, in planner.PhysicalNode) planner.PhysicalNode {
	for i := len(chain) - 1; i >= 0; i-- {
		in = stacked{chain[i], in}
	}
	return in
}

// stacked is an operator over an input that the plan does not have: a branch of a union below it.
type stacked struct {
	planner.PhysicalNode
	in planner.PhysicalNode
}

func (s stacked) Inputs() []planner.PhysicalNode { return []planner.PhysicalNode{s.in} }

func (c *compiler) branch(scan *planner.ScanExec, chain []planner.PhysicalNode, target int, entry func() []step) error {
	for _, p := range c.p.Pipelines {
		if p.input.Name != scan.Source {
			continue
		}
		b := &branch{target: target}
		p.compileScan(b, scan)
		steps, err := c.steps(chain, entry)
		if err != nil {
			return err
		}
		b.steps = steps
		p.branches = append(p.branches, b)
		return nil
	}
	return fmt.Errorf("the plan reads source %s, which the pipeline does not have", scan.Source)
}

func (c *compiler) operator(n planner.PhysicalNode, chain []planner.PhysicalNode, target int, entry func() []step) error {
	above, err := c.steps(chain, entry)
	if err != nil {
		return err
	}
	op := newOperator(n, above, target, c.lateness)
	c.p.Operators = append(c.p.Operators, op)
	return c.stage(n.Inputs()[0], len(c.p.Operators)-1, op.entry)
}

// steps makes the steps of a chain, the first operator to run first.
func (c *compiler) steps(chain []planner.PhysicalNode, entry func() []step) ([]step, error) {
	var out []step
	for i := len(chain) - 1; i >= 0; i-- {
		s, err := c.step(chain[i])
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if entry != nil {
		out = append(out, entry()...)
	}
	share(out)
	return out, nil
}

func (c *compiler) step(node planner.PhysicalNode) (step, error) {
	if s, ok := node.(stacked); ok {
		node = s.PhysicalNode
	}
	switch n := node.(type) {
	case *planner.ProjectExec:
		return newProject(n), nil
	case *planner.FilterExec:
		return &filter{n.Pred}, nil
	case *planner.GenerateExec:
		return &generate{n}, nil
	case *planner.WindowExec:
		return &windows{n}, nil
	case *planner.WatermarkExec:
		return c.watermark(n), nil
	}
	return nil, fmt.Errorf("plan has an unknown operator %T between stateful ones", node)
}

// watermark gives each place where event time is observed a name: that of the source, then "events#2".
func (c *compiler) watermark(n *planner.WatermarkExec) step {
	times, name := 1, n.Source
	for _, w := range c.p.Watermarks {
		if w.Source == n.Source {
			times++
		}
	}
	if times > 1 {
		name = fmt.Sprintf("%s#%d", n.Source, times)
	}
	c.p.Watermarks = append(c.p.Watermarks, Watermark{Name: name, Source: n.Source, Delay: n.Delay})
	seen := &observe{column: n.Column, place: len(c.p.Watermarks) - 1}
	if c.within == nil {
		return seen
	}
	return &within{observe: seen, span: *c.within}
}
