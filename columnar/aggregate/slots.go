package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// slots keep one value of any type for each group, NULL at first.
type slots interface {
	Resize(n int)
	Keep(groups columnar.Selection)
	Bytes() int64
	// put gives each group the value of a row of the column.
	put(groups, rows []int32, c columnar.Column)
	column(groups columnar.Selection) columnar.Column
}

func newSlots(t columnar.Type) slots {
	switch t.Width() {
	case 1:
		return &fixedSlots[int8]{cells[int8]{typ: t}}
	case 2:
		return &fixedSlots[int16]{cells[int16]{typ: t}}
	case 4:
		return &fixedSlots[int32]{cells[int32]{typ: t}}
	case 8:
		return &fixedSlots[int64]{cells[int64]{typ: t}}
	case 16:
		return &fixedSlots[decimalValue]{cells[decimalValue]{typ: t}}
	}
	return &textSlots{texts{typ: t}}
}

type fixedSlots[T columnar.Fixed] struct{ cells[T] }

func (s *fixedSlots[T]) put(groups, rows []int32, c columnar.Column) {
	values := columnar.FixedValues[T](c)
	for i, g := range groups {
		s.values[g], s.set[g] = values[rows[i]], c.IsValid(int(rows[i]))
	}
}

type textSlots struct{ texts }

func (s *textSlots) put(groups, rows []int32, c columnar.Column) {
	read := s.reader(c)
	for i, g := range groups {
		if row := int(rows[i]); c.IsValid(row) {
			s.texts.put(g, read(row))
		} else {
			s.texts.put(g, nil)
			s.set[g] = false
		}
	}
}

// picks are rows of which each is the choice of a group.
type picks struct {
	groups, rows []int32
	taken        []bool // by group; all false between calls
}

// last chooses the last row of each group among the rows listed, or among all if rows is nil. It is valid until the next call.
func (p *picks) last(groups, rows []int32) *picks {
	p.groups, p.rows = p.groups[:0], p.rows[:0]
	n := len(groups)
	if rows != nil {
		n = len(rows)
	}
	for i := n - 1; i >= 0; i-- {
		row := int32(i)
		if rows != nil {
			row = rows[i]
		}
		g := groups[row]
		if g < 0 || p.taken[g] {
			continue
		}
		p.taken[g] = true
		p.groups, p.rows = append(p.groups, g), append(p.rows, row)
	}
	for _, g := range p.groups {
		p.taken[g] = false
	}
	return p
}

func (p *picks) Resize(n int) { p.taken = resized(p.taken, n) }

func (p *picks) Keep(groups columnar.Selection) { p.taken = p.taken[:len(groups)] }

func (p *picks) Bytes() int64 { return sizeOf(p.taken) }
