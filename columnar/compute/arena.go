package compute

import "math/bits"

// arena hands out scratch memory that lives until reset, in sizes of powers of two,
// and keeps it for the next call.
type arena struct {
	free [48][][]byte
	used [][]byte
}

// bytes returns n bytes of undefined content, aligned for every value.
func (a *arena) bytes(n int) []byte {
	class := bits.Len(uint(max(n, 64) - 1))
	var b []byte
	if k := len(a.free[class]); k > 0 {
		b, a.free[class] = a.free[class][k-1], a.free[class][:k-1]
	} else {
		b = make([]byte, 1<<class)
	}
	a.used = append(a.used, b)
	return b[:n]
}

func (a *arena) reset() { a.release(0) }

// mark is a point that release can go back to.
func (a *arena) mark() int { return len(a.used) }

// release takes back what was handed out since mark.
func (a *arena) release(mark int) {
	for i, b := range a.used[mark:] {
		class := bits.Len(uint(cap(b) - 1))
		a.free[class] = append(a.free[class], b[:cap(b)])
		a.used[mark+i] = nil
	}
	a.used = a.used[:mark]
}
