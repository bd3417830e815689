package parquetfile

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// spot is a node of a file's schema, with the levels that a slot has which reaches it.
type spot struct {
	node     parquet.Node
	path     []string
	def      byte // the value at the spot is there from this definition level on
	rep      byte // lists above
	slot     byte // the innermost list above has an element from this definition level on
	repeated bool // the node is repeated, and the spot stands for the list of its values
}

// maxDepth bounds the recursion over the schema of a file.
const maxDepth = 100

var errDeep = fmt.Errorf("it is nested more than %d levels deep, which is not supported", maxDepth)

// enter goes to a field of the node.
func (s spot) enter(f parquet.Field) spot {
	s.node, s.path, s.repeated = f, append(s.path[:len(s.path):len(s.path)], f.Name()), f.Repeated()
	if f.Optional() {
		s.def++
	}
	return s
}

// each goes from a repeated node to one of its values.
func (s spot) each() spot {
	s.def, s.rep, s.repeated = s.def+1, s.rep+1, false
	s.slot = s.def
	return s
}

// field goes to the field of that name.
func (s spot) field(name string) (spot, bool) {
	for _, f := range s.node.Fields() {
		if f.Name() == name {
			return s.enter(f), true
		}
	}
	return spot{}, false
}

// only is the only field of a group.
func (s spot) only() (parquet.Field, bool) {
	if s.node.Leaf() || len(s.node.Fields()) != 1 {
		return nil, false
	}
	return s.node.Fields()[0], true
}

// list finds in a node what makes it a list: what is repeated, and the element. There are three layouts: a repeated node without a
// group around it; a group around a repeated element; and a group around a repeated group with the element in it, which tells NULL
// elements apart. The names tell the last two apart where the repeated group has one field.
func (s spot) list() (repeated, element spot, ok bool) {
	if s.repeated {
		return s.each(), s.each(), true
	}
	middle, ok := s.only()
	if !ok || !middle.Repeated() {
		return s, s, false
	}
	repeated = s.enter(middle).each()
	inner, ok := repeated.only()
	if !ok || middle.Name() == "array" || middle.Name() == s.path[len(s.path)-1]+"_tuple" || inner.Repeated() {
		return repeated, repeated, true
	}
	return repeated, repeated.enter(inner), true
}

// mapping finds in a node what makes it a map.
func (s spot) mapping() (repeated, key, value spot, ok bool) {
	middle, ok := s.only()
	if !ok || s.repeated || !middle.Repeated() || middle.Leaf() || len(middle.Fields()) != 2 {
		return s, s, s, false
	}
	repeated = s.enter(middle).each()
	return repeated, repeated.enter(middle.Fields()[0]), repeated.enter(middle.Fields()[1]), true
}

// annotated tells what the file calls a group.
func (s spot) annotated() (list, mapping bool) {
	if s.node.Type() == nil || s.node.Type().LogicalType() == nil {
		return false, false
	}
	switch s.node.Type().LogicalType().Value.(type) {
	case *format.ListType:
		return true, false
	case *format.MapType:
		return false, true
	}
	return false, false
}

// anyLeaf is the first leaf at or below a spot.
func (s spot) anyLeaf() spot {
	for !s.node.Leaf() && len(s.node.Fields()) > 0 {
		if s = s.enter(s.node.Fields()[0]); s.repeated {
			s = s.each()
		}
	}
	return s
}
