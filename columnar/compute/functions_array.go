package compute

import (
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
)

var arrayFunctions = []function{
	entry("size", "size(a)", "Number of elements of an ARRAY or MAP.", "size(array(1, 2))", 1, 1, bindSize),
	entry("cardinality", "cardinality(a)", "Number of elements of an ARRAY or MAP.", "cardinality(array(1, 2))", 1, 1, bindSize),
	entry("array_size", "array_size(a)", "Number of elements of an ARRAY.", "array_size(array(1, 2))", 1, 1, bindSize),
	entry("array_contains", "array_contains(a, x)", "TRUE if x is an element; NULL if it is not and an element is NULL.", "array_contains(array(1, 2), 2)", 2, 2, bindArrayContains),
	entry("array_position", "array_position(a, x)", "Position of the first x from 1, or 0.", "array_position(array(1, 2), 2)", 2, 2, bindArrayPosition),
	entry("array_remove", "array_remove(a, x)", "Without the elements that equal x.", "array_remove(array(1, 2, 1), 1)", 2, 2, bindArrayRemove),
	entry("array_compact", "array_compact(a)", "Without the NULL elements.", "array_compact(array(1, NULL))", 1, 1, bindArrayCompact),
	entry("array_append", "array_append(a, x)", "With x at the end.", "array_append(array(1), 2)", 2, 2, bindArrayAppend),
	entry("array_prepend", "array_prepend(a, x)", "With x at the start.", "array_prepend(array(1), 0)", 2, 2, bindArrayAppend),
	entry("array_insert", "array_insert(a, i, x)", "With x at position i, from 1 or from the end.", "array_insert(array(1, 3), 2, 2)", 3, 3, bindArrayInsert),
	entry("array_repeat", "array_repeat(x, n)", "n times x.", "array_repeat('a', 3)", 2, 2, bindArrayRepeat),
	entry("array_min", "array_min(a)", "The smallest element.", "array_min(array(3, 1))", 1, 1, bindArrayExtreme(-1)),
	entry("array_max", "array_max(a)", "The largest element.", "array_max(array(3, 1))", 1, 1, bindArrayExtreme(1)),
	entry("slice", "slice(a, from, n)", "n elements from a position, which counts from 1 or from the end.", "slice(array(1, 2, 3), 2, 2)", 3, 3, bindSlice),
	entry("flatten", "flatten(a)", "The arrays of an array joined.", "flatten(array(array(1), array(2)))", 1, 1, bindFlatten),
	entry("sort_array", "sort_array(a[, ascending])", "Sorted, NULL first when ascending.", "sort_array(array(3, 1, NULL))", 1, 2, bindSortArray),
	entry("array_join", "array_join(a, separator[, null])", "The elements as one string.", "array_join(array('a', 'b'), ',')", 2, 3, bindArrayJoin),
	entry("arrays_zip", "arrays_zip(a, b, ...)", "An ARRAY of STRUCTs of the elements at each position.", "arrays_zip(array(1), array(2))", 0, -1, bindArraysZip),
}

// arrayArgument refuses what is no ARRAY; a bare NULL becomes an empty type's array.
func arrayArgument(name string, position int, e Expr) (Expr, error) {
	switch e.Type().Kind {
	case columnar.ArrayKind:
		return e, nil
	case columnar.NullKind:
		return typedNull(columnar.Array(columnar.Null)), nil
	}
	return nil, unexpectedInput(name, position, "ARRAY", e)
}

// arrayNotNull is arrayArgument without a bare NULL.
func arrayNotNull(name string, position int, e Expr) (Expr, error) {
	if e.Type() == columnar.Null {
		return nil, unexpectedInput(name, position, "ARRAY", e)
	}
	return arrayArgument(name, position, e)
}

// arrayAndElement makes an array and a value one type.
func arrayAndElement(name string, a, x Expr, merge func(a, b columnar.Type) (columnar.Type, bool)) (array, element Expr, err error) {
	if a, err = arrayNotNull(name, 0, a); err != nil {
		return nil, nil, err
	}
	t, ok := merge(a.Type().Elem(), x.Type())
	if !ok {
		return nil, nil, mismatch("ARRAY_FUNCTION_DIFF_TYPES", "%s(%s, %s): the input should be an array and a value of its element type, got %s and %s.", name, a, x, a.Type(), x.Type())
	}
	if !orderable(t) {
		return nil, nil, mismatch("INVALID_ORDERING_TYPE", "%s does not support ordering on type %s.", name, t)
	}
	return implicit(a, columnar.Array(t)), implicit(x, t), nil
}

func bindSize(name string, args []Expr) (Expr, error) {
	a := args[0]
	if k := a.Type().Kind; k != columnar.ArrayKind && (k != columnar.MapKind || name == "array_size") {
		if k != columnar.NullKind {
			return nil, unexpectedInput(name, 0, `("ARRAY" or "MAP")`, a)
		}
		a = typedNull(columnar.Array(columnar.Null))
	}
	run := func(f *frame) {
		out := slice[int32](f.out)
		for _, i := range f.rows {
			from, until := f.args[0].rangeAt(i)
			out[i] = until - from
		}
	}
	return &call{name: name, args: []Expr{a}, typ: columnar.Int, run: run}, nil
}

// search is the first position of x in a row of an array, or -1; unsure if an element is NULL.
func search(a *vector, row int32, x *vector) (at int32, unsure bool) {
	from, until := a.rangeAt(row)
	for k := from; k < until; k++ {
		if a.kids[0].isNull(k) {
			unsure = true
		} else if compareAt(a.kids[0], k, x, row) == 0 {
			return k - from, false
		}
	}
	return -1, unsure
}

func bindArrayContains(name string, args []Expr) (Expr, error) {
	if args[0].Type() == columnar.Null || args[1].Type() == columnar.Null {
		return nil, mismatch("NULL_TYPE", "Null typed values cannot be used as arguments of %s.", name)
	}
	a, x, err := arrayAndElement(name, args[0], args[1], unpromoted)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			at, unsure := search(f.args[0], i, f.args[1])
			if f.out.data[i] = bit(at >= 0); unsure {
				f.setNull(f.out, i)
			}
		}
	}
	return &call{name: name, args: []Expr{a, x}, typ: columnar.Boolean, nullable: true, run: run}, nil
}

func bindArrayPosition(name string, args []Expr) (Expr, error) {
	a, x, err := arrayAndElement(name, args[0], args[1], unpromoted)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		out := slice[int64](f.out)
		for _, i := range f.rows {
			at, _ := search(f.args[0], i, f.args[1])
			out[i] = int64(at) + 1
		}
	}
	return &call{name: name, args: []Expr{a, x}, typ: columnar.BigInt, run: run}, nil
}

// keepElements copies the elements of the first argument that keep wants.
func keepElements(keep func(f *frame, row, k int32) bool) kernel {
	return func(f *frame) {
		elements := f.out.kids[0]
		for _, i := range f.rows {
			start := elements.n
			from, until := f.args[0].rangeAt(i)
			for k := from; k < until; k++ {
				if keep(f, i, k) {
					elements.push(f.args[0].kids[0], k)
				}
			}
			f.closeList(f.out, i, start)
		}
	}
}

func bindArrayRemove(name string, args []Expr) (Expr, error) {
	a, x, err := arrayAndElement(name, args[0], args[1], unpromoted)
	if err != nil {
		return nil, err
	}
	run := keepElements(func(f *frame, row, k int32) bool {
		kid := f.args[0].kids[0]
		return kid.isNull(k) || compareAt(kid, k, f.args[1], row) != 0
	})
	return &call{name: name, args: []Expr{a, x}, typ: a.Type(), run: run}, nil
}

func bindArrayCompact(name string, args []Expr) (Expr, error) {
	a, err := arrayArgument(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	run := keepElements(func(f *frame, _, k int32) bool { return !f.args[0].kids[0].isNull(k) })
	return &call{name: name, args: []Expr{a}, typ: a.Type(), run: run}, nil
}

// bindArrayAppend binds array_append and array_prepend; x may be NULL.
func bindArrayAppend(name string, args []Expr) (Expr, error) {
	a, x, err := arrayAndElement(name, args[0], args[1], tightest)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		elements := f.out.kids[0]
		for _, i := range f.rows {
			if f.args[0].isNull(i) {
				f.setNull(f.out, i)
				continue
			}
			start := elements.n
			from, until := f.args[0].rangeAt(i)
			if name == "array_prepend" {
				elements.push(f.args[1], i)
			}
			elements.pushRun(f.args[0].kids[0], from, until)
			if name == "array_append" {
				elements.push(f.args[1], i)
			}
			f.closeList(f.out, i, start)
		}
	}
	return &call{name: name, args: []Expr{a, x}, typ: a.Type(), lenient: true, lead: 1, nullable: a.Nullable(), run: run}, nil
}

func bindArrayInsert(name string, args []Expr) (Expr, error) {
	a, x, err := arrayAndElement(name, args[0], args[2], tightest)
	if err != nil {
		return nil, err
	}
	if args[1].Type() == columnar.Null {
		return nil, unexpectedInput(name, 1, "INT", args[1])
	}
	at, err := parameter(name, 1, args[1], columnar.Int)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			if f.args[0].isNull(i) || f.args[1].isNull(i) {
				f.setNull(f.out, i)
				continue
			}
			f.insert(i, int64(valueAt[int32](f.args[1], i)))
		}
	}
	return &call{name: name, args: []Expr{a, at, x}, typ: a.Type(), lenient: true, lead: 2, nullable: a.Nullable() || at.Nullable(), run: run}, nil
}

// insert puts the third argument at a position, from 1, or from behind the end below 0;
// NULLs fill what is missing between.
func (f *frame) insert(row int32, position int64) {
	elements, kid, start := f.out.kids[0], f.args[0].kids[0], f.out.kids[0].n
	from, until := f.args[0].rangeAt(row)
	n := int64(until - from)
	gap, front := position-1-n, false
	if position < 0 {
		position = n + 2 + position
		gap, front = -position+1, true
	}
	switch {
	case valueAt[int32](f.args[1], row) == 0:
		f.fail(row, &EvalError{"INVALID_INDEX_OF_ZERO", "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1)."})
		return
	case gap > int64(f.mostElements):
		f.fail(row, errTooManyElements)
		return
	case gap > 0 && front:
		elements.push(f.args[2], row)
		elements.pushNulls(gap - 1)
		elements.pushNull()
		elements.pushRun(kid, from, until)
	case gap > 0:
		elements.pushRun(kid, from, until)
		elements.pushNulls(gap)
		elements.push(f.args[2], row)
	default:
		middle := from + int32(position-1)
		elements.pushRun(kid, from, middle)
		elements.push(f.args[2], row)
		elements.pushRun(kid, middle, until)
	}
	f.closeList(f.out, row, start)
}

func (v *vector) pushNulls(n int64) {
	for range n {
		v.pushNull()
	}
}

func bindArrayRepeat(name string, args []Expr) (Expr, error) {
	n, err := parameter(name, 1, args[1], columnar.Int)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		elements := f.out.kids[0]
		for _, i := range f.rows {
			if f.args[1].isNull(i) {
				f.setNull(f.out, i)
				continue
			}
			start, times := elements.n, valueAt[int32](f.args[1], i)
			if int(times) > f.mostElements {
				f.fail(i, errTooManyElements)
				continue
			}
			if int64(max(times, 0))*f.args[0].weight(i) > int64(f.mostBytes) {
				f.fail(i, errTooManyElements)
				continue
			}
			for range times {
				elements.push(f.args[0], i)
			}
			f.closeList(f.out, i, start)
		}
	}
	return &call{name: name, args: []Expr{args[0], n}, typ: columnar.Array(args[0].Type()), lenient: true, nullable: n.Nullable(), run: run}, nil
}

// bindArrayExtreme binds array_min (-1) and array_max (1).
func bindArrayExtreme(sign int) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		a, err := arrayArgument(name, 0, args[0])
		if err != nil {
			return nil, err
		}
		if !orderable(a.Type()) {
			return nil, mismatch("INVALID_ORDERING_TYPE", "%s does not support ordering on type %s.", name, a.Type())
		}
		best := func(f *frame, row int32) (int32, error) {
			kid, at := f.args[0].kids[0], int32(-1)
			from, until := f.args[0].rangeAt(row)
			for k := from; k < until; k++ {
				if !kid.isNull(k) && (at < 0 || sign*compareAt(kid, k, kid, at) > 0) {
					at = k
				}
			}
			return at, nil
		}
		return bindElement(name, []Expr{a}, a.Type().Elem(), 0, best), nil
	}
}

func bindSlice(name string, args []Expr) (Expr, error) {
	a, err := arrayArgument(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	from, err := parameter(name, 1, args[1], columnar.Int)
	if err != nil {
		return nil, err
	}
	n, err := parameter(name, 2, args[2], columnar.Int)
	if err != nil {
		return nil, err
	}
	return &call{name: name, args: []Expr{a, from, n}, typ: a.Type(), nullable: true, run: sliceArrays}, nil
}

func sliceArrays(f *frame) {
	f.out.kids = f.args[0].kids
	for _, i := range f.rows {
		first, n := int64(valueAt[int32](f.args[1], i)), int64(valueAt[int32](f.args[2], i))
		from, until := f.args[0].rangeAt(i)
		size := int64(until - from)
		switch {
		case first == 0:
			f.fail(i, &EvalError{"INVALID_PARAMETER_VALUE.START", "The value of parameter(s) `start` in `slice` is invalid: Expects a positive or a negative value for `start`, but got 0."})
			continue
		case n < 0:
			f.fail(i, &EvalError{"INVALID_PARAMETER_VALUE.LENGTH", fmt.Sprintf("The value of parameter(s) `length` in `slice` is invalid: Expects `length` greater than or equal to 0, but got %d.", n)})
			continue
		case first < 0:
			first += size + 1
		}
		if first < 1 || first > size {
			f.out.start[i], f.out.end[i] = from, from
			continue
		}
		f.out.start[i] = from + int32(first) - 1
		f.out.end[i] = from + int32(min(size, first-1+n))
	}
}

func bindFlatten(name string, args []Expr) (Expr, error) {
	a := args[0]
	if a.Type().Kind != columnar.ArrayKind || a.Type().Elem().Kind != columnar.ArrayKind {
		return nil, unexpectedInput(name, 0, "ARRAY of ARRAY", a)
	}
	run := func(f *frame) {
		inner, elements := f.args[0].kids[0], f.out.kids[0]
		for _, i := range f.rows {
			start := elements.n
			from, until := f.args[0].rangeAt(i)
			for k := from; k < until; k++ {
				if inner.isNull(k) {
					f.setNull(f.out, i)
					continue
				}
				first, last := inner.rangeAt(k)
				elements.pushRun(inner.kids[0], first, last)
			}
			f.closeList(f.out, i, start)
		}
	}
	return &call{name: name, args: []Expr{a}, typ: a.Type().Elem(), nullable: true, run: run}, nil
}

func bindSortArray(name string, args []Expr) (Expr, error) {
	a, err := arrayArgument(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	if !orderable(a.Type()) {
		return nil, mismatch("INVALID_ORDERING_TYPE", "%s does not support ordering on type %s.", name, a.Type())
	}
	ascending := Expr(Bool(true))
	if len(args) == 2 {
		if ascending = args[1]; ascending.Type() != columnar.Boolean {
			return nil, unexpectedInput(name, 1, "BOOLEAN", args[1])
		}
	}
	run := sortElements(func(f *frame, row int32, a *vector, x, y int32) int {
		if valueAt[uint8](f.args[1], row) == 0 {
			return compareAt(a, y, a, x)
		}
		return compareAt(a, x, a, y)
	})
	return &call{name: name, args: []Expr{a, ascending}, typ: a.Type(), run: run}, nil
}

// sortElements sorts the elements of the first argument by an order of their positions.
func sortElements(order func(f *frame, row int32, a *vector, x, y int32) int) kernel {
	return func(f *frame) {
		kid, elements := f.args[0].kids[0], f.out.kids[0]
		var at []int32
		for _, i := range f.rows {
			from, until := f.args[0].rangeAt(i)
			at = at[:0]
			for k := from; k < until; k++ {
				at = append(at, k)
			}
			slices.SortStableFunc(at, func(x, y int32) int { return order(f, i, kid, x, y) })
			start := elements.n
			for _, k := range at {
				elements.push(kid, k)
			}
			f.closeList(f.out, i, start)
		}
	}
}

func bindArrayJoin(name string, args []Expr) (Expr, error) {
	a, err := arrayArgument(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	if t := a.Type().Elem(); t.Nested() {
		return nil, unexpectedInput(name, 0, "ARRAY<STRING>", args[0])
	}
	list := []Expr{implicit(a, columnar.Array(columnar.String))}
	for k, e := range args[1:] {
		e, err := parameter(name, k+1, e, columnar.String)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			begin, first := len(f.out.data), true
			from, until := f.args[0].rangeAt(i)
			for k := from; k < until && !f.overlong(f.out, begin); k++ {
				null := f.args[0].kids[0].isNull(k)
				if null && len(f.args) < 3 {
					continue
				}
				if !first {
					f.out.data = append(f.out.data, f.args[1].bytesAt(i)...)
				}
				first = false
				if null {
					f.out.data = append(f.out.data, f.args[2].bytesAt(i)...)
				} else {
					f.out.data = append(f.out.data, f.args[0].kids[0].bytesAt(k)...)
				}
			}
			f.close(f.out, i, begin)
		}
	}
	return &call{name: name, args: list, typ: columnar.String, run: run}, nil
}

func bindArraysZip(name string, args []Expr) (Expr, error) {
	fields := make([]columnar.Field, len(args))
	args = slices.Clone(args)
	for i, a := range args {
		a, err := arrayArgument(name, i, a)
		if err != nil {
			return nil, err
		}
		args[i] = a
		field := FieldName(a, i)
		if field == fmt.Sprintf("col%d", i+1) {
			field = fmt.Sprint(i)
		}
		fields[i] = columnar.Field{Name: field, Type: a.Type().Elem()}
	}
	run := func(f *frame) {
		pairs := f.out.kids[0]
		for _, i := range f.rows {
			start, longest := pairs.n, int32(0)
			for _, a := range f.args {
				from, until := a.rangeAt(i)
				longest = max(longest, until-from)
			}
			for k := range longest {
				f.pushZipped(pairs, i, k)
			}
			f.closeList(f.out, i, start)
		}
	}
	return &call{name: name, args: args, typ: columnar.Array(columnar.Struct(fields...)), run: run}, nil
}

// pushZipped adds a STRUCT of element k of every argument, NULL where an array is shorter.
func (f *frame) pushZipped(out *vector, row, k int32) {
	for j, a := range f.args {
		from, until := a.rangeAt(row)
		if from+k < until {
			out.kids[j].push(a.kids[0], from+k)
		} else {
			out.kids[j].pushNull()
		}
	}
	if out.null != nil {
		out.null = append(out.null, 0)
	}
	out.n++
}

func anyArray(args []Expr) bool {
	return slices.ContainsFunc(args, func(e Expr) bool { return e.Type().Kind == columnar.ArrayKind })
}

func bindConcatArrays(name string, args []Expr) (Expr, error) {
	list, t, ok := common(args)
	if !ok || slices.ContainsFunc(args, func(e Expr) bool { return e.Type() == columnar.Null }) {
		return nil, mismatch("DATA_DIFF_TYPES", "%s(%s): the arguments should all be of the same type, got %s.", name, joined(args), typeList(args))
	}
	run := func(f *frame) {
		elements := f.out.kids[0]
		for _, i := range f.rows {
			start := elements.n
			for _, a := range f.args {
				from, until := a.rangeAt(i)
				elements.pushRun(a.kids[0], from, until)
			}
			f.closeList(f.out, i, start)
		}
	}
	return &call{name: "concat", args: list, typ: t, run: run}, nil
}

func bindReverseArray(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		elements := f.out.kids[0]
		for _, i := range f.rows {
			start := elements.n
			from, until := f.args[0].rangeAt(i)
			for k := until - 1; k >= from; k-- {
				elements.push(f.args[0].kids[0], k)
			}
			f.closeList(f.out, i, start)
		}
	}
	return &call{name: name, args: args, typ: args[0].Type(), run: run}, nil
}
