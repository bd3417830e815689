package compute

import "github.com/lakewheel/lakewheel/columnar"

// membership is IN over a list.
type membership struct {
	list  []Expr // the value first
	equal kernel
}

func bindIn(_ string, args []Expr) (Expr, error) {
	list, t, ok := common(args)
	if !ok {
		return nil, mismatch("DATA_DIFF_TYPES", "(%s IN (%s)): the values should all be of the same type, got %s.", args[0], joined(args[1:]), typeList(args))
	}
	return &membership{list, compareKernel("=", t)}, nil
}

func (m *membership) Type() columnar.Type { return columnar.Boolean }
func (m *membership) Nullable() bool      { return anyNullable(m.list) }
func (m *membership) inputs() []Expr      { return m.list }
func (m *membership) with(in []Expr) Expr { return &membership{in, m.equal} }
func (m *membership) String() string {
	return "(" + m.list[0].String() + " IN (" + joined(m.list[1:]) + "))"
}

// eval compares the value with one element after the other, for the rows without a
// match so far. A row that meets a NULL and no match is NULL.
func (m *membership) eval(ev *Evaluator, rows []int32) *vector {
	value := m.list[0].eval(ev, rows)
	out := ev.vector(columnar.Boolean)
	open := ev.live(rows, out, value)
	for _, i := range open {
		out.data[i] = 0
	}
	unsure := &vector{}
	for _, e := range m.list[1:] {
		if len(open) == 0 {
			break
		}
		element := e.eval(ev, open)
		f := frame{Evaluator: ev, args: []*vector{value, element}, out: ev.vector(columnar.Boolean)}
		f.rows = ev.live(open, unsure, element)
		if len(f.rows) > 0 {
			m.equal(&f)
		}
		hit := ev.pick(f.out, f.rows)
		for _, i := range hit {
			out.data[i] = 1
		}
		open = ev.exclude(open, hit)
	}
	if unsure.null != nil {
		for _, i := range open {
			if unsure.null[i] != 0 {
				ev.setNull(out, i)
			}
		}
	}
	return out
}
