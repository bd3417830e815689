package compute

// A kernel that has every row of a batch loops over the values themselves: without the
// list of rows the loops below are half as long. Each takes a column or a constant on
// either side and reports whether it did the work; else the kernel goes row by row.

// dense reports whether a kernel has every row.
func (f *frame) dense() bool { return len(f.rows) == f.Evaluator.rows }

func addDense[T float](a, b, out []T, am, bm int32) bool {
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			out[i] = x + c
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			out[i] = x + b[i]
		}
	default:
		return false
	}
	return true
}

func subtractDense[T float](a, b, out []T, am, bm int32) bool {
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			out[i] = x - c
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			out[i] = x - b[i]
		}
	default:
		return false
	}
	return true
}

func multiplyDense[T float](a, b, out []T, am, bm int32) bool {
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			out[i] = x * c
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			out[i] = x * b[i]
		}
	default:
		return false
	}
	return true
}

// addExactDense reports false, too, where a sum does not fit: the kernel then finds out which.
func addExactDense[T signed](a, b, out []T, am, bm int32) bool {
	if am == 0 {
		a, b, am, bm = b, a, bm, am
	}
	var bad T
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			sum := x + c
			out[i] = sum
			bad |= (x ^ sum) & (c ^ sum)
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			y := b[i]
			sum := x + y
			out[i] = sum
			bad |= (x ^ sum) & (y ^ sum)
		}
	default:
		return false
	}
	return bad >= 0
}

// subtractExactDense is addExactDense for differences.
func subtractExactDense[T signed](a, b, out []T, am, bm int32) bool {
	var bad T
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			difference := x - c
			out[i] = difference
			bad |= (x ^ c) & (x ^ difference)
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			y := b[i]
			difference := x - y
			out[i] = difference
			bad |= (x ^ y) & (x ^ difference)
		}
	default:
		return false
	}
	return bad >= 0
}

func equalDense[T integer](a, b []T, am, bm int32, out []byte) bool {
	if am == 0 {
		a, b, am, bm = b, a, bm, am
	}
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			out[i] = bit(x == c)
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			out[i] = bit(x == b[i])
		}
	default:
		return false
	}
	return true
}

func lessDense[T integer](a, b []T, am, bm int32, out []byte) bool {
	switch {
	case am != 0 && bm == 0:
		c := b[0]
		for i, x := range a[:len(out)] {
			out[i] = bit(x < c)
		}
	case am == 0 && bm != 0:
		c := a[0]
		for i, y := range b[:len(out)] {
			out[i] = bit(c < y)
		}
	case am != 0:
		b = b[:len(out)]
		for i, x := range a[:len(out)] {
			out[i] = bit(x < b[i])
		}
	default:
		return false
	}
	return true
}

// lessFloatsDense has NaN as the largest value, as lessFloats does.
func lessFloatsDense[T float](a, b []T, am, bm int32, out []byte) bool {
	switch {
	case am != 0 && bm == 0 && b[0] == b[0]:
		c := b[0]
		for i, x := range a[:len(out)] {
			out[i] = bit(x < c)
		}
	case am == 0 && bm != 0 && a[0] == a[0]:
		c := a[0]
		for i, y := range b[:len(out)] {
			out[i] = bit(!(y <= c))
		}
	default:
		return false
	}
	return true
}
