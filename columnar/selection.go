package columnar

// Len is the number of selected rows of a batch of n rows.
func (s Selection) Len(n int) int {
	if s == nil {
		return n
	}
	return len(s)
}
