package columnar

import (
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// InvalidText lists the rows of a column, ascending, that hold a STRING, at any depth, which is no UTF-8. Readers of a Parquet file refuse
// the whole column for one of them.
func InvalidText(c Column) []int32 {
	switch a := c.(type) {
	case *array.String:
		return invalidStrings(a)
	case *array.Struct:
		return invalidFields(a)
	case *array.Map:
		return holders(a, a.Offsets()[a.Data().Offset():], InvalidText(a.ListValues()))
	case *array.List:
		return holders(a, a.Offsets()[a.Data().Offset():], InvalidText(a.ListValues()))
	}
	return nil
}

func invalidStrings(a *array.String) (rows []int32) {
	if allText(a) {
		return nil
	}
	for i := range a.Len() {
		if a.IsValid(i) && !utf8.ValidString(a.Value(i)) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// allText looks at all bytes at once. They may be text although a value begins within a letter.
func allText(a *array.String) bool {
	if a.Len() == 0 {
		return true
	}
	starts := a.ValueOffsets()
	bytes := a.ValueBytes()
	if !utf8.Valid(bytes) {
		return false
	}
	first, within := starts[0], false
	for _, at := range starts[:a.Len()] {
		within = within || int(at-first) < len(bytes) && !utf8.RuneStart(bytes[at-first])
	}
	return !within
}

// invalidFields are the rows of a STRUCT of which a field is invalid.
func invalidFields(a *array.Struct) (rows []int32) {
	bad := map[int32]bool{}
	for _, field := range StructParts(a) {
		for _, row := range InvalidText(field) {
			bad[row] = a.IsValid(int(row))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	for i := range int32(a.Len()) {
		if bad[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// holders are the rows of lists that hold one of some elements, which ascend. Row i has the elements [offsets[i], offsets[i+1]).
func holders(lists Column, offsets, elements []int32) (rows []int32) {
	for i := 0; i < lists.Len() && len(elements) > 0; i++ {
		for len(elements) > 0 && elements[0] < offsets[i] {
			elements = elements[1:]
		}
		if len(elements) > 0 && elements[0] < offsets[i+1] && lists.IsValid(i) {
			rows = append(rows, int32(i))
		}
	}
	return rows
}
