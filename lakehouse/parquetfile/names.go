package parquetfile

import "errors"

// Names tell what a file calls a column, and what is nested in it. Without Names a column bears the same name in both.
type Names struct {
	Name string // in the file
	ID   int    // the field id in the file: if it is not 0, it tells, and not the name
	// Parts are the columns of a table or the fields of a STRUCT, by their names in the schema; "element" of an ARRAY; "key" and
	// "value" of a MAP.
	Parts map[string]*Names
}

func (n *Names) part(name string) *Names {
	if n == nil {
		return nil
	}
	return n.Parts[name]
}

// named goes to the field that Names mean, or, if they are nil, to that of the name.
func (s spot) named(name string, n *Names) (spot, bool) {
	switch {
	case n == nil:
		return s.field(name)
	case n.ID == 0:
		return s.field(n.Name)
	}
	for _, f := range s.node.Fields() {
		if f.ID() == n.ID {
			return s.enter(f), true
		}
	}
	return spot{}, false
}

var errNoIDs = errors.New("the table finds columns by their ids, and the file has none")

// identified reports whether a field has an id.
func (s spot) identified() bool {
	for _, f := range s.node.Fields() {
		if f.ID() != 0 {
			return true
		}
	}
	return false
}
