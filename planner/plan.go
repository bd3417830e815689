package planner

// Planned is a query at every stage of planning.
type Planned struct {
	Logical, Optimized LogicalNode
	Physical           PhysicalNode
	// Fired names the rules that changed the plan, in order.
	Fired []string
	// Folded are the parts of expressions that became constants: "(60 * 60) = 3600".
	Folded []string
}

// Options say how a query is planned.
type Options struct {
	Mode OutputMode
	// Spark refuses what Spark refuses on a stream although it can be run here: aggregates over DISTINCT values.
	Spark bool
}

// Plan parses, binds and optimizes a query. A fault of the query is returned as
// Errors, each with its place in the text.
func Plan(query string, cat Catalog, opts Options) (*Planned, error) {
	q, err := parseQuery(query)
	if err != nil {
		return nil, Errors{err}
	}
	logical, errs := bind(query, q, cat, opts)
	if len(errs) > 0 {
		return nil, errs
	}
	optimized, fired := optimize(logical)
	return &Planned{Logical: logical, Optimized: optimized, Physical: physical(optimized), Fired: fired, Folded: foldedParts(logical)}, nil
}

// Tree prints the plan at a stage: "logical", "optimized" or "physical". Any other
// stage gives "".
func (p *Planned) Tree(stage string) string {
	switch stage {
	case "logical":
		return FormatLogical(p.Logical)
	case "optimized":
		return FormatLogical(p.Optimized)
	case "physical":
		return FormatPhysical(p.Physical)
	}
	return ""
}
