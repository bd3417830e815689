package exec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// lateRow is a source row that is late at the first stateful operator: for a window, or for itself, where start and end are its time.
type lateRow struct {
	raw        int32
	start, end int64 // microseconds
	window     bool
}

// lateRows collects them over the branches of a raw batch.
type lateRows struct{ rows []lateRow }

func (l *lateRows) add(raw int32, start, end int64, window bool) {
	l.rows = append(l.rows, lateRow{raw, start, end, window})
}

// byRow sorts by row and window, and returns where each row begins.
func (l *lateRows) byRow() (starts []int) {
	slices.SortFunc(l.rows, func(a, b lateRow) int { return cmp.Or(cmp.Compare(a.raw, b.raw), cmp.Compare(a.start, b.start)) })
	l.rows = slices.Compact(l.rows)
	for i, r := range l.rows {
		if i == 0 || r.raw != l.rows[i-1].raw {
			starts = append(starts, i)
		}
	}
	return starts
}

// The columns of a late row after those of its source.
const (
	lateWindowsField = "_late_windows"
	lateByField      = "_late_by_ms"
)

var lateWindow = columnar.Struct(columnar.Field{Name: "start", Type: columnar.Timestamp, Nullable: true}, columnar.Field{Name: "end", Type: columnar.Timestamp, Nullable: true})

// LateSchema is the schema of the table of late rows: the columns that the sources declare, where a row came from, the windows that it
// lost (NULL if it was late for a deduplication), and by how many milliseconds it missed the last of them. Columns of one name have one type.
func LateSchema(inputs ...Input) (*columnar.Schema, error) {
	out := &columnar.Schema{}
	for _, in := range inputs {
		for _, f := range in.Schema.Fields {
			f.Nullable = true
			at := out.Index(f.Name)
			if at < 0 {
				out.Fields = append(out.Fields, f)
				continue
			}
			if out.Fields[at].Type != f.Type {
				return nil, fmt.Errorf("late_rows: table keeps the rows of all sources in one table, and column %s is %s in one and %s in source %s: give one of them another name", f.Name, out.Fields[at].Type, f.Type, in.Name)
			}
		}
	}
	out.Fields = append(out.Fields,
		columnar.Field{Name: "_source", Type: columnar.String, Nullable: true},
		columnar.Field{Name: source.TopicColumn, Type: columnar.String, Nullable: true},
		columnar.Field{Name: source.PartitionColumn, Type: columnar.Int, Nullable: true},
		columnar.Field{Name: source.OffsetColumn, Type: columnar.BigInt, Nullable: true},
		columnar.Field{Name: lateWindowsField, Type: columnar.Array(lateWindow), Nullable: true},
		columnar.Field{Name: lateByField, Type: columnar.BigInt, Nullable: true})
	return out, nil
}

// lateTable makes rows of the late table, nil if no row is late.
func (t *Task) lateTable(raw, decoded *columnar.Batch, late *lateRows, starts []int) *columnar.Batch {
	if t.program.late == nil || len(starts) == 0 {
		return nil
	}
	rows := make(columnar.Selection, len(starts))
	for i, at := range starts {
		rows[i] = late.rows[at].raw
	}
	n := len(rows)
	schema := t.program.late
	coordinates := schema.Len() - 6
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields[:coordinates] {
		if at := decoded.Schema().Index(f.Name); at >= 0 {
			cols[i] = columnar.Gather(decoded.Column(at), rows, nil)
		} else {
			cols[i] = columnar.NewNullColumn(f.Type, n)
		}
	}
	windows, by := t.missed(late, starts)
	copy(cols[coordinates:], []columnar.Column{
		columnar.NewStringConstant(t.p.input.Name, n), columnar.NewStringConstant(t.topic(), n), columnar.NewInt32Constant(t.rng.Partition.ID, n),
		columnar.Gather(raw.Column(source.OffsetAt), rows, nil), windows, by})
	return columnar.NewBatch(schema, cols, n)
}

// missed are the windows that each row lost, and by how much the watermark was beyond the last of them.
func (t *Task) missed(late *lateRows, starts []int) (windows, by columnar.Column) {
	var begins, ends, missed []int64
	offsets, valid := []int32{0}, make([]bool, len(starts))
	for i, from := range starts {
		until := len(late.rows)
		if i+1 < len(starts) {
			until = starts[i+1]
		}
		last := late.rows[from].end
		for _, r := range late.rows[from:until] {
			last = max(last, r.end)
			if r.window {
				begins, ends, valid[i] = append(begins, r.start), append(ends, r.end), true
			}
		}
		offsets = append(offsets, int32(len(begins)))
		missed = append(missed, (t.late-last)/1000)
	}
	elements := columnar.NewStructColumn(lateWindow, []columnar.Column{columnar.NewTimestampColumn(begins, nil), columnar.NewTimestampColumn(ends, nil)}, len(begins), nil)
	return columnar.NewArrayColumn(columnar.Array(lateWindow), offsets, elements, valid), columnar.NewInt64Column(missed, nil)
}
