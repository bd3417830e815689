package planner

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// Expression parses and binds one expression over the columns of a schema, such as the
// condition of a filter. A fault is returned as Errors, each with its place in the text.
func Expression(text string, s *columnar.Schema) (compute.Expr, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, Errors{err}
	}
	n := p.expr(lowest)
	if p.peek().kind != endToken {
		p.unexpected("the end of the expression")
	}
	if p.err == nil {
		p.checkExpression(n)
	}
	if p.err != nil {
		return nil, Errors{p.err}
	}
	b := &binder{text: text, scope: sourceScope("", "", Table{Schema: s}), clause: "a condition of a source"}
	if b.foreignCalls(n); len(b.errs) > 0 || b.unsupportedExpr(n) {
		return nil, b.errs
	}
	if e := b.expr(n); e != nil && len(b.errs) == 0 {
		return e, nil
	}
	return nil, b.errs
}
