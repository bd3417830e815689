package parquetfile

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
)

// shredder takes the rows of a nested column apart, leaf by leaf. What Parquet stores of a leaf is a list of slots: one
// for each value, and one for each place above where there is none, as something there is NULL or empty.
//
// It walks from the column to the leaf. At each step a slot stands at a position of the array that was reached, or has ended
// (-1), and has two levels: how much of the way to the leaf is there (definition), and at which list it goes on rather
// than beginning a row (repetition).
type shredder struct {
	def, rep []byte
	at       []int32
	depth    byte // lists above

	nextDef, nextRep []byte
	nextAt           []int32
}

// shred returns the array of the leaf. Its values are those at the positions of the slots that have not ended.
func (s *shredder) shred(l leaf, c columnar.Column) (columnar.Column, error) {
	s.begin(c.Len())
	for _, step := range l.steps {
		if err := s.defined(c, step.nullable); err != nil {
			return nil, err
		}
		switch a := c.(type) {
		case *array.Struct:
			c = a.Field(step.part)
		case *array.List:
			s.open(a)
			c = a.ListValues()
		case *array.Map:
			s.open(a.List)
			c = a.ListValues().(*array.Struct).Field(step.part)
		default:
			return nil, fmt.Errorf("layout %s is not nested", c.DataType())
		}
	}
	return c, s.defined(c, l.nullable)
}

// begin has one slot a row.
func (s *shredder) begin(rows int) {
	s.def, s.rep, s.at, s.depth = grow(s.def, rows), grow(s.rep, rows), grow(s.at, rows), 0
	clear(s.def)
	clear(s.rep)
	for i := range s.at {
		s.at[i] = int32(i)
	}
}

// defined ends the slots that stand at a NULL; the others get a level further, if NULL is possible.
func (s *shredder) defined(c columnar.Column, nullable bool) error {
	nulls := len(c.NullBitmapBytes()) > 0 // NullN counts at its first call: several leaves of a column are taken apart at the same time
	for i, at := range s.at {
		switch {
		case at < 0:
		case nulls && c.IsNull(int(at)):
			if !nullable {
				return errNotNull
			}
			s.at[i] = -1
		case nullable:
			s.def[i]++
		}
	}
	return nil
}

// open replaces each slot by one for each element; where there are none, it ends.
func (s *shredder) open(a *array.List) {
	s.depth++
	offsets := a.Offsets()[a.Data().Offset():]
	s.nextDef, s.nextRep, s.nextAt = s.nextDef[:0], s.nextRep[:0], s.nextAt[:0]
	for i, at := range s.at {
		if at < 0 || offsets[at] == offsets[at+1] {
			s.add(s.def[i], s.rep[i], -1)
			continue
		}
		s.add(s.def[i]+1, s.rep[i], offsets[at])
		for k := offsets[at] + 1; k < offsets[at+1]; k++ {
			s.add(s.def[i]+1, s.depth, k)
		}
	}
	s.def, s.nextDef = s.nextDef, s.def
	s.rep, s.nextRep = s.nextRep, s.rep
	s.at, s.nextAt = s.nextAt, s.at
}

func (s *shredder) add(def, rep byte, at int32) {
	s.nextDef, s.nextRep, s.nextAt = append(s.nextDef, def), append(s.nextRep, rep), append(s.nextAt, at)
}

// page returns the end of the page that begins at a slot, and its number of rows. A page ends between rows.
func (s *shredder) page(from int) (until, rows int) {
	for i := from; i < len(s.rep); i++ {
		if s.rep[i] == 0 {
			if i-from >= pageRows {
				return i, rows
			}
			rows++
		}
	}
	return len(s.rep), rows
}
