package columnar

// Len is the number of selected rows of a batch of n rows.
func (s Selection) Len(n int) int {
	if s == nil {
		return n
	}
	return len(s)
}

// Keep moves the selected values, in ascending order, to the front of a list and cuts it there; the list is the caller's to lose. Memory of
// which most would be unused is given up.
func Keep[T any](list []T, sel Selection) []T {
	for i, row := range sel {
		list[i] = list[row]
	}
	if list = list[:len(sel)]; cap(list) > 1024 && len(list) < cap(list)/4 {
		return append([]T(nil), list...)
	}
	return list
}

// Pick copies the values of some rows, in any order; without any, nil included, it is empty.
func Pick[T any](list []T, rows Selection) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = list[row]
	}
	return out
}
