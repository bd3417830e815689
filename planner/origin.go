package planner

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// OriginKind says what a column of a result is.
type OriginKind int

// The kinds of origins.
const (
	Computed     OriginKind = iota // anything else
	SourceColumn                   // a column of a source, as it is
	WindowStart                    // where a window begins
	WindowEnd                      // where it ends
	WindowBounds                   // STRUCT<start, end>
)

// Origin says what a column of a plan's result is, as far as it was only passed on, under any name.
type Origin struct {
	Kind   OriginKind
	Source string // of a SourceColumn
	Column string
	Hidden bool // Column is one of those that the source adds: _offset
	// Window is that of the other kinds.
	Window *WindowExec
}

// Origins are those of the columns of a plan. A column that has several, behind a UNION, is Computed.
func Origins(n PhysicalNode) []Origin {
	switch n := n.(type) {
	case *ScanExec:
		return n.origins()
	case *ProjectExec:
		return originsOf(n.Exprs, Origins(n.In))
	case *WindowExec:
		return append(Origins(n.In), Origin{Kind: WindowStart, Window: n})
	case *GenerateExec:
		in := Origins(n.In)
		out := make([]Origin, n.Out.Len())
		for i, k := range n.Keep {
			out[i] = in[k]
		}
		return out
	case *AggregateExec:
		keys := originsOf(n.Keys, Origins(n.In))
		out := make([]Origin, n.Out.Len())
		copy(out[n.Out.Len()-len(n.Calls)-len(keys):], keys)
		return out
	case *UnionExec:
		return commonOrigins(n)
	}
	return Origins(n.Inputs()[0])
}

func (s *ScanExec) origins() []Origin {
	out := make([]Origin, len(s.Columns))
	for i, c := range s.Columns {
		out[i] = Origin{Kind: SourceColumn, Source: s.Source, Column: s.Out.Fields[i].Name, Hidden: c.Hidden}
	}
	return out
}

func originsOf(exprs []compute.Expr, in []Origin) []Origin {
	out := make([]Origin, len(exprs))
	for i, e := range exprs {
		out[i] = originOf(e, in)
	}
	return out
}

func originOf(e compute.Expr, in []Origin) Origin {
	if at, ok := compute.Position(e); ok {
		return in[at]
	}
	reads := compute.Columns(e)
	if len(reads) != 1 || in[reads[0]].Kind != WindowStart {
		return Origin{}
	}
	o := in[reads[0]]
	start := compute.Column(reads[0], "", columnar.Timestamp, false)
	e = compute.Substitute(e, func(int) compute.Expr { return start }) // whatever the column is called
	whole := windowStruct(start, o.Window.Size, columnar.Timestamp)
	switch {
	case compute.Same(e, whole):
		o.Kind = WindowBounds
	case compute.Same(e, member(whole, "end")):
		o.Kind = WindowEnd
	default:
		return Origin{}
	}
	return o
}

// commonOrigins are those that a column has in all inputs.
func commonOrigins(n *UnionExec) []Origin {
	out := Origins(n.In[0])
	for _, in := range n.In[1:] {
		for i, o := range Origins(in) {
			if o != out[i] {
				out[i] = Origin{}
			}
		}
	}
	return out
}
