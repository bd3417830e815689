package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

// fieldOf is a field of a STRUCT, or those of each element of an ARRAY of STRUCTs.
type fieldOf struct {
	in    Expr
	index int
	typ   columnar.Type
}

// Field reads a field of a STRUCT, of every STRUCT in an ARRAY, or the value of a MAP
// under a key that is a name. Other types, unknown and ambiguous names are a *TypeError.
func Field(e Expr, name string) (Expr, error) {
	t := e.Type()
	switch {
	case t.Kind == columnar.MapKind:
		return bindMapItem("[]", []Expr{e, Text(name)})
	case t.Kind == columnar.StructKind:
		k, err := fieldIndex(e, t, name)
		if err != nil {
			return nil, err
		}
		return &fieldOf{e, k, t.Parts()[k].Type}, nil
	case t.Kind == columnar.ArrayKind && t.Elem().Kind == columnar.StructKind:
		k, err := fieldIndex(e, t.Elem(), name)
		if err != nil {
			return nil, err
		}
		return &fieldOf{e, k, columnar.Array(t.Elem().Parts()[k].Type)}, nil
	}
	return nil, &TypeError{"INVALID_EXTRACT_BASE_FIELD_TYPE", fmt.Sprintf("%s is %s and has no field %s.", e, t, name)}
}

func fieldIndex(e Expr, t columnar.Type, name string) (int, error) {
	if k := t.FieldIndex(name); k >= 0 {
		return k, nil
	}
	return 0, &TypeError{"FIELD_NOT_FOUND", fmt.Sprintf("%s has no field %s, it is %s.", e, name, t)}
}

func (x *fieldOf) Type() columnar.Type     { return x.typ }
func (x *fieldOf) Nullable() bool          { return true }
func (x *fieldOf) inputs() []Expr          { return []Expr{x.in} }
func (x *fieldOf) with(inputs []Expr) Expr { return &fieldOf{inputs[0], x.index, x.typ} }

// Direct returns e with every field of a STRUCT that e makes itself replaced by what it is made of. The other fields are not
// computed then, so that they cannot fail, as in Spark.
func Direct(e Expr) Expr {
	return rewrite(e, func(x Expr) Expr {
		if field, ok := x.(*fieldOf); ok {
			if made, ok := field.in.(*structOf); ok {
				return made.list[field.index]
			}
		}
		return x
	})
}

func (x *fieldOf) String() string {
	t := x.in.Type()
	if t.Kind == columnar.ArrayKind {
		t = t.Elem()
	}
	return x.in.String() + "." + columnar.QuoteName(t.Parts()[x.index].Name)
}

func (x *fieldOf) eval(ev *Evaluator, rows []int32) *vector {
	v := x.in.eval(ev, rows)
	if v.typ.Kind == columnar.StructKind {
		return ev.member(v, x.index)
	}
	out := *v
	out.typ = x.typ
	element := v.kids[0]
	ev.within(lengthOf(element), nil, nil, func([]int32) { out.kids = []*vector{ev.member(element, x.index)} })
	return &out
}

// lengthOf is the number of values of a vector that is a kid of a list.
func lengthOf(v *vector) int {
	switch {
	case ranged(v.typ):
		return len(v.start)
	case v.typ.Kind == columnar.StructKind && len(v.kids) > 0:
		return lengthOf(v.kids[0])
	case width(v.typ) > 0:
		return len(v.data) / width(v.typ)
	}
	return max(v.n, len(v.null))
}

// member is a field of a STRUCT vector; it is NULL where the STRUCT is.
func (ev *Evaluator) member(v *vector, k int) *vector {
	kid := v.kids[k]
	switch {
	case v.allNull():
		return constantNull(kid.typ)
	case v.null == nil || v.one:
		return kid
	case kid.one:
		kid = ev.spreadAny(kid)
	}
	out := *kid
	out.null = ev.scratch.bytes(ev.rows)
	copy(out.null, v.null)
	for i, n := range kid.null {
		out.null[i] |= n
	}
	return &out
}

// spreadAny repeats a constant of any type for every row.
func (ev *Evaluator) spreadAny(v *vector) *vector {
	out := ev.vector(v.typ)
	ev.merge(out, v, ev.all(ev.rows))
	return out
}

// elements makes a vector of the value at[i] of kid for each of the rows; below 0 it is NULL.
func (ev *Evaluator) elements(kid *vector, at []int32, rows []int32) *vector {
	if lengthOf(kid) == 0 {
		return constantNull(kid.typ)
	}
	index := ev.ints()
	clear(index)
	var null []byte
	for _, i := range rows {
		if index[i] = at[i]; at[i] >= 0 {
			continue
		}
		if null == nil {
			null = ev.nulls()
		}
		index[i], null[i] = 0, 1
	}
	out := ev.take(kid, index)
	if out.null == nil {
		out.null = null
		return out
	}
	for i, n := range null {
		out.null[i] |= n
	}
	return out
}

// finder locates the element that a row asks for: its position among the kids, or -1
// for NULL, perhaps with the reason why the row fails.
type finder func(f *frame, row int32) (at int32, err error)

// bindElement makes a lookup in an ARRAY or MAP by a second argument.
func bindElement(name string, args []Expr, typ columnar.Type, kid int, find finder) Expr {
	run := func(f *frame) {
		at := f.ints()
		for _, i := range f.rows {
			var err error
			if at[i], err = find(f, i); err != nil {
				at[i] = -1
				f.report(i, err)
			}
		}
		found := f.elements(f.args[0].kids[kid], at, f.rows)
		f.adopt(found)
	}
	return &call{name: name, args: args, typ: typ, nullable: true, run: run}
}

// adopt makes the output what v is, NULL where the output already was.
func (f *frame) adopt(v *vector) {
	before := f.out.null
	if v.one {
		v = f.spreadAny(v)
	}
	typ := f.out.typ
	*f.out = *v
	f.out.typ = typ
	if before == nil {
		return
	}
	if v.null != nil {
		for i, n := range v.null[:f.Evaluator.rows] {
			before[i] |= n
		}
	}
	f.out.null = before
}

// bindIndex resolves value[index].
func bindIndex(name string, args []Expr) (Expr, error) {
	switch t := args[0].Type(); {
	case t.Kind == columnar.ArrayKind:
		return bindArrayItem(name, args, func(k, n int64) (int64, error) {
			if k < 0 || k >= n {
				return 0, &EvalError{"INVALID_ARRAY_INDEX", fmt.Sprintf("The index %d is out of bounds. The array has %d elements. Use the SQL function `get()` to tolerate accessing element at invalid index and return NULL instead.", k, n)}
			}
			return k, nil
		})
	case t.Kind == columnar.MapKind:
		return bindMapItem(name, args)
	case t.Kind == columnar.StructKind:
		if field, ok := textLiteral(args[1]); ok {
			return Field(args[0], field)
		}
	}
	return nil, &TypeError{"INVALID_EXTRACT_BASE_FIELD_TYPE", fmt.Sprintf("Can't extract a value from %s. Need a complex type [STRUCT, ARRAY, MAP] but got %s.", args[0], args[0].Type())}
}

// bindArrayItem looks an element up; place turns the index into a position below n, or
// a negative one for NULL.
func bindArrayItem(name string, args []Expr, place func(k, n int64) (int64, error)) (Expr, error) {
	if t := args[1].Type(); !t.Integral() && t != columnar.Null {
		return nil, unexpectedInput(name, 1, "INTEGRAL", args[1])
	}
	index := implicit(args[1], columnar.BigInt)
	find := func(f *frame, row int32) (int32, error) {
		from, until := f.args[0].rangeAt(row)
		k, err := place(valueAt[int64](f.args[1], row), int64(until-from))
		if err != nil || k < 0 {
			return -1, err
		}
		return from + int32(k), nil
	}
	return bindElement(name, []Expr{args[0], index}, args[0].Type().Elem(), 0, find), nil
}

// bindMapItem looks a key up; a MAP without it gives NULL.
func bindMapItem(name string, args []Expr) (Expr, error) {
	t := args[0].Type()
	m, key, ok := mapAndKey(args[0], args[1])
	if !ok {
		return nil, unexpectedInput(name, 1, t.KeyType().String(), args[1])
	}
	find := func(f *frame, row int32) (int32, error) { return f.args[0].findKey(row, f.args[1], row), nil }
	return bindElement(name, []Expr{m, key}, t.ValueType(), 1, find), nil
}

// findKey is the position of the entry with a key, or -1.
func (v *vector) findKey(row int32, key *vector, at int32) int32 {
	from, until := v.rangeAt(row)
	for k := from; k < until; k++ {
		if compareAt(v.kids[0], k, key, at) == 0 {
			return k
		}
	}
	return -1
}

func bindElementAt(try bool) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		switch args[0].Type().Kind {
		case columnar.MapKind:
			return bindMapItem(name, args)
		case columnar.ArrayKind:
			return bindArrayItem(name, args, func(k, n int64) (int64, error) { return placeFromOne(k, n, try) })
		}
		return nil, unexpectedInput(name, 0, `("ARRAY" or "MAP")`, args[0])
	}
}

// placeFromOne counts from 1, or from the end below 0. As in Spark, position 0 fails
// try_element_at, too.
func placeFromOne(k, n int64, try bool) (int64, error) {
	switch {
	case k == 0:
		return 0, &EvalError{"INVALID_INDEX_OF_ZERO", "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1)."}
	case k > 0 && k <= n:
		return k - 1, nil
	case k < 0 && -k <= n:
		return n + k, nil
	case try:
		return -1, nil
	}
	return 0, &EvalError{"INVALID_ARRAY_INDEX_IN_ELEMENT_AT", fmt.Sprintf("The index %d is out of bounds. The array has %d elements. Use `try_element_at` to tolerate accessing element at invalid index and return NULL instead.", k, n)}
}

func bindGet(name string, args []Expr) (Expr, error) {
	if args[0].Type().Kind != columnar.ArrayKind {
		return nil, unexpectedInput(name, 0, "ARRAY", args[0])
	}
	return bindArrayItem(name, args, func(k, n int64) (int64, error) {
		if k >= n {
			return -1, nil
		}
		return k, nil
	})
}
