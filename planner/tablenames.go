package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// invalidInNames are the characters that table formats refuse in a column name.
const invalidInNames = " ,;{}()\n\t="

// CheckTableNames refuses a result whose columns cannot be the columns of a table:
// names of expressions contain parentheses and spaces.
func CheckTableNames(s *columnar.Schema) error {
	for i, f := range s.Fields {
		if strings.ContainsAny(f.Name, invalidInNames) {
			return fmt.Errorf("[DELTA_INVALID_CHARACTERS_IN_COLUMN_NAME] a table cannot have column %d named %q: "+
				"give the expression a name with AS", i+1, f.Name)
		}
	}
	return nil
}
