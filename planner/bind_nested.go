package planner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// fromText binds from_json and from_csv, whose second argument is a type as text.
func (b *binder) fromText(n *call) compute.Expr {
	args, ok := b.exprs(n.args)
	if !ok || len(args) < 2 || len(args) > 3 {
		return b.applyIf(ok, n, args)
	}
	ddl, ok := compute.ConstantText(args[1])
	if !ok {
		return b.apply(n, n.name.text, args...)
	}
	t, err := typeOrSchema(ddl)
	if err != nil {
		b.fail(n.args[1].place().start, err.Condition, "the schema "+ddl+": "+err.Message, err.Hint)
		return nil
	}
	options, ok := b.options(n, args[2:])
	if !ok {
		return nil
	}
	e, fault := compute.FromJSON(args[0], t, options["mode"] == "FAILFAST")
	if strings.EqualFold(n.name.text, "from_csv") {
		e, fault = compute.FromCSV(args[0], t, (options["sep"] + ",")[0])
	}
	if fault != nil {
		b.exprError(n, fault)
		return nil
	}
	return e
}

func (b *binder) applyIf(ok bool, n *call, args []compute.Expr) compute.Expr {
	if !ok {
		return nil
	}
	return b.apply(n, strings.ToLower(n.name.text), args...)
}

// typeOrSchema reads a type, or columns as those of a STRUCT.
func typeOrSchema(ddl string) (columnar.Type, *Error) {
	if t, err := ParseType(ddl); err == nil {
		return t, nil
	}
	s, err := ParseSchema(ddl)
	if err != nil {
		var fault *Error
		errors.As(err, &fault)
		return columnar.Type{}, fault
	}
	return columnar.Struct(s.Fields...), nil
}

// options reads the options of from_json, mode, and of from_csv, sep.
func (b *binder) options(n *call, args []compute.Expr) (options map[string]string, ok bool) {
	options = map[string]string{}
	if len(args) == 0 {
		return options, true
	}
	at := n.args[2].place().start
	entries, constant := compute.ConstantMap(args[0])
	if !constant {
		b.fail(at, "INVALID_OPTIONS.NON_MAP_FUNCTION", "the options are a map() of constants", "write map('mode', 'FAILFAST')")
		return nil, false
	}
	csv := strings.EqualFold(n.name.text, "from_csv")
	for key, value := range entries {
		switch key = strings.ToLower(key); {
		case csv && (key == "sep" || key == "delimiter") && len(value) == 1:
			options["sep"] = value
		case !csv && key == "mode" && (strings.EqualFold(value, "PERMISSIVE") || strings.EqualFold(value, "FAILFAST")):
			options["mode"] = strings.ToUpper(value)
		case !csv && key == "mode":
			b.fail(at, "PARSE_MODE_UNSUPPORTED", "the parse mode "+value+" is not supported", "it is PERMISSIVE or FAILFAST")
			return nil, false
		default:
			b.fail(at, "", "the option "+key+" => "+value+" is not supported", "from_json has mode, from_csv has sep, which is one byte")
			return nil, false
		}
	}
	return options, true
}

// structCall binds struct(a, b AS name): an alias names the field.
func (b *binder) structCall(n *call) compute.Expr {
	args, ok := b.exprs(n.args)
	if !ok {
		return nil
	}
	named := make([]compute.Expr, 0, 2*len(args))
	for i, e := range args {
		name := b.fieldName(n.args[i], e, i)
		if i < len(n.aliases) && n.aliases[i].text != "" {
			name = n.aliases[i].text
		}
		named = append(named, compute.Text(name), e)
	}
	return b.apply(n, "named_struct", named...)
}

// fieldName is the name that struct() gives a value at a position: what stands for an aggregate or a bound of a window is no column there.
func (b *binder) fieldName(n node, e compute.Expr, i int) string {
	at, plain := compute.Position(e)
	if !plain || at >= 0 && !b.scope.columns[at].nameless {
		return compute.FieldName(e, i)
	}
	switch n := n.(type) {
	case *name:
		return n.parts[len(n.parts)-1].text
	case *access:
		return n.name.text
	}
	return fmt.Sprintf("col%d", i+1)
}
