package compute

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/lakewheel/lakewheel/columnar"
)

// viewNested views the parts of a nested column.
func (ev *Evaluator) viewNested(v *vector, c columnar.Column) {
	parts := v.typ.Parts()
	switch a := c.(type) {
	case *array.Struct:
		for k, f := range parts {
			v.kids = append(v.kids, ev.view(a.Field(k), f.Type))
		}
	case *array.Map:
		ev.viewRanges(v, c)
		v.kids = []*vector{ev.view(a.Keys(), parts[0].Type), ev.view(a.Items(), parts[1].Type)}
	case *array.List:
		ev.viewRanges(v, c)
		v.kids = []*vector{ev.view(a.ListValues(), parts[0].Type)}
	}
}

func (ev *Evaluator) viewRanges(v *vector, c columnar.Column) {
	n, offset := c.Len(), c.Data().Offset()
	if n == 0 {
		v.start, v.end = []int32{}, []int32{}
		return
	}
	ends := cast[int32](c.Data().Buffers()[1].Bytes(), offset+n+1)
	v.start, v.end = ends[offset:offset+n], ends[offset+1:offset+n+1]
}

// nestedColumn makes an Arrow array of a nested vector.
func (ev *Evaluator) nestedColumn(v *vector, rows []int32) (columnar.Column, error) {
	if v.one {
		out := ev.vector(v.typ)
		ev.merge(out, v, rows)
		v = out
	}
	if v.typ.Kind == columnar.StructKind {
		return ev.structColumn(v, rows)
	}
	return ev.listColumn(v, rows)
}

func (ev *Evaluator) structColumn(v *vector, rows []int32) (columnar.Column, error) {
	kids := make([]columnar.Column, 0, len(v.kids))
	for _, kid := range v.kids {
		c, err := ev.column(kid, rows)
		if err != nil {
			release(kids)
			return nil, err
		}
		kids = append(kids, c)
	}
	validity, nulls := ev.validity(v)
	return buildNested(v.typ.Arrow(), ev.rows, nulls, kids, validity), nil
}

func release(columns []columnar.Column) {
	for _, c := range columns {
		c.Release()
	}
}

// listColumn lays the elements out in the order of the rows.
func (ev *Evaluator) listColumn(v *vector, rows []int32) (columnar.Column, error) {
	flat := make([]*vector, len(v.kids))
	for k, kid := range v.kids {
		flat[k] = grown(kid.typ)
	}
	lengths := ev.ints()
	clear(lengths)
	from, until := int32(0), int32(0) // rows that follow each other among the kids are one run
	for _, i := range rows {
		if v.isNull(i) {
			continue
		}
		lengths[i] = v.end[i] - v.start[i]
		if v.start[i] != until {
			pushRuns(flat, v.kids, from, until)
			from = v.start[i]
		}
		until = v.end[i]
	}
	pushRuns(flat, v.kids, from, until)
	kids, err := ev.grownColumns(flat)
	if err != nil {
		return nil, err
	}
	ends := ev.buffer(4 * (ev.rows + 1))
	to := cast[int32](ends.Bytes(), ev.rows+1)
	to[0] = 0
	for i, n := range lengths {
		to[i+1] = to[i] + n
	}
	validity, nulls := ev.validity(v)
	if v.typ.Kind == columnar.MapKind {
		entries := buildNested(v.typ.Arrow().(*arrow.MapType).Elem(), flat[0].n, 0, kids, nil)
		kids = []columnar.Column{entries}
	}
	return buildNested(v.typ.Arrow(), ev.rows, nulls, kids, validity, ends), nil
}

func pushRuns(to, from []*vector, first, until int32) {
	for k := range to {
		to[k].pushRun(from[k], first, until)
	}
}

// grownColumns makes Arrow arrays of grown vectors of one length.
func (ev *Evaluator) grownColumns(list []*vector) (out []columnar.Column, err error) {
	ev.within(list[0].n, nil, nil, func(rows []int32) {
		for _, v := range list {
			c, fault := ev.column(v, rows)
			if fault != nil {
				release(out)
				out, err = nil, fault
				return
			}
			out = append(out, c)
		}
	})
	return out, err
}
