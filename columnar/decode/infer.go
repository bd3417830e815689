package decode

import (
	"errors"
	"sort"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// Inference finds the type that JSON documents have in common, by the rules of Spark's
// schema inference: whole numbers are BIGINT, or DECIMAL if they are longer, others
// DOUBLE; values that disagree are STRING, where empty strings agree with all; fields are sorted by name. It belongs to one
// goroutine.
type Inference struct {
	// Times makes TIMESTAMP of strings that are all timestamps with a time of day.
	Times bool
	d     JSON
	typ   columnar.Type
}

// Add takes a document into account; one that is not JSON is an error and changes nothing.
func (n *Inference) Add(doc []byte) error {
	i := space(doc, 0)
	if i == len(doc) {
		return errors.New("the document is empty")
	}
	if n.d.skip(doc, i, 1) < 0 {
		return n.d.fault.error()
	}
	t, _ := n.value(doc, i)
	if n.typ.Kind == columnar.InvalidKind {
		n.typ = t
		return nil
	}
	n.typ = n.merge(n.typ, t)
	return nil
}

// Type is the type so far; a value that was always null is STRING.
func (n *Inference) Type() columnar.Type { return settled(n.typ) }

// InferJSON is the type of one document.
func InferJSON(doc []byte) (columnar.Type, error) {
	var n Inference
	err := n.Add(standard(doc))
	return n.Type(), err
}

// value is the type of the value at i, which is JSON, and the position after it.
func (n *Inference) value(s []byte, i int) (t columnar.Type, end int) {
	switch c := s[i]; {
	case c == '{':
		return n.object(s, i)
	case c == '[':
		return n.array(s, i)
	case c == '"':
		text, end := n.d.quoted(s, i)
		if len(text) == 0 {
			return columnar.Null, end // any type has it
		}
		if _, ok := sqltext.ParseTimestamp(text); n.Times && ok && strings.Contains(string(text), ":") && len(text) >= 16 {
			return columnar.Timestamp, end
		}
		return columnar.String, end
	case c == 't', c == 'f':
		return columnar.Boolean, n.d.skip(s, i, 0)
	case c == 'n':
		return columnar.Null, i + 4
	}
	var x number
	x.scan(s, i)
	switch _, fits := x.integer(); {
	case !x.whole:
		return columnar.Double, x.end
	case fits:
		return columnar.BigInt, x.end
	case x.digits <= columnar.MaxDecimalPrecision:
		return columnar.Decimal(x.digits, 0), x.end
	}
	return columnar.Double, x.end
}

func (n *Inference) object(s []byte, i int) (columnar.Type, int) {
	var fields []columnar.Field
	for i = space(s, i+1); s[i] != '}'; i = space(s, i) {
		if s[i] == ',' {
			i = space(s, i+1)
		}
		name, after := n.d.quoted(s, i)
		f := columnar.Field{Name: string(name), Nullable: true}
		f.Type, i = n.value(s, space(s, space(s, after)+1))
		fields = n.add(fields, f)
	}
	sort.Slice(fields, func(a, b int) bool { return fields[a].Name < fields[b].Name })
	return columnar.Struct(fields...), i + 1
}

// add merges a field into a list.
func (n *Inference) add(fields []columnar.Field, f columnar.Field) []columnar.Field {
	for k := range fields {
		if fields[k].Name == f.Name {
			fields[k].Type = n.merge(fields[k].Type, f.Type)
			return fields
		}
	}
	return append(fields, f)
}

func (n *Inference) array(s []byte, i int) (columnar.Type, int) {
	elem := columnar.Null
	for i = space(s, i+1); s[i] != ']'; i = space(s, i) {
		if s[i] == ',' {
			i = space(s, i+1)
		}
		var t columnar.Type
		t, i = n.value(s, i)
		elem = n.merge(elem, t)
	}
	return columnar.Array(elem), i + 1
}

// merge is the type that values of both fit.
func (n *Inference) merge(a, b columnar.Type) columnar.Type {
	switch {
	case a == b, b == columnar.Null:
		return a
	case a == columnar.Null:
		return b
	case a.Numeric() && b.Numeric():
		return mergeNumbers(a, b)
	case a.Kind == columnar.ArrayKind && b.Kind == columnar.ArrayKind:
		return columnar.Array(n.merge(a.Elem(), b.Elem()))
	case a.Kind == columnar.StructKind && b.Kind == columnar.StructKind:
		fields := append([]columnar.Field{}, a.Parts()...)
		for _, f := range b.Parts() {
			fields = n.add(fields, f)
		}
		sort.Slice(fields, func(x, y int) bool { return fields[x].Name < fields[y].Name })
		return columnar.Struct(fields...)
	}
	return columnar.String
}

func mergeNumbers(a, b columnar.Type) columnar.Type {
	if a == columnar.Double || b == columnar.Double {
		return columnar.Double
	}
	digits := func(t columnar.Type) int {
		if t == columnar.BigInt {
			return 20
		}
		return int(t.Precision)
	}
	return columnar.Decimal(max(digits(a), digits(b)), 0)
}

// settled replaces the types of values that were always null or empty, and leaves out
// fields that no value is known of: objects without members, and arrays of them.
func settled(t columnar.Type) columnar.Type {
	switch t.Kind {
	case columnar.NullKind, columnar.InvalidKind:
		return columnar.String
	case columnar.ArrayKind:
		return columnar.Array(settled(t.Elem()))
	case columnar.StructKind:
		var parts []columnar.Field
		for _, f := range t.Parts() {
			if f.Type = settled(f.Type); !bare(f.Type) {
				parts = append(parts, f)
			}
		}
		return columnar.Struct(parts...)
	}
	return t
}

func bare(t columnar.Type) bool {
	return t.Kind == columnar.StructKind && len(t.Parts()) == 0 || t.Kind == columnar.ArrayKind && bare(t.Elem())
}
