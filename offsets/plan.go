package offsets

import "math"

// Plan returns how far a batch reads in each partition: at most about limit offsets
// over all (no limit if it is 0 or less), shared out by backlog as Spark does
// (KafkaMicroBatchStream.rateLimit, suite KafkaMicroBatchSourceSuite
// "maxOffsetsPerTrigger"): share = limit * backlog / total backlog, rounded up below
// 1 and down above, never beyond the end. The sum may pass the limit by less than
// one for each partition.
//
// Partitions that are in ends only are not planned: the caller gives every partition
// a start first. An end before its start is taken as the start.
func Plan(from, ends Positions, limit int64) Positions {
	total := 0.0
	for p, at := range from {
		total += float64(backlog(at, ends, p))
	}
	until := make(Positions, len(from))
	for p, at := range from {
		n := backlog(at, ends, p)
		if limit > 0 && n > 0 {
			n = min(n, share(float64(limit)*(float64(n)/total)))
		}
		until[p] = at + n
	}
	return until
}

func backlog(at int64, ends Positions, p Partition) int64 {
	end, ok := ends[p]
	if !ok {
		return 0
	}
	return max(0, end-at)
}

func share(exact float64) int64 {
	if exact < 1 {
		return int64(math.Ceil(exact))
	}
	if exact >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(exact)
}

// Ranges returns the non-empty ranges between two positions, by topic and partition.
func Ranges(source string, from, until Positions) []Range {
	var out []Range
	for _, p := range from.Sorted() {
		if u, ok := until[p]; ok && u > from[p] {
			out = append(out, Range{Source: source, Partition: p, From: from[p], Until: u})
		}
	}
	return out
}

// Split cuts long ranges so that about parts tasks share the work evenly, each of at
// least smallest offsets. Order is kept: the pieces of a range follow each other.
// The arithmetic is that of Spark's KafkaOffsetRangeCalculator.
func Split(ranges []Range, parts int, smallest int64) []Range {
	total := int64(0)
	for _, r := range ranges {
		total += r.Len()
	}
	var out []Range
	for _, r := range ranges {
		n := int64(math.Round(float64(r.Len()) / float64(total) * float64(parts)))
		n = max(1, min(n, r.Len()/max(1, smallest)))
		out = append(out, cut(r, n)...)
	}
	return out
}

func cut(r Range, n int64) []Range {
	out := make([]Range, 0, n)
	for from := r.From; n > 0; n-- {
		piece := r
		piece.From = from
		piece.Until = from + (r.Until-from)/n
		from = piece.Until
		out = append(out, piece)
	}
	return out
}
