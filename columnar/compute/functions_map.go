package compute

import (
	"github.com/lakewheel/lakewheel/columnar"
)

var mapFunctions = []function{
	entry("map_keys", "map_keys(m)", "The keys as an ARRAY.", "map_keys(map('a', 1))", 1, 1, bindMapPart(0)),
	entry("map_values", "map_values(m)", "The values as an ARRAY.", "map_values(map('a', 1))", 1, 1, bindMapPart(1)),
	entry("map_entries", "map_entries(m)", "The entries as an ARRAY of STRUCT<key, value>.", "map_entries(map('a', 1))", 1, 1, bindMapEntries),
	entry("map_from_arrays", "map_from_arrays(keys, values)", "A MAP of two arrays of one length.", "map_from_arrays(array('a'), array(1))", 2, 2, bindMapFromArrays),
	entry("map_from_entries", "map_from_entries(a)", "A MAP of an ARRAY of key and value pairs.", "map_from_entries(array(struct('a', 1)))", 1, 1, bindMapFromEntries),
	entry("map_concat", "map_concat(m, ...)", "The entries of all maps.", "map_concat(map('a', 1), map('b', 2))", 0, -1, bindMapConcat),
	entry("map_contains_key", "map_contains_key(m, key)", "TRUE if the MAP has the key.", "map_contains_key(map('a', 1), 'a')", 2, 2, bindMapContainsKey),
}

func mapArgument(name string, position int, e Expr) (Expr, error) {
	switch e.Type().Kind {
	case columnar.MapKind:
		return e, nil
	case columnar.NullKind:
		return typedNull(columnar.Map(columnar.Null, columnar.Null)), nil
	}
	return nil, unexpectedInput(name, position, "MAP", e)
}

// mapNotNull is mapArgument without a bare NULL.
func mapNotNull(name string, position int, e Expr) (Expr, error) {
	if e.Type() == columnar.Null {
		return nil, unexpectedInput(name, position, "MAP", e)
	}
	return mapArgument(name, position, e)
}

// mapAndKey makes the keys of a map and a key one type.
func mapAndKey(m, key Expr) (sameMap, sameKey Expr, ok bool) {
	t, ok := tightest(m.Type().KeyType(), key.Type())
	if !ok {
		return nil, nil, false
	}
	return implicit(m, columnar.Map(t, m.Type().ValueType())), implicit(key, t), true
}

// bindMapPart shares the keys (0) or the values (1).
func bindMapPart(part int) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		m, err := mapArgument(name, 0, args[0])
		if err != nil {
			return nil, err
		}
		run := func(f *frame) { f.shareRanges(f.args[0], f.args[0].kids[part]) }
		return &call{name: name, args: []Expr{m}, typ: columnar.Array(m.Type().Parts()[part].Type), run: run}, nil
	}
}

// shareRanges gives the output the ranges of v over another kid.
func (f *frame) shareRanges(v *vector, kid *vector) {
	f.out.kids = []*vector{kid}
	for _, i := range f.rows {
		f.out.start[i], f.out.end[i] = v.rangeAt(i)
	}
}

func bindMapEntries(name string, args []Expr) (Expr, error) {
	m, err := mapArgument(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	pair := columnar.Struct(m.Type().Parts()...)
	run := func(f *frame) { f.shareRanges(f.args[0], &vector{typ: pair, kids: f.args[0].kids}) }
	return &call{name: name, args: []Expr{m}, typ: columnar.Array(pair), run: run}, nil
}

func bindMapFromArrays(name string, args []Expr) (Expr, error) {
	for i, a := range args {
		if a.Type().Kind != columnar.ArrayKind {
			return nil, unexpectedInput(name, i, "ARRAY", a)
		}
	}
	t := columnar.Map(args[0].Type().Elem(), args[1].Type().Elem())
	if err := mapKeyType(t.KeyType()); err != nil {
		return nil, err
	}
	run := func(f *frame) {
		b := newMapBuilder(f)
		for _, i := range f.rows {
			k, kEnd := f.args[0].rangeAt(i)
			v, vEnd := f.args[1].rangeAt(i)
			if kEnd-k != vEnd-v {
				b.fault = &EvalError{"_LEGACY_ERROR_TEMP_2128", "The key array and value array of MapData must have the same length."}
			}
			for ; k < kEnd && b.fault == nil; k, v = k+1, v+1 {
				b.add(f.args[0].kids[0], f.args[1].kids[0], k, v)
			}
			b.finish(i)
		}
	}
	return &call{name: name, args: args, typ: t, run: run}, nil
}

func bindMapFromEntries(name string, args []Expr) (Expr, error) {
	t := args[0].Type()
	if t.Kind != columnar.ArrayKind || t.Elem().Kind != columnar.StructKind || len(t.Elem().Parts()) != 2 {
		return nil, unexpectedInput(name, 0, `"ARRAY" of pair "STRUCT"`, args[0])
	}
	parts := t.Elem().Parts()
	if err := mapKeyType(parts[0].Type); err != nil {
		return nil, err
	}
	run := func(f *frame) {
		b, pairs := newMapBuilder(f), f.args[0].kids[0]
		for _, i := range f.rows {
			from, until := f.args[0].rangeAt(i)
			null := false
			for k := from; k < until; k++ {
				null = null || pairs.isNull(k)
			}
			for k := from; k < until && !null; k++ {
				b.add(pairs.kids[0], pairs.kids[1], k, k)
			}
			if b.finish(i); null {
				f.setNull(f.out, i)
			}
		}
	}
	return &call{name: name, args: args, typ: columnar.Map(parts[0].Type, parts[1].Type), nullable: true, run: run}, nil
}

func bindMapConcat(name string, args []Expr) (Expr, error) {
	t := columnar.Map(columnar.String, columnar.String)
	if len(args) > 0 {
		for i, a := range args {
			if a.Type().Kind != columnar.MapKind {
				return nil, mismatch("MAP_CONCAT_DIFF_TYPES", "%s: parameter %d should be a MAP, it is %s.", name, i+1, a.Type())
			}
		}
		list, merged, ok := commonBy(args, unpromoted)
		if !ok {
			return nil, mismatch("DATA_DIFF_TYPES", "%s(%s): the maps should all be of the same type, got %s.", name, joined(args), typeList(args))
		}
		args, t = list, merged
	}
	run := func(f *frame) {
		b := newMapBuilder(f)
		for _, i := range f.rows {
			for _, m := range f.args {
				from, until := m.rangeAt(i)
				for k := from; k < until; k++ {
					b.add(m.kids[0], m.kids[1], k, k)
				}
			}
			b.finish(i)
		}
	}
	return &call{name: name, args: args, typ: t, run: run}, nil
}

func bindMapContainsKey(name string, args []Expr) (Expr, error) {
	m, err := mapArgument(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	if args[1].Type() == columnar.Null {
		return nil, mismatch("NULL_TYPE", "Null typed values cannot be used as arguments of %s.", name)
	}
	m, key, ok := mapAndKey(m, args[1])
	if !ok {
		return nil, mismatch("MAP_FUNCTION_DIFF_TYPES", "%s(%s): the input should be a map and a key of its type, got %s.", name, joined(args), typeList(args))
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			f.out.data[i] = bit(f.args[0].findKey(i, f.args[1], i) >= 0)
		}
	}
	return &call{name: name, args: []Expr{m, key}, typ: columnar.Boolean, run: run}, nil
}
