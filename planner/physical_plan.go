package planner

// physical lowers an optimized logical plan.
func physical(n LogicalNode) PhysicalNode {
	in := make([]PhysicalNode, 0, 1)
	for _, x := range n.Inputs() {
		in = append(in, physical(x))
	}
	switch n := n.(type) {
	case *Filter:
		return &FilterExec{In: in[0], Pred: n.Pred}
	case *Project:
		return &ProjectExec{In: in[0], Exprs: n.Exprs, Out: n.Out}
	case *Generate:
		return &GenerateExec{In: in[0], Generator: n.Generator, Keep: n.Keep, Out: n.Out}
	case *Union:
		return &UnionExec{In: in, Out: n.Out}
	case *Watermark:
		return &WatermarkExec{In: in[0], Source: n.Source, Column: n.Column, Delay: n.Delay}
	case *Dedup:
		return &DedupExec{In: in[0], Keys: n.Keys, Within: n.Within, Delay: n.Delay, EventTime: n.EventTime}
	case *Window:
		return &WindowExec{In: in[0], Time: n.Time, Size: n.Size, Slide: n.Slide, Start: n.Start, Out: n.Out}
	case *Aggregate:
		return &AggregateExec{In: in[0], Keys: n.Keys, Calls: n.Calls, Event: n.Event, Session: n.Session, Mode: n.Mode, Out: n.Out}
	case *Sort:
		return &SortExec{In: in[0], Keys: n.Keys}
	case *Limit:
		return &LimitExec{In: in[0], N: n.N, Skip: n.Skip}
	}
	scan := n.(*Scan)
	return &ScanExec{Source: scan.Source, Columns: scan.Columns, Out: scan.Out}
}
