package compute

import "errors"

// Bounds of what one result column holds in a batch, and one value of it. A value beyond
// its bound fails its row; a column beyond its own fails the call, so that the caller
// runs smaller batches, in the end of one row.
const (
	maxColumnBytes = 256 << 20
	maxElements    = 1 << 24
)

// ErrTooLarge is returned when one result column holds more than fits into memory. A batch
// of fewer rows may do.
var ErrTooLarge = errors.New("the values of a batch take too much memory")

var (
	errTooLong         = &EvalError{"COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION", "The text would have more than 256 MiB."}
	errTooManyElements = &EvalError{"COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION", "The array would have more than 16,777,216 elements."}
)

// overlong reports whether the value that was begun at from has outgrown its bound: the
// caller stops, and close fails the row.
func (ev *Evaluator) overlong(out *vector, from int) bool { return len(out.data)-from > ev.mostBytes }

// filled counts the values of a grown vector and of all its kids.
func (v *vector) filled() int {
	n := v.n + len(v.data)/16
	for _, kid := range v.kids {
		n += kid.filled()
	}
	return n
}

// crowded reports whether the elements of an output have outgrown their bound.
func (ev *Evaluator) crowded(out *vector) bool {
	for _, kid := range out.kids {
		if kid.filled() > ev.mostElements {
			return true
		}
	}
	return false
}

// cut keeps the first n values of a grown vector.
func (v *vector) cut(n int) {
	if n >= v.n {
		return
	}
	if v.null != nil {
		v.null = v.null[:n]
	}
	switch {
	case textual(v.typ):
		v.data = v.data[:v.start[n]]
	case listed(v.typ):
		for _, kid := range v.kids {
			kid.cut(int(v.start[n]))
		}
	case v.typ.Nested():
		for _, kid := range v.kids {
			kid.cut(n)
		}
	default:
		v.data = v.data[:n*width(v.typ)]
	}
	if ranged(v.typ) {
		v.start, v.end = v.start[:n], v.end[:n]
	}
	v.n = n
}
