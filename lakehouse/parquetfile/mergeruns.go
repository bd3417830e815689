package parquetfile

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// merger merges runs. Equal rows come in the order of the runs.
type merger struct {
	by   []compute.ColumnOrder
	runs []*mergedRun // that have rows left
}

// mergedRun is a run with the batch that is being merged.
type mergedRun struct {
	from  runSource
	batch *columnar.Batch
	codes compute.RowCodes
	at    int // the next row
}

func newMerger(ctx context.Context, by []compute.ColumnOrder, sources []runSource) (*merger, error) {
	m := &merger{by: by}
	for _, from := range sources {
		r := &mergedRun{from: from}
		more, err := m.fill(ctx, r)
		if err != nil {
			m.release()
			return nil, err
		}
		if more {
			m.runs = append(m.runs, r)
		}
	}
	return m, nil
}

func (m *merger) release() {
	for _, r := range m.runs {
		r.drop()
	}
	m.runs = nil
}

func (r *mergedRun) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

func (r *mergedRun) last() int { return r.codes.Len() - 1 }

// fill reads the next batch of a run; false at its end.
func (m *merger) fill(ctx context.Context, r *mergedRun) (bool, error) {
	r.drop()
	for {
		b, err := r.from.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case b.Rows() == 0:
			b.Release()
			continue
		}
		r.batch, r.at = b, 0
		r.codes.Fill(b, m.by)
		return true, nil
	}
}

// Next returns rows in order, io.EOF after the last.
//
//  1. The run whose batch ends first, by its last row, is found: of equal ones the earliest.
//  2. From each run come the rows up to that row. Those equal to it come from the runs before it, whose batches end later, and from it, but
//     not from those behind it: it may have more of them in its next batch.
//  3. They are joined and merged; the run reads on.
func (m *merger) Next(ctx context.Context) (*columnar.Batch, error) {
	if len(m.runs) == 0 {
		return nil, io.EOF
	}
	first := 0
	for i, r := range m.runs {
		if e := m.runs[first]; r.codes.Compare(r.last(), &e.codes, e.last()) < 0 {
			first = i
		}
	}
	ends := make([]int, len(m.runs))
	for i, r := range m.runs {
		ends[i] = r.until(m.runs[first], i < first, i == first)
	}
	out, err := m.take(ends)
	if err != nil {
		return nil, err
	}
	more, err := m.fill(ctx, m.runs[first])
	if err != nil {
		out.Release()
		return nil, err
	}
	if !more {
		m.runs = slices.Delete(m.runs, first, first+1)
	}
	return out, nil
}

// until is where the rows of a run end that come up to the last of another one.
func (r *mergedRun) until(end *mergedRun, equal, whole bool) int {
	if whole {
		return r.codes.Len()
	}
	from, until := r.at, r.codes.Len()
	for from < until {
		mid := int(uint(from+until) / 2)
		if c := r.codes.Compare(mid, &end.codes, end.last()); c < 0 || c == 0 && equal {
			from = mid + 1
		} else {
			until = mid
		}
	}
	return from
}

// take merges the rows of each run up to an end.
func (m *merger) take(ends []int) (*columnar.Batch, error) {
	var parts []*columnar.Batch
	defer func() {
		for _, b := range parts {
			b.Release()
		}
	}()
	var spans []span
	for i, r := range m.runs {
		if r.at < ends[i] {
			parts = append(parts, columnar.Slice(r.batch, r.at, ends[i]))
			spans = append(spans, span{run: r, from: r.at, until: ends[i]})
			r.at = ends[i]
		}
	}
	if len(parts) == 1 {
		parts[0].Retain()
		return parts[0], nil
	}
	all, err := columnar.Concat(parts)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	return columnar.GatherBatch(all, mergeSpans(spans)), nil
}

// span are rows of a run.
type span struct {
	run         *mergedRun
	from, until int
}

// spanRow is a row of a span; at is where it stands when the spans are joined.
type spanRow struct{ span, at int32 }

// mergeSpans returns the rows of spans in order, by where they stand when the spans are joined.
func mergeSpans(spans []span) columnar.Selection {
	var rows []spanRow
	ends := []int{0}
	shift := make([]int32, len(spans)) // from where a row is joined to its row in the run
	for i, s := range spans {
		shift[i] = int32(s.from - len(rows))
		for at := len(rows); at < ends[i]+s.until-s.from; at++ {
			rows = append(rows, spanRow{int32(i), int32(at)})
		}
		ends = append(ends, len(rows))
	}
	after := func(x, y spanRow) bool {
		return spans[x.span].run.codes.Compare(int(x.at+shift[x.span]), &spans[y.span].run.codes, int(y.at+shift[y.span])) > 0
	}
	for other := make([]spanRow, len(rows)); len(ends) > 2; rows, other = other, rows {
		ends = mergePairs(other, rows, ends, after)
	}
	out := make(columnar.Selection, len(rows))
	for i, r := range rows {
		out[i] = r.at
	}
	return out
}

// mergePairs merges each two neighbours of ordered sequences, which end where ends say, and returns where the new ones end.
func mergePairs(to, from []spanRow, ends []int, after func(x, y spanRow) bool) []int {
	out := []int{0}
	for i := 0; i+1 < len(ends); i += 2 {
		x, xEnd, yEnd := ends[i], ends[i+1], ends[min(i+2, len(ends)-1)]
		y := xEnd
		for at := x; at < yEnd; at++ {
			if y == yEnd || x < xEnd && !after(from[x], from[y]) {
				to[at], x = from[x], x+1
			} else {
				to[at], y = from[y], y+1
			}
		}
		out = append(out, yEnd)
	}
	return out
}
