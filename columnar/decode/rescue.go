package decode

import "github.com/lakewheel/lakewheel/columnar"

// RescuedField is the name of a STRING column that takes the fields of a document that
// the schema does not name, as a JSON object; it is NULL where there are none. Fields
// within others have names such as "user.address" and "items[2].note".
const RescuedField = "_rescued"

// What a key is that no field of the batch has.
const (
	unknown  = -1
	declared = -2 // the schema of the source names it, the batch does not need it
)

// Declare names the fields of the source, of which the decoder may read only some: the
// others are not unknown.
func (d *JSON) Declare(s *columnar.Schema) {
	for _, f := range s.Fields {
		if _, read := d.index[f.Name]; !read {
			d.index[f.Name] = declared
		}
	}
}

// keep adds an unknown field, whose key begins at one position and whose value at another.
func (d *JSON) keep(s []byte, key, value, end int) {
	open := byte(',')
	if len(d.rescue) == 0 {
		open = '{'
	}
	name, _ := d.quoted(s, key)
	full := append(d.path, name...)
	d.rescue = append(AppendString(append(d.rescue, open), full), ':')
	d.path = full[:len(full)-len(name)]
	d.rescue = append(d.rescue, s[value:end]...)
}

// closeRescue writes what was kept of a row.
func (d *JSON) closeRescue() {
	if d.rescued < 0 {
		return
	}
	f := &d.fields[d.rescued]
	if len(d.rescue) == 0 {
		f.setNull(d.row)
		return
	}
	f.put(append(d.rescue, '}'))
	d.rescue = d.rescue[:0]
}
