package compute

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// mergeParts merges two nested types of one kind part by part. Structs merge if their
// fields have the same names, without regard to case; the names of the first stay.
func mergeParts(a, b columnar.Type, merge func(a, b columnar.Type) (columnar.Type, bool)) (columnar.Type, bool) {
	left, right := a.Parts(), b.Parts()
	if len(left) != len(right) {
		return columnar.Type{}, false
	}
	fields := make([]columnar.Field, len(left))
	for k := range left {
		t, ok := merge(left[k].Type, right[k].Type)
		if !ok || a.Kind == columnar.StructKind && !strings.EqualFold(left[k].Name, right[k].Name) {
			return columnar.Type{}, false
		}
		fields[k] = columnar.Field{Name: left[k].Name, Type: t}
	}
	switch a.Kind {
	case columnar.ArrayKind:
		return columnar.Array(fields[0].Type), true
	case columnar.MapKind:
		return columnar.Map(fields[0].Type, fields[1].Type), true
	}
	return columnar.Struct(fields...), true
}

// sameShape reports whether two types differ in the names of fields at most.
func sameShape(a, b columnar.Type) bool {
	if a == b {
		return true
	}
	left, right := a.Parts(), b.Parts()
	if a.Kind != b.Kind || !a.Nested() || len(left) != len(right) {
		return false
	}
	for k := range left {
		if !sameShape(left[k].Type, right[k].Type) {
			return false
		}
	}
	return true
}
