package planner

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Derivations say how those columns of a result came about that can tell which rows are of a range: TIMESTAMPs, windows, and what a source adds to its
// columns. The same text for two plans means that the same records have the same values there; what is computed is of its plan alone.
func Derivations(n PhysicalNode) map[string]string {
	out := map[string]string{}
	origins := Origins(n)
	for i, f := range n.Schema().Fields {
		o := origins[i]
		if t := f.Type; t != columnar.Timestamp && t != columnar.TimestampNTZ && !o.Hidden && o.Window == nil {
			continue
		}
		if out[f.Name] = o.derivation(); out[f.Name] == "" {
			out[f.Name] = "computed by plan " + Fingerprint(n)
		}
	}
	return out
}

// derivation is "" for what is computed.
func (o Origin) derivation() string {
	if o.Kind == SourceColumn {
		return o.Source + "." + o.Column
	}
	if o.Window == nil {
		return ""
	}
	at, plain := compute.Position(o.Window.Time)
	if !plain {
		return ""
	}
	of := Origins(o.Window.In)[at].derivation()
	if of == "" {
		return ""
	}
	part := map[OriginKind]string{WindowStart: "start", WindowEnd: "end", WindowBounds: "bounds"}[o.Kind]
	return fmt.Sprintf("%s of window(%s, %d, %d, %d)", part, of, o.Window.Size, o.Window.Slide, o.Window.Start)
}
