package planner

import (
	"errors"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// fromText binds from_json, whose second argument is a type as text.
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
	failFast := false
	if len(args) == 3 {
		if failFast, ok = b.parseMode(n, args[2]); !ok {
			return nil
		}
	}
	e, fault := compute.FromJSON(args[0], t, failFast)
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

// parseMode reads the options of from_json: mode alone, PERMISSIVE or FAILFAST.
func (b *binder) parseMode(n *call, options compute.Expr) (failFast, ok bool) {
	entries, constant := compute.ConstantMap(options)
	if !constant {
		b.fail(n.args[2].place().start, "INVALID_OPTIONS.NON_MAP_FUNCTION", "the options are a map() of constants", "write map('mode', 'FAILFAST')")
		return false, false
	}
	for key, value := range entries {
		mode := strings.ToUpper(value)
		switch {
		case !strings.EqualFold(key, "mode"):
			b.fail(n.args[2].place().start, "", "the option "+key+" is not supported", "the only option is mode")
			return false, false
		case mode != "PERMISSIVE" && mode != "FAILFAST":
			b.fail(n.args[2].place().start, "PARSE_MODE_UNSUPPORTED", "the parse mode "+value+" is not supported", "it is PERMISSIVE or FAILFAST")
			return false, false
		}
		failFast = mode == "FAILFAST"
	}
	return failFast, true
}

// structCall binds struct(a, b AS name): an alias names the field.
func (b *binder) structCall(n *call) compute.Expr {
	args, ok := b.exprs(n.args)
	if !ok {
		return nil
	}
	if len(n.aliases) == 0 {
		return b.apply(n, "struct", args...)
	}
	named := make([]compute.Expr, 0, 2*len(args))
	for i, e := range args {
		name := compute.FieldName(e, i)
		if i < len(n.aliases) && n.aliases[i].text != "" {
			name = n.aliases[i].text
		}
		named = append(named, compute.Text(name), e)
	}
	return b.apply(n, "named_struct", named...)
}
