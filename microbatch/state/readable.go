package state

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// Readable makes rows of state readable: keys by their SQL texts, windows with start and end, columns of aggregates as "avg(v).sum".
type Readable struct {
	storable func(columnar.Type) bool
	schema   *columnar.Schema
	columns  []func(rows *columnar.Batch) columnar.Column // of stored rows
	taken    map[string]int
}

// Readable plans readable rows. Values of types that are not storable become texts.
func (v *View) Readable(storable func(columnar.Type) bool) *Readable {
	r := &Readable{storable: storable, schema: &columnar.Schema{}, taken: map[string]int{}}
	if v.schema == nil {
		return r
	}
	for i, f := range v.schema.Fields {
		switch {
		case i < v.keys:
			r.key(i, f, v.op.Keys[i+v.firstKey()].SQL, v.op.Keys[i+v.firstKey()].Window)
		case f.Name == "start" || f.Name == "end":
			r.add("session_"+f.Name, f, at(i))
		case f.Name == "expires":
			r.add(f.Name, columnar.Field{Type: columnar.Timestamp, Nullable: true}, func(rows *columnar.Batch) columnar.Column { return expiry(rows.Column(i)) })
		default:
			r.add(v.callName(f.Name), f, at(i))
		}
	}
	return r
}

// callName is "avg(v).sum" for the column a0_sum.
func (v *View) callName(column string) string {
	number, field, _ := strings.Cut(strings.TrimPrefix(column, "a"), "_")
	if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(v.op.Calls) {
		return v.op.Calls[i].SQL + "." + field
	}
	return column
}

// Schema describes the rows.
func (r *Readable) Schema() *columnar.Schema { return r.schema }

// Rows makes readable rows, which the caller releases, of stored ones.
func (r *Readable) Rows(rows *columnar.Batch) *columnar.Batch {
	cols := make([]columnar.Column, len(r.columns))
	for i, of := range r.columns {
		cols[i] = of(rows)
	}
	return columnar.NewBatch(r.schema, cols, rows.Rows())
}

func (r *Readable) key(i int, f columnar.Field, sql string, window int64) {
	if window == 0 {
		r.add(plainName(sql), f, at(i))
		return
	}
	r.add("window_start", f, at(i))
	r.add("window_end", f, func(rows *columnar.Batch) columnar.Column { return later(rows.Column(i), window) })
}

// plainName is a name without the backticks that SQL needs.
func plainName(sql string) string {
	if inner := strings.Trim(sql, "`"); "`"+inner+"`" == sql {
		return inner
	}
	return sql
}

// add adds a column under a name that is not taken yet.
func (r *Readable) add(name string, f columnar.Field, of func(rows *columnar.Batch) columnar.Column) {
	r.taken[name]++
	if n := r.taken[name]; n > 1 {
		name = fmt.Sprintf("%s#%d", name, n)
	}
	if !r.storable(f.Type) {
		value := of
		of = func(rows *columnar.Batch) columnar.Column { return texts(value(rows)) }
		f.Type = columnar.String
	}
	f.Name = name
	r.schema.Fields, r.columns = append(r.schema.Fields, f), append(r.columns, of)
}

// at is a stored column as it is.
func at(i int) func(rows *columnar.Batch) columnar.Column {
	return func(rows *columnar.Batch) columnar.Column {
		c := rows.Column(i)
		c.Retain()
		return c
	}
}

// later is a time after that of a column.
func later(c columnar.Column, by int64) columnar.Column {
	out, valid := make([]int64, c.Len()), make([]bool, c.Len())
	for i, v := range columnar.FixedValues[int64](c) {
		out[i], valid[i] = v+by, c.IsValid(i)
	}
	return columnar.NewTimestampColumn(out, valid)
}

// expiry is the time when a key ends, NULL for never.
func expiry(c columnar.Column) columnar.Column {
	out, valid := columnar.FixedValues[int64](c), make([]bool, c.Len())
	for i, v := range out {
		valid[i] = v != math.MaxInt64
	}
	return columnar.NewTimestampColumn(append([]int64{}, out...), valid)
}

// texts prints the values of a column, which it releases, as JSON.
func texts(c columnar.Column) columnar.Column {
	defer c.Release()
	var out columnar.BinaryBuffer
	var value []byte
	for i := range c.Len() {
		if c.IsNull(i) {
			out.AppendNull()
			continue
		}
		value = columnar.AppendValueJSON(value[:0], c, i)
		out.Append(value)
	}
	return out.FinishString()
}
