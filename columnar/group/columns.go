package group

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/rowcode"
)

// columns makes the columns of keys.
func (x *table[K]) columns(ids []int32) []columnar.Column {
	out := make([]columnar.Column, len(x.types))
	keys, nulls := x.keys, x.nulls
	if ids != nil {
		keys = columnar.Pick(keys, ids)
		if nulls != nil {
			nulls = columnar.Pick(nulls, ids)
		}
	}
	for k, t := range x.types {
		if x.at[k] != inText {
			out[k] = wordColumn(t, keys, x.at[k], validOf(nulls, k))
		}
	}
	switch {
	case x.plain >= 0:
		out[x.plain] = x.plainColumn(ids)
	case x.text:
		x.codedColumns(ids, out)
	}
	return out
}

// validOf says which keys are not NULL in a column; nil: none is.
func validOf(nulls []uint8, column int) []bool {
	if nulls == nil {
		return nil
	}
	valid := make([]bool, len(nulls))
	for i, mask := range nulls {
		valid[i] = mask>>column&1 == 0
	}
	return valid
}

func (x *table[K]) plainColumn(ids []int32) columnar.Column {
	b := columnar.BinaryBuffer{}
	x.each(ids, func(id int32) {
		if x.nulls != nil && x.nulls[id]>>x.plain&1 == 1 {
			b.AppendNull()
		} else {
			b.Append(x.bytesOf(id))
		}
	})
	if x.types[x.plain] == columnar.String {
		return b.FinishString()
	}
	return b.Finish()
}

// codedColumns decodes the columns that are encoded into their places.
func (x *table[K]) codedColumns(ids []int32, out []columnar.Column) {
	var outputs []*rowcode.Output
	for k, t := range x.types {
		if x.at[k] == inText {
			outputs = append(outputs, rowcode.NewOutput(t))
		}
	}
	x.each(ids, func(id int32) {
		code := x.bytesOf(id)
		for _, o := range outputs {
			code = o.Read(code)
		}
	})
	for k := range x.types {
		if x.at[k] == inText {
			out[k], outputs = outputs[0].Column(), outputs[1:]
		}
	}
}

// each calls f for some numbers, nil for all.
func (x *table[K]) each(ids []int32, f func(id int32)) {
	if ids == nil {
		for id := range int32(x.len()) {
			f(id)
		}
	}
	for _, id := range ids {
		f(id)
	}
}

// wordColumn makes a column of word at of each key.
func wordColumn[K words](t columnar.Type, list []K, at int, valid []bool) columnar.Column {
	switch {
	case t == columnar.Boolean:
		flags := make([]bool, len(list))
		for i, k := range list {
			flags[i] = k[at] != 0
		}
		return columnar.NewBooleanColumn(flags, valid)
	case t == columnar.Float:
		values := make([]float32, len(list))
		for i, k := range list {
			values[i] = math.Float32frombits(uint32(k[at]))
		}
		return columnar.NewFixedColumn(t, values, valid)
	case t.Kind == columnar.DecimalKind:
		values := make([]decimal128.Num, len(list))
		for i, k := range list {
			values[i] = decimal128.New(int64(k[at+1]), k[at])
		}
		return columnar.NewFixedColumn(t, values, valid)
	}
	switch t.Width() {
	case 1:
		return integerColumn[int8](t, list, at, valid)
	case 2:
		return integerColumn[int16](t, list, at, valid)
	case 4:
		return integerColumn[int32](t, list, at, valid)
	}
	return integerColumn[int64](t, list, at, valid)
}

// integerColumn also serves DOUBLE, whose bits the word is.
func integerColumn[T int8 | int16 | int32 | int64, K words](t columnar.Type, list []K, at int, valid []bool) columnar.Column {
	values := make([]T, len(list))
	for i, k := range list {
		values[i] = T(k[at])
	}
	return columnar.NewFixedColumn(t, values, valid)
}
