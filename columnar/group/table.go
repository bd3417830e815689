package group

// table is a hash table of numbers with open addressing and linear probing. A slot is 0 if it is free, else the upper 32 bits
// of the hash, its tag, and the number plus one. The place of a tag is its uppermost bits, so that the keys are not
// needed to build the table anew.
type table struct {
	slots []uint64
	shift uint
	n     int
}

const leastBits = 6

func newTable() table { return sizedTable(0) }

// sizedTable has room for n numbers.
func sizedTable(n int) table {
	bits := uint(leastBits)
	for n*8 > 5<<bits {
		bits++
	}
	return table{slots: make([]uint64, 1<<bits), shift: 32 - bits}
}

// full reports whether no more may be put in: more than five eighths are taken.
func (t *table) full() bool { return t.n*8 >= len(t.slots)*5 }

// place is where the search for a tag begins.
func (t *table) place(tag uint32) int { return int(tag >> t.shift) }

// put adds a number that is not in the table.
func (t *table) put(tag uint32, id int32) {
	at := t.place(tag)
	for t.slots[at] != 0 {
		at = (at + 1) & (len(t.slots) - 1)
	}
	t.slots[at] = uint64(tag)<<32 | uint64(id+1)
	t.n++
}

// grow doubles the table.
func (t *table) grow() {
	larger := sizedTable(len(t.slots) * 5 / 4)
	t.moveTo(&larger, func(id int32) int32 { return id })
}

// keep forgets all numbers of n but some: ids[i] becomes i.
func (t *table) keep(ids []int32, n int) {
	to := make([]int32, n)
	for i := range to {
		to[i] = -1
	}
	for i, id := range ids {
		to[id] = int32(i)
	}
	smaller := sizedTable(len(ids))
	t.moveTo(&smaller, func(id int32) int32 { return to[id] })
}

// moveTo puts the numbers into another table, those that become -1 excepted, and replaces this one by it.
func (t *table) moveTo(to *table, number func(int32) int32) {
	for _, s := range t.slots {
		if s == 0 {
			continue
		}
		if id := number(int32(uint32(s)) - 1); id >= 0 {
			to.put(uint32(s>>32), id)
		}
	}
	*t = *to
}
