package columnar

// All returns the selection of rows 0..n-1, spelled out.
func All(n int) Selection {
	s := make(Selection, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Exclude returns the rows of s that are not in gone; both are ascending. A nil s
// stands for rows 0..n-1.
func (s Selection) Exclude(gone Selection, n int) Selection {
	if s == nil {
		s = All(n)
	}
	out := make(Selection, 0, len(s))
	for _, row := range s {
		for len(gone) > 0 && gone[0] < row {
			gone = gone[1:]
		}
		if len(gone) == 0 || gone[0] != row {
			out = append(out, row)
		}
	}
	return out
}

// Len is the number of selected rows of a batch of n rows.
func (s Selection) Len(n int) int {
	if s == nil {
		return n
	}
	return len(s)
}
