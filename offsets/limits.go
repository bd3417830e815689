package offsets

// Limits bound what a batch reads of a source, in offsets and in bytes. 0 is no limit.
type Limits struct {
	Rows          int64 // of all partitions, about
	PartitionRows int64 // of each partition, exactly
	Bytes         int64 // of all partitions, as far as RowBytes is right
	// RowBytes is how much an offset of a partition takes, by what is known of it. It is asked for only if there are Bytes.
	RowBytes func(Partition) float64
}

// Plan returns how far a batch reads in each partition within the limits, and whether the bytes were the tightest of them. Partitions are
// capped first and rows are shared out over what that leaves ([Plan]), so that one with a long backlog takes nothing from the others.
// What is then too much in bytes is made less everywhere by the same factor, but never nothing: a row that is larger than the limit goes alone.
func (l Limits) Plan(from, ends Positions) (until Positions, byBytes bool) {
	if l.PartitionRows > 0 {
		ends = l.capped(from, ends)
	}
	until = Plan(from, ends, l.Rows)
	if l.Bytes <= 0 {
		return until, false
	}
	return until, l.fit(from, until)
}

func (l Limits) capped(from, ends Positions) Positions {
	out := make(Positions, len(ends))
	for p, end := range ends {
		out[p] = end
		if at, ok := from[p]; ok && end-at > l.PartitionRows {
			out[p] = at + l.PartitionRows
		}
	}
	return out
}

// fit takes ends back until the bytes fit, and reports whether it had to.
func (l Limits) fit(from, until Positions) bool {
	bytes := 0.0
	for p, at := range from {
		bytes += float64(until[p]-at) * l.RowBytes(p)
	}
	if bytes <= float64(l.Bytes) {
		return false
	}
	factor, longest := float64(l.Bytes)/bytes, Partition{}
	some, most := false, int64(0)
	for _, p := range from.Sorted() {
		n := until[p] - from[p]
		if n > most {
			longest, most = p, n
		}
		until[p] = from[p] + int64(float64(n)*factor)
		some = some || until[p] > from[p]
	}
	if !some {
		until[longest]++
	}
	return true
}
