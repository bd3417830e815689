package planner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Keys are the columns of a result that tell its rows apart: the keys of the groups. With them a group that is put out again
// replaces what was put out of it before.
type Keys struct {
	// Columns of the result, by position.
	Columns []int
	// Exprs are what they are over the rows of the aggregate.
	Exprs []compute.Expr
	// Groups are the keys of GROUP BY that they stand for, over the rows below it.
	Groups []compute.Expr
}

var emptyIsNull = regexp.MustCompile(`^CASE WHEN \((.+) = ''\) THEN CAST\(NULL AS STRING\) ELSE (.+) END$`)

// NeverEmpty reports whether an expression certainly never is the empty text: nullif(x, ”), a date or number as text.
func NeverEmpty(e compute.Expr) bool {
	text := e.String()
	if m := emptyIsNull.FindStringSubmatch(text); m != nil {
		return m[1] == m[2]
	}
	return e.Type() != columnar.String || strings.HasPrefix(text, "date_format(") || strings.HasPrefix(text, "CAST(")
}

// Keys finds the keys of the result; query is the text that was planned. Nil: the query has no groups, and each row is put out once. An
// error, of type *Error, says which key the result does not have.
func (p *Planned) Keys(query string) (*Keys, error) {
	exprs := columnsOf(p.Physical.Schema())
	for n := p.Physical; ; n = n.Inputs()[0] {
		switch at := n.(type) {
		case *AggregateExec:
			return p.keysOf(at, exprs, query)
		case *ProjectExec:
			for i, e := range exprs {
				exprs[i] = compute.Substitute(e, func(c int) compute.Expr { return at.Exprs[c] })
			}
		case *FilterExec:
		default:
			return nil, p.keyless(n, query)
		}
	}
}

func columnsOf(s *columnar.Schema) []compute.Expr {
	out := make([]compute.Expr, s.Len())
	for i := range out {
		out[i] = columnOf(s, i, i)
	}
	return out
}

// keyless refuses groups below an operator that multiplies or mixes their rows.
func (p *Planned) keyless(n PhysicalNode, query string) error {
	if !aggregatesBelow(n) {
		return nil
	}
	what := "UNION ALL above groups"
	if _, ok := n.(*GenerateExec); ok {
		what = "explode above groups"
	}
	return p.keyFault(query, what+" makes rows that no key tells apart, so that a group that has changed cannot replace what was put out of it before", "write the groups themselves")
}

func aggregatesBelow(n PhysicalNode) bool {
	_, ok := n.(*AggregateExec)
	return ok || slices.ContainsFunc(n.Inputs(), aggregatesBelow)
}

// keysOf finds the column of each key, given what the columns are over the rows of the aggregate.
func (p *Planned) keysOf(a *AggregateExec, exprs []compute.Expr, query string) (*Keys, error) {
	out := &Keys{Columns: []int{}}
	described := a.operator().Keys
	var missing []string
	for k, key := range a.Keys {
		same := a.determining(k, key)
		at := slices.IndexFunc(exprs, func(e compute.Expr) bool {
			return slices.ContainsFunc(same, func(s compute.Expr) bool { return compute.Same(s, e) })
		})
		if at < 0 {
			missing = append(missing, described[k].SQL)
			continue
		}
		out.Columns, out.Exprs, out.Groups = append(out.Columns, at), append(out.Exprs, exprs[at]), append(out.Groups, key)
	}
	if len(missing) > 0 {
		return nil, p.keyFault(query, fmt.Sprintf("a group that changes replaces its row, which is found by the keys of the groups, and the result has no column for %s", strings.Join(missing, ", ")), "select it; of a window, the window or its start or end")
	}
	return out, nil
}

// determining are expressions over the rows of the aggregate that are as good as a key: the key, and of a window it, its start or its end.
func (a *AggregateExec) determining(k int, key compute.Expr) []compute.Expr {
	f := a.Out.Fields[k]
	column := compute.Column(k, f.Name, f.Type, f.Nullable)
	out := []compute.Expr{column}
	if size := windowSize(a.In, startOf(key)); size > 0 {
		w := windowStruct(column, size, f.Type)
		out = append(out, w, member(w, "start"), member(w, "end"))
	}
	return out
}

// startOf is the start of the window in a key: of a window over TIMESTAMP_NTZ the key is that start, converted.
func startOf(key compute.Expr) compute.Expr {
	reads := compute.Columns(key)
	if len(reads) == 1 && key.Type() == columnar.TimestampNTZ {
		start := compute.Column(reads[0], "window_start", columnar.Timestamp, true)
		if compute.Same(key, conversion(start, key.Type())) {
			return start
		}
	}
	return key
}

// keyFault is an error at the GROUP BY.
func (p *Planned) keyFault(query, message, hint string) *Error {
	return newError(query, groupsAt(p.Logical), "", message, hint)
}

// groupsAt is the place of the uppermost groups.
func groupsAt(n LogicalNode) int {
	if a, ok := n.(*Aggregate); ok {
		return a.at
	}
	for _, in := range n.Inputs() {
		if at := groupsAt(in); at > 0 {
			return at
		}
	}
	return 0
}
