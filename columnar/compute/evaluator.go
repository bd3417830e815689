package compute

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/lakewheel/lakewheel/columnar"
)

// Evaluator evaluates expressions over batches. It belongs to one goroutine and
// keeps its scratch memory from call to call.
type Evaluator struct {
	mem      memory.Allocator
	scratch  arena
	identity []int32
	selected []int32
	errors   []columnar.RowError
	fault    error
	clock    clock

	// The batch of the running call and the rows that names refer to.
	batch *columnar.Batch
	*scope
	outermost scope
	held      []columnar.Column
	memos     []memo
	direct    direct
	// mostBytes and mostElements bound one result column.
	mostBytes, mostElements int
	open                    bool // what the batch needed is kept from call to call
}

// NewEvaluator returns an evaluator whose results come from mem.
func NewEvaluator(mem memory.Allocator) *Evaluator {
	return &Evaluator{mem: mem, mostBytes: maxColumnBytes, mostElements: maxElements}
}

// NewDefaultEvaluator returns an evaluator on the Go heap.
func NewDefaultEvaluator() *Evaluator { return NewEvaluator(columnar.Heap) }

// Eval computes e for the selected rows of b. The caller releases the column. Rows
// that failed are listed by Errors and hold NULL; the error is for the whole batch.
func (ev *Evaluator) Eval(e Expr, b *columnar.Batch, sel columnar.Selection) (columnar.Column, error) {
	rows := ev.begin(b, sel)
	defer ev.end()
	return ev.one(e, rows)
}

// Filter returns the selected rows of b for which pred is TRUE. Conjuncts are
// evaluated from left to right, each for the rows that passed those before it, as
// Spark's WHERE does. The selection is valid until the next call of Filter.
func (ev *Evaluator) Filter(pred Expr, b *columnar.Batch, sel columnar.Selection) (columnar.Selection, error) {
	if t := pred.Type(); t != columnar.Boolean && t != columnar.Null {
		return nil, unexpectedInput("WHERE", 0, "BOOLEAN", pred)
	}
	rows := ev.begin(b, sel)
	defer ev.end()
	if err := ev.checkAll(pred); err != nil {
		return nil, err
	}
	known := len(ev.errors)
	hit := ev.filter(pred, rows)
	if ev.fault != nil {
		return nil, ev.fault
	}
	hit = ev.dropFailed(hit, ev.errors[known:])
	ev.selected = append(ev.selected[:0], hit...)
	if ev.selected == nil {
		ev.selected = []int32{}
	}
	return ev.selected, nil
}

// Where returns the rows of b for which pred is TRUE as a batch, which the caller releases. A row that fails is an error.
func (ev *Evaluator) Where(pred Expr, b *columnar.Batch) (*columnar.Batch, error) {
	ev.Reset()
	sel, err := ev.Filter(pred, b, nil)
	if err != nil {
		return nil, err
	}
	if failed := ev.Errors(); len(failed) > 0 {
		return nil, failed[0].Err
	}
	if len(sel) == b.Rows() {
		b.Retain()
		return b, nil
	}
	return columnar.GatherBatch(b, sel), nil
}

// blank makes the rows that failed NULL, whatever was made of their NULL further up.
func (ev *Evaluator) blank(v *vector, rows []int32, failed []columnar.RowError) *vector {
	out := ev.vector(v.typ)
	ev.merge(out, v, rows)
	for _, e := range failed {
		ev.setNull(out, e.Row)
	}
	return out
}

// dropFailed removes rows that failed on one side of an OR and passed on the other.
func (ev *Evaluator) dropFailed(hit []int32, failed []columnar.RowError) []int32 {
	if len(failed) == 0 {
		return hit
	}
	bad := make(map[int32]bool, len(failed))
	for _, e := range failed {
		bad[e.Row] = true
	}
	out := ev.ints()[:0]
	for _, i := range hit {
		if !bad[i] {
			out = append(out, i)
		}
	}
	return out
}

// Errors lists the rows that failed since Reset, ascending, one error a row.
func (ev *Evaluator) Errors() []columnar.RowError {
	ev.errors = firstOfEach(ev.errors)
	return ev.errors
}

// firstOfEach sorts by row, in place, and keeps the first error of each.
func firstOfEach(list []columnar.RowError) []columnar.RowError {
	slices.SortStableFunc(list, func(a, b columnar.RowError) int { return int(a.Row) - int(b.Row) })
	return slices.CompactFunc(list, func(a, b columnar.RowError) bool { return a.Row == b.Row })
}

// Reset forgets the errors. A list that Errors returned is valid until then.
func (ev *Evaluator) Reset() { ev.errors = ev.errors[:0] }

func (ev *Evaluator) begin(b *columnar.Batch, sel columnar.Selection) []int32 {
	again := ev.open && ev.batch == b
	ev.batch, ev.fault, ev.scope = b, nil, &ev.outermost
	if again {
		return ev.selection(sel)
	}
	ev.rows = b.Rows()
	ev.loaded = slices.Grow(ev.loaded[:0], b.Schema().Len())[:b.Schema().Len()]
	clear(ev.loaded)
	return ev.selection(sel)
}

func (ev *Evaluator) selection(sel columnar.Selection) []int32 {
	if sel != nil {
		return sel
	}
	return ev.all(ev.rows)
}

// all lists the rows below n.
func (ev *Evaluator) all(n int) []int32 {
	for len(ev.identity) < n {
		ev.identity = append(ev.identity, int32(len(ev.identity)))
	}
	return ev.identity[:n]
}

// hold keeps a column until the running call ends and views it.
func (ev *Evaluator) hold(c columnar.Column, t columnar.Type) *vector {
	ev.held = append(ev.held, c)
	return ev.view(c, t)
}

func (ev *Evaluator) end() {
	if ev.open {
		return
	}
	clear(ev.memos)
	release(ev.held)
	ev.held = ev.held[:0]
	ev.scratch.reset()
	ev.batch = nil
}

// check refuses a reference that the batch cannot serve: it was bound against another schema.
func (ev *Evaluator) check(c *column) error {
	s := ev.batch.Schema()
	if c.index < 0 || c.index >= s.Len() || s.Fields[c.index].Type != c.typ {
		return fmt.Errorf("compute: column %s %s at position %d is not in the batch (%s)", c.name, c.typ, c.index, s)
	}
	return nil
}

func (ev *Evaluator) checkAll(e Expr) error {
	if c, ok := e.(*column); ok {
		return ev.check(c)
	}
	for _, x := range e.inputs() {
		if err := ev.checkAll(x); err != nil {
			return err
		}
	}
	return nil
}

// fail records that a row failed; below the outermost scope it is the row that the
// element belongs to.
func (ev *Evaluator) fail(row int32, err error) {
	for s := ev.scope; s.outer != nil; s = s.outer {
		row = s.parent(row)
	}
	ev.errors = append(ev.errors, columnar.RowError{Row: row, Err: err})
}

// vector makes an output of the batch's length; values are undefined, none is NULL.
func (ev *Evaluator) vector(t columnar.Type) *vector {
	if t.Nested() {
		return ev.shell(t)
	}
	v := &vector{typ: t, data: ev.scratch.bytes(ev.rows * width(t))}
	if textual(t) {
		v.data = ev.scratch.bytes(16 * ev.rows)[:0]
		v.start, v.end = ev.ints(), ev.ints()
		clear(v.start)
		clear(v.end)
	}
	return v
}

func (ev *Evaluator) ints() []int32 { return cast[int32](ev.scratch.bytes(4*ev.rows), ev.rows) }

// nulls makes a null mask of the batch's length, all zero.
func (ev *Evaluator) nulls() []byte {
	b := ev.scratch.bytes(ev.rows)
	clear(b)
	return b
}

func (ev *Evaluator) setNull(v *vector, row int32) {
	if v.null == nil {
		v.null = ev.nulls()
	}
	v.null[row] = 1
}

// live returns the rows where no argument is NULL and marks the others NULL in out.
func (ev *Evaluator) live(rows []int32, out *vector, args ...*vector) []int32 {
	for _, a := range args {
		if a.null == nil {
			continue
		}
		if a.allNull() {
			if out.null == nil {
				out.null = ev.nulls()
			}
			for _, i := range rows {
				out.null[i] = 1
			}
			return nil
		}
		if a.one {
			continue
		}
		if out.null == nil {
			out.null = ev.nulls()
		}
		keep := ev.ints()
		k := 0
		for _, i := range rows {
			n := a.null[i]
			out.null[i] |= n
			keep[k] = i
			k += int(1 - n)
		}
		rows = keep[:k]
	}
	return rows
}

// split parts rows by a condition: true, and false or NULL.
func (ev *Evaluator) split(cond *vector, rows []int32) (hit, rest []int32) {
	hit, rest = ev.ints(), ev.ints()
	values, m := slice[uint8](cond), cond.mask()
	h, r := 0, 0
	for _, i := range rows {
		hit[h], rest[r] = i, i
		yes := int(values[i&m])
		if cond.null != nil && cond.null[i&m] != 0 {
			yes = 0
		}
		h += yes
		r += 1 - yes
	}
	return hit[:h], rest[:r]
}

// pick returns the rows where a condition is true.
func (ev *Evaluator) pick(cond *vector, rows []int32) []int32 {
	hit, values, m := ev.ints(), slice[uint8](cond), cond.mask()
	k := 0
	if cond.null == nil {
		for _, i := range rows {
			hit[k] = i
			k += int(values[i&m] & 1)
		}
		return hit[:k]
	}
	for _, i := range rows {
		hit[k] = i
		k += int(values[i&m] &^ cond.null[i&m] & 1)
	}
	return hit[:k]
}

// merge copies the rows of v into out, which has the same type.
func (ev *Evaluator) merge(out, v *vector, rows []int32) {
	m := v.mask()
	if v.null != nil || out.null != nil {
		for _, i := range rows {
			if v.null != nil && v.null[i&m] != 0 {
				ev.setNull(out, i)
			} else if out.null != nil {
				out.null[i] = 0
			}
		}
	}
	if textual(out.typ) {
		ev.mergeBytes(out, v, rows)
		return
	}
	if out.typ.Nested() {
		ev.mergeNested(out, v, rows)
		return
	}
	switch width(out.typ) {
	case 1:
		mergeFixed[uint8](out, v, rows)
	case 2:
		mergeFixed[int16](out, v, rows)
	case 4:
		mergeFixed[int32](out, v, rows)
	case 8:
		mergeFixed[int64](out, v, rows)
	case 16:
		mergeFixed[decimalValue](out, v, rows)
	}
}

func mergeFixed[T fixed](out, v *vector, rows []int32) {
	to, from, m := slice[T](out), slice[T](v), v.mask()
	for _, i := range rows {
		to[i] = from[i&m]
	}
}

func (ev *Evaluator) mergeBytes(out, v *vector, rows []int32) {
	for _, i := range rows {
		if v.isNull(i) {
			out.start[i], out.end[i] = 0, 0
			continue
		}
		ev.put(out, i, v.bytesAt(i))
	}
}

// put appends a value to a STRING or BINARY output.
func (ev *Evaluator) put(out *vector, row int32, value []byte) {
	from := len(out.data)
	out.data = append(out.data, value...)
	ev.close(out, row, from)
}

// close ends the value that was appended to out.data since from.
func (ev *Evaluator) close(out *vector, row int32, from int) {
	switch {
	case ev.overlong(out, from):
		out.data = out.data[:from]
		ev.setNull(out, row)
		ev.fail(row, errTooLong)
	case len(out.data) > ev.mostBytes:
		ev.fault = ErrTooLarge
		out.data, from = out.data[:0], 0
	}
	out.start[row], out.end[row] = int32(from), int32(len(out.data))
}

// EvalAll computes several expressions for the selected rows of b, as Eval does each;
// what they share is computed once. The caller releases the columns.
func (ev *Evaluator) EvalAll(exprs []Expr, b *columnar.Batch, sel columnar.Selection) ([]columnar.Column, error) {
	rows := ev.begin(b, sel)
	defer ev.end()
	cols := make([]columnar.Column, 0, len(exprs))
	for _, e := range exprs {
		c, err := ev.one(e, rows)
		if err != nil {
			release(cols)
			return nil, err
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// one computes an expression within a running call.
func (ev *Evaluator) one(e Expr, rows []int32) (columnar.Column, error) {
	if err := ev.checkAll(e); err != nil {
		return nil, err
	}
	if c, ok := e.(*column); ok {
		col := ev.batch.Column(c.index)
		col.Retain()
		return col, nil
	}
	ev.direct.of = e
	defer ev.direct.drop()
	known := len(ev.errors)
	v := e.eval(ev, rows)
	if ev.fault != nil {
		return nil, ev.fault
	}
	if len(ev.errors) > known {
		v = ev.blank(v, rows, ev.errors[known:])
	}
	return ev.column(v, rows)
}
