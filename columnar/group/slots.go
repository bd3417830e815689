package group

// slots are a hash table of numbers with open addressing and linear probing. A slot is 0 if it is free, else the upper 32
// bits of the hash, its tag, and the number plus one. The place of a tag is its uppermost bits, so that the keys are not
// needed to build the table anew.
type slots struct {
	list  []uint64
	shift uint
	n     int
}

const leastBits = 6

// newSlots has room for n numbers.
func newSlots(n int) slots {
	bits := uint(leastBits)
	for n*8 > 5<<bits {
		bits++
	}
	return slots{list: make([]uint64, 1<<bits), shift: 32 - bits}
}

// full reports whether no more may be put in: five eighths are taken.
func (s *slots) full() bool { return s.n*8 >= len(s.list)*5 }

// place is where the search for a tag begins.
func (s *slots) place(tag uint32) int { return int(tag >> s.shift) }

// put adds a number that is not there.
func (s *slots) put(tag uint32, id int32) {
	at := s.place(tag)
	for s.list[at] != 0 {
		at = (at + 1) & (len(s.list) - 1)
	}
	s.list[at] = uint64(tag)<<32 | uint64(id+1)
	s.n++
}

// grow doubles the table.
func (s *slots) grow() {
	larger := newSlots(len(s.list) * 5 / 4)
	s.moveTo(&larger, func(id int32) int32 { return id })
}

// keep forgets all numbers of n but some: ids[i] becomes i.
func (s *slots) keep(ids []int32, n int) {
	to := make([]int32, n)
	for i := range to {
		to[i] = -1
	}
	for i, id := range ids {
		to[id] = int32(i)
	}
	smaller := newSlots(len(ids))
	s.moveTo(&smaller, func(id int32) int32 { return to[id] })
}

// moveTo puts the numbers into another table, those that become -1 excepted, and replaces this one by it.
func (s *slots) moveTo(to *slots, number func(int32) int32) {
	for _, slot := range s.list {
		if slot == 0 {
			continue
		}
		if id := number(int32(uint32(slot)) - 1); id >= 0 {
			to.put(uint32(slot>>32), id)
		}
	}
	*s = *to
}
