package compute

import (
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
)

// lambda is the argument x -> body of a higher-order function.
type lambda struct {
	params []*variable
	body   Expr
}

// Lambda makes a function of variables, which Variable made.
func Lambda(params []Expr, body Expr) Expr {
	l := &lambda{body: body}
	for _, p := range params {
		l.params = append(l.params, p.(*variable))
	}
	return l
}

func (l *lambda) Type() columnar.Type                   { return l.body.Type() }
func (l *lambda) Nullable() bool                        { return l.body.Nullable() }
func (l *lambda) inputs() []Expr                        { return []Expr{l.body} }
func (l *lambda) with(inputs []Expr) Expr               { return &lambda{l.params, inputs[0]} }
func (l *lambda) eval(ev *Evaluator, r []int32) *vector { return l.body.eval(ev, r) }

func (l *lambda) String() string {
	names := make([]string, len(l.params))
	for i, p := range l.params {
		names[i] = p.name
	}
	if len(names) == 1 {
		return names[0] + " -> " + l.body.String()
	}
	return "(" + joinTexts(names) + ") -> " + l.body.String()
}

func joinTexts(list []string) string {
	text := ""
	for i, s := range list {
		if i > 0 {
			text += ", "
		}
		text += s
	}
	return text
}

// LambdaTypes gives the types of the parameters of the lambda at a position of a call,
// of which the arguments before it are known. ok is false for functions that take no
// lambda there.
func LambdaTypes(function string, args []Expr, params int) (types []columnar.Type, ok bool) {
	give, ok := lambdaTypes[function]
	if !ok {
		return nil, false
	}
	types = give(args)
	if params > len(types) {
		return nil, false
	}
	return types[:params], true
}

// TakesLambda reports whether a function has lambdas among its arguments.
func TakesLambda(function string) bool { return lambdaTypes[function] != nil }

var lambdaTypes = map[string]func(args []Expr) []columnar.Type{
	"transform": elementAndIndex, "filter": elementAndIndex, "exists": element, "forall": element,
	"array_sort": elementTwice, "aggregate": accumulated, "reduce": accumulated, "zip_with": bothElements,
	"map_filter": keyAndValue, "transform_keys": keyAndValue, "transform_values": keyAndValue, "map_zip_with": keyAndBothValues,
}

func part(e Expr, kind columnar.Kind, k int) columnar.Type {
	if e.Type().Kind != kind {
		return columnar.Null
	}
	return e.Type().Parts()[k].Type
}

func element(args []Expr) []columnar.Type {
	return []columnar.Type{part(args[0], columnar.ArrayKind, 0)}
}

func elementAndIndex(args []Expr) []columnar.Type { return append(element(args), columnar.Int) }

func elementTwice(args []Expr) []columnar.Type { return append(element(args), element(args)...) }

func bothElements(args []Expr) []columnar.Type {
	if len(args) < 2 {
		return nil
	}
	return append(element(args), element(args[1:])...)
}

func keyAndValue(args []Expr) []columnar.Type {
	return []columnar.Type{part(args[0], columnar.MapKind, 0), part(args[0], columnar.MapKind, 1)}
}

func keyAndBothValues(args []Expr) []columnar.Type {
	if len(args) < 2 {
		return nil
	}
	return append(keyAndValue(args), part(args[1], columnar.MapKind, 1))
}

// accumulated are the types for aggregate(array, zero, merge, finish): the accumulator
// has the type of the zero.
func accumulated(args []Expr) []columnar.Type {
	switch len(args) {
	case 2:
		return []columnar.Type{args[1].Type(), part(args[0], columnar.ArrayKind, 0)}
	case 3:
		return []columnar.Type{args[1].Type()}
	}
	return nil
}

var higherOrderFunctions = []function{
	entry("transform", "transform(a, x -> f)", "The ARRAY of f of each element; (x, i) -> f gets the index, too.", "transform(array(1, 2), x -> x + 1)", 2, 2, bindTransform),
	entry("filter", "filter(a, x -> f)", "The elements for which f is TRUE.", "filter(array(1, 2), x -> x > 1)", 2, 2, bindFilter),
	entry("exists", "exists(a, x -> f)", "TRUE if f is TRUE for an element.", "exists(array(1, 2), x -> x = 2)", 2, 2, bindQuantifier(1)),
	entry("forall", "forall(a, x -> f)", "TRUE if f is TRUE for every element.", "forall(array(1, 2), x -> x > 0)", 2, 2, bindQuantifier(0)),
	entry("aggregate", "aggregate(a, zero, (acc, x) -> f[, acc -> g])", "The elements merged into zero one by one.", "aggregate(array(1, 2), 0, (acc, x) -> acc + x)", 3, 4, bindAggregate),
	entry("reduce", "reduce(a, zero, (acc, x) -> f[, acc -> g])", "The elements merged into zero one by one.", "reduce(array(1, 2), 0, (acc, x) -> acc + x)", 3, 4, bindAggregate),
	entry("zip_with", "zip_with(a, b, (x, y) -> f)", "f of the elements of both arrays by position; NULL where one is shorter.", "zip_with(array(1), array(2), (x, y) -> x + y)", 3, 3, bindZipWith),
	entry("array_sort", "array_sort(a[, (x, y) -> f])", "Sorted, NULL last, or by a comparison that gives -1, 0 or 1.", "array_sort(array(3, 1, NULL))", 1, 2, bindArraySort),
	entry("map_filter", "map_filter(m, (k, v) -> f)", "The entries for which f is TRUE.", "map_filter(map('a', 1), (k, v) -> v > 1)", 2, 2, bindMapFilter),
	entry("transform_keys", "transform_keys(m, (k, v) -> f)", "The MAP with f for each key.", "transform_keys(map('a', 1), (k, v) -> upper(k))", 2, 2, bindTransformMap(0)),
	entry("transform_values", "transform_values(m, (k, v) -> f)", "The MAP with f for each value.", "transform_values(map('a', 1), (k, v) -> v + 1)", 2, 2, bindTransformMap(1)),
	entry("map_zip_with", "map_zip_with(m, n, (k, v, w) -> f)", "f of the values of both maps by key; NULL where one has no such key.", "map_zip_with(map('a', 1), map('a', 2), (k, v, w) -> v + w)", 3, 3, bindMapZipWith),
}

// higher applies a function that evaluates lambdas over the elements of its arguments.
type higher struct {
	call
	lambdas []*lambda
	apply   func(f *frame, lambdas []*lambda)
}

// newHigher makes a call over args, of which the last ones are the lambdas.
func newHigher(name string, args []Expr, lambdas []Expr, t columnar.Type, nullable bool, apply func(f *frame, lambdas []*lambda)) Expr {
	h := &higher{call: call{name: name, args: args, typ: t, nullable: nullable}, apply: apply}
	for _, l := range lambdas {
		h.lambdas = append(h.lambdas, l.(*lambda))
	}
	return h
}

func (h *higher) inputs() []Expr {
	list := slices.Clone(h.args)
	for _, l := range h.lambdas {
		list = append(list, l)
	}
	return list
}

func (h *higher) with(inputs []Expr) Expr {
	return newHigher(h.name, inputs[:len(h.args)], inputs[len(h.args):], h.typ, h.nullable, h.apply)
}

func (h *higher) String() string { return h.name + "(" + joined(h.inputs()) + ")" }

func (h *higher) eval(ev *Evaluator, rows []int32) *vector {
	same := h.call
	same.run = func(f *frame) { h.apply(f, h.lambdas) }
	return same.eval(ev, rows)
}

// lambdaArgument refuses what is not a lambda of so many parameters.
func lambdaArgument(name string, position int, e Expr, least, most int) (*lambda, error) {
	l, ok := e.(*lambda)
	if !ok {
		return &lambda{body: e}, nil // as in Spark, a plain value is a function of nothing
	}
	if n := len(l.params); n < least || n > most {
		return nil, &TypeError{"INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH", fmt.Sprintf("%s: a higher order function expects %d arguments, but got %d.", name, most, n)}
	}
	return l, nil
}

// predicate is a lambda whose result is BOOLEAN.
func predicate(name string, position int, e Expr, params int) (*lambda, error) {
	least := params
	if name == "filter" {
		least = 1
	}
	l, err := lambdaArgument(name, position, e, least, params)
	if err != nil {
		return nil, err
	}
	if t := l.Type(); t != columnar.Boolean && t != columnar.Null {
		return nil, unexpectedInput(name, position, "BOOLEAN", l)
	}
	return &lambda{l.params, implicit(l.body, columnar.Boolean)}, nil
}

// run evaluates the lambda for elements with the given values, in a scope of its own.
func (l *lambda) run(ev *Evaluator, parents []int32, values []*vector, use func(out *vector, rows []int32)) {
	bound := make([]binding, len(l.params))
	for i, p := range l.params {
		bound[i] = binding{p, values[i]}
	}
	if parents == nil {
		parents = []int32{} // no elements: nil would mean the rows outside
	}
	ev.within(len(parents), parents, bound, func(rows []int32) { use(l.body.eval(ev, rows), rows) })
}

// positions are the indexes of elements in their rows.
func (ev *Evaluator) positions(f flat) *vector {
	v := &vector{typ: columnar.Int, data: ev.scratch.bytes(4 * len(f.parents))}
	out := slice[int32](v)
	for k, row := range f.parents {
		out[k] = int32(k) - f.start[row]
	}
	return v
}

func bindTransform(name string, args []Expr) (Expr, error) {
	a, err := arrayNotNull(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	l, err := lambdaArgument(name, 1, args[1], 1, 2)
	if err != nil {
		return nil, err
	}
	return newHigher(name, []Expr{a}, []Expr{l}, columnar.Array(l.Type()), false, func(f *frame, ls []*lambda) {
		flat := f.flatten(f.args[0], f.rows)
		f.out.start, f.out.end = flat.start, flat.end
		ls[0].run(f.Evaluator, flat.parents, []*vector{flat.kids[0], f.positions(flat)}, func(out *vector, _ []int32) {
			f.out.kids[0] = f.whole(out)
		})
	}), nil
}

// whole makes a vector with a value for every row of the running scope.
func (f *frame) whole(v *vector) *vector {
	if v.one {
		return f.spreadAny(v)
	}
	return v
}

func bindFilter(name string, args []Expr) (Expr, error) {
	a, err := arrayNotNull(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	l, err := predicate(name, 1, args[1], 2)
	if err != nil {
		return nil, err
	}
	return newHigher(name, []Expr{a}, []Expr{l}, a.Type(), false, func(f *frame, ls []*lambda) {
		flat := f.flatten(f.args[0], f.rows)
		keepFlat(f, ls[0], flat, []*vector{flat.kids[0], f.positions(flat)})
	}), nil
}

// keepFlat makes the output of the elements for which the lambda is true.
func keepFlat(f *frame, l *lambda, flat flat, values []*vector) {
	l.run(f.Evaluator, flat.parents, values, func(out *vector, rows []int32) {
		hit := f.pick(out, rows)
		for k, kid := range flat.kids {
			f.out.kids[k] = f.take(kid, hit)
		}
		at := 0
		for n := range hit {
			row := flat.parents[hit[n]]
			if n == 0 || flat.parents[hit[n-1]] != row {
				at = n
			}
			f.out.start[row], f.out.end[row] = int32(at), int32(n+1)
		}
	})
}

// bindQuantifier binds exists (an element decides with 1) and forall (with 0). Without a
// deciding element a NULL makes the result NULL.
func bindQuantifier(deciding uint8) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		a, err := arrayNotNull(name, 0, args[0])
		if err != nil {
			return nil, err
		}
		l, err := predicate(name, 1, args[1], 1)
		if err != nil {
			return nil, err
		}
		return newHigher(name, []Expr{a}, []Expr{l}, columnar.Boolean, true, func(f *frame, ls []*lambda) {
			for _, i := range f.rows {
				f.out.data[i] = deciding ^ 1
			}
			flat, known := f.flatten(f.args[0], f.rows), len(f.errors)
			ls[0].run(f.Evaluator, flat.parents, flat.kids, func(out *vector, rows []int32) {
				if len(f.errors) == known {
					quantify(f, flat, out, deciding)
				}
			})
			if len(f.errors) > known {
				f.errors = f.errors[:known]
				quantifyInOrder(f, ls[0], deciding)
			}
		}), nil
	}
}

func quantify(f *frame, flat flat, results *vector, deciding uint8) {
	decided := func(row int32) bool { return f.out.data[row] == deciding }
	for k, row := range flat.parents {
		switch {
		case results.isNull(int32(k)):
			if !decided(row) {
				f.markNull(row)
			}
		case valueAt[uint8](results, int32(k)) == deciding:
			f.out.data[row] = deciding
			if f.out.null != nil {
				f.out.null[row] = 0
			}
		}
	}
}

// quantifyInOrder goes through the elements one by one where some fail: those after the
// one that decides must not be evaluated.
func quantifyInOrder(f *frame, l *lambda, deciding uint8) {
	f.eachPosition(f.rows, []*lambda{l}, func(x *vector, rows []int32) []int32 {
		open := rows[:0]
		f.sameRows(l, []*vector{x}, rows, func(v *vector) {
			for _, i := range rows {
				switch {
				case v.isNull(i):
					f.markNull(i)
				case valueAt[uint8](v, i) == deciding:
					if f.out.data[i] = deciding; f.out.null != nil {
						f.out.null[i] = 0
					}
					continue
				}
				open = append(open, i)
			}
		})
		return open
	})
}

// eachPosition calls do for the first elements of the rows, the second ones and so on,
// with the rows that have one and that the call before returned. Memory that a call took
// is taken back after it, for a row may have millions of elements.
func (f *frame) eachPosition(rows []int32, lambdas []*lambda, do func(x *vector, rows []int32) []int32) {
	for _, l := range lambdas {
		l.preload(f.Evaluator)
	}
	at := f.ints()
	rows = append(f.ints()[:0], rows...)
	mark := f.scratch.mark()
	for k := int32(0); ; k++ {
		longer := rows[:0]
		for _, i := range rows {
			if from, until := f.args[0].rangeAt(i); from+k < until {
				at[i] = from + k
				longer = append(longer, i)
			}
		}
		if len(longer) == 0 || f.fault != nil {
			return
		}
		rows = do(f.elements(f.args[0].kids[0], at, longer), longer)
		f.scratch.release(mark)
	}
}

// maskable gives a vector the null masks that it may need.
func (ev *Evaluator) maskable(v *vector) {
	if v.null == nil {
		v.null = ev.nulls()
	}
	if v.typ.Kind == columnar.StructKind {
		for _, kid := range v.kids {
			ev.maskable(kid)
		}
	}
}

// markNull makes a row of the output NULL from within the scope of its elements.
func (f *frame) markNull(row int32) {
	if f.out.null == nil {
		f.out.null = make([]byte, len(f.out.data))
	}
	f.out.null[row] = 1
}

// bindAggregate merges position after position, for all rows that have it at once.
func bindAggregate(name string, args []Expr) (Expr, error) {
	a, err := arrayNotNull(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	merge, err := lambdaArgument(name, 2, args[2], 2, 2)
	if err != nil {
		return nil, err
	}
	zero := args[1].Type()
	if merge.Type() != zero && merge.Type() != columnar.Null {
		if !castable(merge.Type(), zero) || merge.Type().Nested() {
			return nil, mismatch("UNEXPECTED_INPUT_TYPE", "%s: the merge function must return %s like the start value, however %s has the type %s.", name, zero, merge.body, merge.Type())
		}
	}
	if wide, ok := tightest(merge.Type(), zero); !ok || wide != zero {
		return nil, mismatch("UNEXPECTED_INPUT_TYPE", "%s: parameter 3 requires the %s type, however %s has the type %s.", name, zero, merge, merge.Type())
	}
	lambdas := []Expr{&lambda{merge.params, implicit(merge.body, zero)}}
	result := zero
	if len(args) == 4 {
		finish, err := lambdaArgument(name, 3, args[3], 1, 1)
		if err != nil {
			return nil, err
		}
		lambdas, result = append(lambdas, finish), finish.Type()
	}
	return newHigher(name, []Expr{a, args[1]}, lambdas, result, true, applyAggregate).(*higher).onlyFirst(), nil
}

// onlyFirst lets NULL through in all arguments but the first.
func (h *higher) onlyFirst() Expr {
	h.lenient, h.lead = true, 1
	return h
}

func applyAggregate(f *frame, ls []*lambda) {
	acc := f.vector(f.args[1].typ)
	f.merge(acc, f.args[1], f.rows)
	f.maskable(acc)
	f.eachPosition(f.rows, ls[:1], func(x *vector, rows []int32) []int32 {
		f.sameRows(ls[0], []*vector{acc, x}, rows, func(v *vector) { f.replace(acc, v, rows) })
		acc.compact(f.rows)
		return rows
	})
	if len(ls) == 1 {
		f.merge(f.out, acc, f.rows)
		return
	}
	f.sameRows(ls[1], []*vector{acc}, f.rows, func(v *vector) { f.merge(f.out, v, f.rows) })
}

// replace overwrites rows of out, which v may share memory with.
func (f *frame) replace(out, v *vector, rows []int32) {
	if v == out {
		return
	}
	if out.null != nil {
		for _, i := range rows {
			if !v.isNull(i) {
				out.null[i] = 0
			}
		}
	}
	f.merge(out, v, rows)
}

// smallestCompact is the size from which values that were overwritten are dropped.
const smallestCompact = 1 << 12

// compact drops what overwritten values have left behind, once it is as much as is alive.
func (v *vector) compact(rows []int32) {
	if v.typ.Kind == columnar.StructKind {
		for _, kid := range v.kids {
			kid.compact(rows)
		}
	}
	size := int32(len(v.data))
	if listed(v.typ) {
		size = int32(v.kids[0].n)
	}
	if !ranged(v.typ) || size < smallestCompact {
		return
	}
	alive := int32(0)
	for _, i := range rows {
		alive += v.end[i] - v.start[i]
	}
	if size < 2*alive {
		return
	}
	dense := grown(v.typ)
	for _, i := range rows {
		dense.push(v, i)
		at := dense.n - 1
		v.start[i], v.end[i] = dense.start[at], dense.end[at]
	}
	v.data, v.kids = dense.data, dense.kids
}

// sameRows evaluates a lambda for some rows of the running scope.
func (f *frame) sameRows(l *lambda, values []*vector, rows []int32, use func(v *vector)) {
	bound := make([]binding, len(l.params))
	for i, p := range l.params {
		bound[i] = binding{p, values[i]}
	}
	f.within(f.Evaluator.rows, nil, bound, func([]int32) { use(l.body.eval(f.Evaluator, rows)) })
}

func bindZipWith(name string, args []Expr) (Expr, error) {
	list := make([]Expr, 2)
	for i := range list {
		a, err := arrayNotNull(name, i, args[i])
		if err != nil {
			return nil, err
		}
		list[i] = a
	}
	l, err := lambdaArgument(name, 2, args[2], 2, 2)
	if err != nil {
		return nil, err
	}
	return newHigher(name, list, []Expr{l}, columnar.Array(l.Type()), false, func(f *frame, ls []*lambda) {
		pairs := f.zip()
		f.out.start, f.out.end = pairs.start, pairs.end
		ls[0].run(f.Evaluator, pairs.parents, pairs.kids, func(out *vector, _ []int32) { f.out.kids[0] = f.whole(out) })
	}), nil
}

// zip pairs the elements of two arrays by position, with NULL where one is shorter.
func (f *frame) zip() flat {
	out := flat{kids: []*vector{grown(f.args[0].kids[0].typ), grown(f.args[1].kids[0].typ)}, start: f.ints(), end: f.ints()}
	clear(out.start)
	clear(out.end)
	for _, i := range f.rows {
		out.start[i] = int32(len(out.parents))
		longest := int32(0)
		for _, a := range f.args {
			from, until := a.rangeAt(i)
			longest = max(longest, until-from)
		}
		for k := range longest {
			out.parents = append(out.parents, i)
			for side, a := range f.args {
				if from, until := a.rangeAt(i); from+k < until {
					out.kids[side].push(a.kids[0], from+k)
				} else {
					out.kids[side].pushNull()
				}
			}
		}
		out.end[i] = int32(len(out.parents))
	}
	return out
}

func bindArraySort(name string, args []Expr) (Expr, error) {
	a, err := arrayNotNull(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	if len(args) == 2 {
		return bindSortBy(name, a, args[1])
	}
	if !orderable(a.Type()) {
		return nil, mismatch("INVALID_ORDERING_TYPE", "%s does not support ordering on type %s.", name, a.Type())
	}
	run := sortElements(func(_ *frame, _ int32, a *vector, x, y int32) int {
		if xn, yn := a.isNull(x), a.isNull(y); xn || yn {
			return int(bit(xn)) - int(bit(yn))
		}
		return compareAt(a, x, a, y)
	})
	return &call{name: name, args: []Expr{a}, typ: a.Type(), run: run}, nil
}

func bindMapFilter(name string, args []Expr) (Expr, error) {
	m, err := mapNotNull(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	l, err := predicate(name, 1, args[1], 2)
	if err != nil {
		return nil, err
	}
	return newHigher(name, []Expr{m}, []Expr{l}, m.Type(), false, func(f *frame, ls []*lambda) {
		flat := f.flatten(f.args[0], f.rows)
		keepFlat(f, ls[0], flat, flat.kids)
	}), nil
}

// bindTransformMap replaces the keys (0) or the values (1).
func bindTransformMap(part int) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		m, err := mapNotNull(name, 0, args[0])
		if err != nil {
			return nil, err
		}
		l, err := lambdaArgument(name, 1, args[1], 2, 2)
		if err != nil {
			return nil, err
		}
		types := []columnar.Type{m.Type().KeyType(), m.Type().ValueType()}
		types[part] = l.Type()
		if err := mapKeyType(types[0]); err != nil {
			return nil, err
		}
		return newHigher(name, []Expr{m}, []Expr{l}, columnar.Map(types[0], types[1]), false, func(f *frame, ls []*lambda) {
			flat := f.flatten(f.args[0], f.rows)
			ls[0].run(f.Evaluator, flat.parents, flat.kids, func(out *vector, _ []int32) { flat.kids[part] = f.whole(out) })
			f.rebuild(flat)
		}), nil
	}
}

// rebuild makes the maps of the output, keys checked anew.
func (f *frame) rebuild(flat flat) {
	b := newMapBuilder(f)
	for _, i := range f.rows {
		for k := flat.start[i]; k < flat.end[i]; k++ {
			b.add(flat.kids[0], flat.kids[1], k, k)
		}
		b.finish(i)
	}
}
