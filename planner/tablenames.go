package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// invalidInNames are the characters that table formats refuse in a column name.
const invalidInNames = " ,;{}()\n\t="

// CheckTableNames refuses a result whose columns cannot be the columns of a table:
// intervals, and names of expressions, which contain parentheses and spaces. The error joins one sentence
// for each such column, which names the alias to write.
func CheckTableNames(s *columnar.Schema) error {
	taken := make(map[string]bool, s.Len())
	for _, f := range s.Fields {
		taken[foldName(f.Name)] = true
	}
	var faults []error
	for i, f := range s.Fields {
		if hollow(f.Type) {
			faults = append(faults, fmt.Errorf("[UNSUPPORTED_DATATYPE] a table cannot hold column %d, %s %s: a STRUCT in it has no fields", i+1, f.Name, f.Type))
		}
		if t, found := intervalIn(f.Type); found {
			faults = append(faults, fmt.Errorf("[UNSUPPORTED_DATATYPE] a table cannot hold column %d, %s %s: no table format has %s; cast it to STRING, or take a number out of it with EXTRACT", i+1, f.Name, f.Type, t))
		}
		if !strings.ContainsAny(f.Name, invalidInNames) {
			continue
		}
		alias := aliasFor(f.Name, i, taken)
		taken[foldName(alias)] = true
		faults = append(faults, fmt.Errorf("[DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES] a table cannot have column %d named %q: "+
			"give the expression a name, as in AS %s", i+1, f.Name, alias))
	}
	return errors.Join(faults...)
}

// hollow reports whether a STRUCT in a type has no fields.
func hollow(t columnar.Type) bool {
	if t.Kind == columnar.StructKind && len(t.Parts()) == 0 {
		return true
	}
	return slices.ContainsFunc(t.Parts(), func(f columnar.Field) bool { return hollow(f.Type) })
}

// intervalIn finds an interval in a type.
func intervalIn(t columnar.Type) (columnar.Type, bool) {
	if t.Interval() {
		return t, true
	}
	for _, part := range t.Parts() {
		if found, ok := intervalIn(part.Type); ok {
			return found, true
		}
	}
	return columnar.Type{}, false
}

// aliasFor makes a free name of the words in an unusable one: (amount * 2) is amount_2.
func aliasFor(name string, position int, taken map[string]bool) string {
	const longest = 40
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) })
	alias := strings.Join(words, "_")
	if alias == "" || isDigit(alias[0]) || isReserved(alias) || len(alias) > longest {
		alias = fmt.Sprintf("column_%d", position+1)
	}
	free := alias
	for n := 2; taken[foldName(free)]; n++ {
		free = fmt.Sprintf("%s_%d", alias, n)
	}
	return free
}
