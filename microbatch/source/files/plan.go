package files

import (
	"math"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// firstRow is how many bytes a row is taken to have before any was read.
const firstRow = 100

// Plan cuts a batch by its limits: files, bytes, and rows, whose bytes are told from those read so far. A file that would fit into a batch is
// not cut.
func (s *Source) Plan(from, ends offsets.Positions, size source.Size) (offsets.Positions, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := from.Clone()
	for p, end := range ends {
		at := from[p]
		switch {
		case end <= at:
		case p == s.partition():
			until[p] = s.ledger.cut(at, end, s.bytesOf(size), s.c.MaxFiles, s.c.Feed.Divisible)
		default:
			until[p] = end
		}
	}
	return until, true
}

// SmallestTask is that of the feed.
func (s *Source) SmallestTask(offsets.Partition) int64 { return s.c.Feed.SmallestTask() }

// bytesOf is how many bytes of files a batch may have. MaxBytes are such; those of size are of memory.
func (s *Source) bytesOf(size source.Size) int64 {
	width, packed := float64(firstRow), 1.0
	if n := s.rows.Load(); n > 0 {
		width = float64(s.bytes.Load()) / float64(n)
	}
	if n := s.unpacked.Load(); n > 0 {
		packed = float64(s.bytes.Load()) / float64(n)
	}
	most := float64(math.MaxInt64)
	for _, limit := range []float64{float64(s.c.MaxBytes), float64(size.Bytes) * packed, float64(size.Rows) * width} {
		if limit > 0 {
			most = min(most, limit)
		}
	}
	if most >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(1, int64(most))
}

// cut is how far a batch goes from a position: to the end, over so many bytes and files. It ends between files, before one that is lost, but in one that is larger than
// the batch may be, if it can be read from the middle.
func (l *ledger) cut(at, end, bytes, files int64, divisible func(name string) bool) int64 {
	limit := end
	if bytes < end-at {
		limit = at + bytes
	}
	until := at
	for _, e := range l.pending {
		switch {
		case e.End() <= at:
			continue
		case e.Start >= limit, e.lost():
			return until
		case e.End() > limit && !divisible(e.Name) && until == at:
			return e.End()
		case e.End() > limit && (until == at || e.Size > bytes) && divisible(e.Name):
			return limit
		case e.End() > limit:
			return until
		}
		until = e.End()
		if files--; files == 0 {
			return until
		}
	}
	return until
}
