package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
)

var constructFunctions = []function{
	entry("array", "array(a, ...)", "An ARRAY of the values.", "array(1, 2)", 0, -1, bindArray),
	entry("map", "map(k, v, ...)", "A MAP of keys and values; a key may not be NULL or appear twice.", "map('a', 1)", 0, -1, bindMap),
	entry("struct", "struct(a, ...)", "A STRUCT of the values; fields bear the names of columns, or col1, col2, ...", "struct(1, 'x')", 0, -1, bindStruct),
	entry("named_struct", "named_struct(name, a, ...)", "A STRUCT of named values.", "named_struct('a', 1)", 0, -1, bindNamedStruct),
	entry("[]", "a[i]", "Element of an ARRAY from 0, or value of a MAP.", "array(1, 2)[0]", 2, 2, bindIndex),
	entry("element_at", "element_at(a, i)", "Element of an ARRAY from 1, negative from the end; or value of a MAP.", "element_at(array(1, 2), -1)", 2, 2, bindElementAt(false)),
	entry("try_element_at", "try_element_at(a, i)", "element_at, NULL where there is none.", "try_element_at(array(1), 5)", 2, 2, bindElementAt(true)),
	entry("get", "get(a, i)", "Element of an ARRAY from 0, NULL where there is none.", "get(array(1, 2), 5)", 2, 2, bindGet),
}

// bindArray makes the elements one type.
func bindArray(name string, args []Expr) (Expr, error) {
	elem := columnar.Null
	if len(args) > 0 {
		list, t, ok := common(args)
		if !ok {
			return nil, mismatch("DATA_DIFF_TYPES", "%s(%s): the elements should all be of the same type, got %s.", name, joined(args), typeList(args))
		}
		args, elem = list, t
	}
	run := func(f *frame) {
		elements := f.out.kids[0]
		for _, i := range f.rows {
			from := elements.n
			for _, a := range f.args {
				elements.push(a, i)
			}
			f.closeList(f.out, i, from)
		}
	}
	return &call{name: name, args: args, typ: columnar.Array(elem), lenient: true, run: run}, nil
}

// bindMap takes keys and values in turn.
func bindMap(name string, args []Expr) (Expr, error) {
	if len(args)%2 != 0 {
		return nil, wrongCount(name, "2n (n is a natural number)", len(args))
	}
	keys, values := make([]Expr, 0, len(args)/2), make([]Expr, 0, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	key, value, ok := columnar.Null, columnar.Null, true
	if len(args) > 0 {
		if keys, key, ok = common(keys); !ok {
			return nil, mismatch("CREATE_MAP_KEY_DIFF_TYPES", "%s(%s): the keys should all be of the same type.", name, joined(args))
		}
		if values, value, ok = common(values); !ok {
			return nil, mismatch("CREATE_MAP_VALUE_DIFF_TYPES", "%s(%s): the values should all be of the same type.", name, joined(args))
		}
	}
	if err := mapKeyType(key); err != nil {
		return nil, err
	}
	run := func(f *frame) {
		b := newMapBuilder(f)
		half := len(f.args) / 2
		for _, i := range f.rows {
			for k := range half {
				b.add(f.args[k], f.args[half+k], i, i)
			}
			b.finish(i)
		}
	}
	return &call{name: name, args: append(keys, values...), typ: columnar.Map(key, value), lenient: true, run: run}, nil
}

func mapKeyType(t columnar.Type) error {
	if orderable(t) {
		return nil
	}
	return mismatch("INVALID_MAP_KEY_TYPE", "The key of map cannot be/contain %s.", t)
}

// mapBuilder makes the maps of an output one after the other. It refuses NULL keys and
// keys that appear twice, as Spark does.
type mapBuilder struct {
	f     *frame
	from  int
	fault error
	known map[string]bool
	key   []byte
}

func newMapBuilder(f *frame) *mapBuilder { return &mapBuilder{f: f, from: f.out.kids[0].n} }

// scanned is how many keys are compared one by one before they are hashed.
const scanned = 8

// add puts an entry into the running map.
func (b *mapBuilder) add(keys, values *vector, k, v int32) {
	if b.fault != nil {
		return
	}
	out := b.f.out
	switch {
	case keys.isNull(k):
		b.fault = &EvalError{"NULL_MAP_KEY", "Cannot use null as map key."}
	case b.has(keys, k):
		b.fault = &EvalError{"DUPLICATED_MAP_KEY", fmt.Sprintf("Duplicate map key %s was found, please check the input data.", clipped(appendText(nil, keys, k)))}
	default:
		out.kids[0].push(keys, k)
		out.kids[1].push(values, v)
	}
}

func (b *mapBuilder) has(keys *vector, k int32) bool {
	own := b.f.out.kids[0]
	if own.n-b.from < scanned {
		for at := b.from; at < own.n; at++ {
			if compareAt(own, int32(at), keys, k) == 0 {
				return true
			}
		}
		return false
	}
	if b.known == nil {
		b.known = map[string]bool{}
		for at := b.from; at < own.n; at++ {
			b.known[string(appendKey(nil, own, int32(at)))] = true
		}
	}
	b.key = appendKey(b.key[:0], keys, k)
	if b.known[string(b.key)] {
		return true
	}
	b.known[string(b.key)] = true
	return false
}

// finish ends the map of a row; with a fault the row fails.
func (b *mapBuilder) finish(row int32) {
	b.f.closeList(b.f.out, row, b.from)
	if b.fault != nil {
		b.f.fail(row, b.fault)
	}
	b.from, b.fault, b.known = b.f.out.kids[0].n, nil, nil
}

// bindStruct names fields after columns and fields, and numbers the others.
func bindStruct(name string, args []Expr) (Expr, error) {
	fields := make([]columnar.Field, len(args))
	for i, a := range args {
		fields[i] = columnar.Field{Name: FieldName(a, i), Type: a.Type()}
	}
	return newStruct(fields, args), nil
}

// FieldName is the name that struct() gives a value at a position, counted from 0.
func FieldName(e Expr, i int) string {
	switch e := e.(type) {
	case *column:
		return e.name
	case *variable:
		return e.name
	case *fieldOf:
		if e.in.Type().Kind == columnar.StructKind {
			return e.in.Type().Parts()[e.index].Name
		}
		return e.in.Type().Elem().Parts()[e.index].Name
	}
	return fmt.Sprintf("col%d", i+1)
}

func bindNamedStruct(name string, args []Expr) (Expr, error) {
	if len(args)%2 != 0 {
		return nil, wrongCount(name, "2n (n is a natural number)", len(args))
	}
	fields, values := make([]columnar.Field, 0, len(args)/2), make([]Expr, 0, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		field, ok := textLiteral(Fold(args[i]))
		if !ok {
			return nil, mismatch("CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", "Only foldable STRING expressions are allowed to appear at odd position, but they are %s.", args[i])
		}
		fields = append(fields, columnar.Field{Name: field, Type: args[i+1].Type()})
		values = append(values, args[i+1])
	}
	return newStruct(fields, values), nil
}

// structOf is a STRUCT of expressions.
type structOf struct {
	list []Expr
	typ  columnar.Type
}

func newStruct(fields []columnar.Field, list []Expr) Expr {
	return &structOf{list, columnar.Struct(fields...)}
}

func (s *structOf) Type() columnar.Type     { return s.typ }
func (s *structOf) Nullable() bool          { return false }
func (s *structOf) inputs() []Expr          { return s.list }
func (s *structOf) with(inputs []Expr) Expr { return &structOf{inputs, s.typ} }

func (s *structOf) String() string {
	text := "named_struct("
	for i, f := range s.typ.Parts() {
		if i > 0 {
			text += ", "
		}
		text += f.Name + ", " + s.list[i].String()
	}
	return text + ")"
}

func (s *structOf) eval(ev *Evaluator, rows []int32) *vector {
	out := &vector{typ: s.typ, kids: make([]*vector, len(s.list))}
	for i, e := range s.list {
		out.kids[i] = e.eval(ev, rows)
	}
	return out
}
