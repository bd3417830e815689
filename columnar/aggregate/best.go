package aggregate

import (
	"bytes"
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

// best keeps the least or the greatest value of each group.
type best interface {
	Resize(n int)
	Keep(groups columnar.Selection)
	Bytes() int64
	// enter compares the values of the rows, none of which is NULL where its group is not negative, and appends to won,
	// unless that is nil, the rows that were better when it was their turn.
	enter(groups []int32, c columnar.Column, won *[]int32)
	column(groups columnar.Selection) columnar.Column
}

// newBest makes a best of values of a type. Of equal ones the first stays, or, if late is set, the last.
func newBest(t columnar.Type, greatest, late bool) best {
	switch t.Kind {
	case columnar.BooleanKind:
		return &bestFlag{bestInteger: newBestInteger[int8](t, greatest, late)}
	case columnar.TinyIntKind:
		return newBestInteger[int8](t, greatest, late)
	case columnar.SmallIntKind:
		return newBestInteger[int16](t, greatest, late)
	case columnar.IntKind, columnar.DateKind, columnar.YearMonthIntervalKind:
		return newBestInteger[int32](t, greatest, late)
	case columnar.FloatKind:
		return &bestFloat[float32]{cells: cells[float32]{typ: t}, flip: flipOf[int64](greatest), late: late}
	case columnar.DoubleKind:
		return &bestFloat[float64]{cells: cells[float64]{typ: t}, flip: flipOf[int64](greatest), late: late}
	case columnar.DecimalKind:
		return &bestDecimal{cells: cells[decimalValue]{typ: t}, greatest: greatest, late: late}
	case columnar.StringKind, columnar.BinaryKind, columnar.ArrayKind, columnar.StructKind:
		return &bestText{texts: texts{typ: t}, greatest: greatest, late: late}
	}
	return newBestInteger[int64](t, greatest, late)
}

// flipOf makes that the least of values, each exclusive-or it, is the greatest one.
func flipOf[T signed](greatest bool) T {
	if greatest {
		return -1
	}
	return 0
}

func win(won *[]int32, row int) {
	if won != nil {
		*won = append(*won, int32(row))
	}
}

// bestInteger keeps values exclusive-or flip.
type bestInteger[T signed] struct {
	cells[T]
	flip T
	late bool
}

func newBestInteger[T signed](t columnar.Type, greatest, late bool) *bestInteger[T] {
	return &bestInteger[T]{cells: cells[T]{typ: t}, flip: flipOf[T](greatest), late: late}
}

func (b *bestInteger[T]) enter(groups []int32, c columnar.Column, won *[]int32) {
	b.compare(groups, columnar.FixedValues[T](c), won)
}

func (b *bestInteger[T]) compare(groups []int32, values []T, won *[]int32) {
	kept, set, flip := b.values, b.set, b.flip
	for i, g := range groups {
		if g < 0 {
			continue
		}
		x := values[i] ^ flip
		if !set[g] || x < kept[g] || b.late && x == kept[g] {
			kept[g], set[g] = x, true
			win(won, i)
		}
	}
}

func (b *bestInteger[T]) column(groups columnar.Selection) columnar.Column {
	return columnar.NewFixedColumn(b.typ, b.unflipped(groups), picked(b.set, groups))
}

func (b *bestInteger[T]) unflipped(groups columnar.Selection) []T {
	values := picked(b.values, groups)
	for i := range values {
		values[i] ^= b.flip
	}
	return values
}

// bestFlag is for BOOLEAN, 0 or 1.
type bestFlag struct {
	*bestInteger[int8]
	unpacked []int8
}

func (b *bestFlag) enter(groups []int32, c columnar.Column, won *[]int32) {
	b.unpacked = resized(b.unpacked[:0], c.Len())
	for i := range b.unpacked {
		if columnar.BooleanAt(c, i) {
			b.unpacked[i] = 1
		}
	}
	b.compare(groups, b.unpacked, won)
}

func (b *bestFlag) column(groups columnar.Selection) columnar.Column {
	values := b.unflipped(groups)
	flags := make([]bool, len(values))
	for i, v := range values {
		flags[i] = v == 1
	}
	return columnar.NewBooleanColumn(flags, picked(b.set, groups))
}

// bestFloat compares by orderKey.
type bestFloat[T float32 | float64] struct {
	cells[T]
	flip int64
	late bool
}

func (b *bestFloat[T]) enter(groups []int32, c columnar.Column, won *[]int32) {
	values, kept, set := columnar.FixedValues[T](c), b.values, b.set
	for i, g := range groups {
		if g < 0 {
			continue
		}
		x, y := orderKey(float64(values[i]))^b.flip, orderKey(float64(kept[g]))^b.flip
		if !set[g] || x < y || b.late && x == y {
			kept[g], set[g] = values[i], true
			win(won, i)
		}
	}
}

// orderKey is an integer in the order of the floating-point numbers: NaN is the last, and there is one zero.
func orderKey(x float64) int64 {
	if x != x {
		return math.MaxInt64
	}
	bits := int64(math.Float64bits(x + 0)) // -0.0 + 0 is 0.0
	return bits ^ bits>>63&math.MaxInt64
}

type bestDecimal struct {
	cells[decimalValue]
	greatest, late bool
}

func (b *bestDecimal) enter(groups []int32, c columnar.Column, won *[]int32) {
	values, kept, set := columnar.FixedValues[decimalValue](c), b.values, b.set
	for i, g := range groups {
		if g < 0 {
			continue
		}
		x, y := values[i], kept[g]
		if b.greatest {
			x, y = y, x
		}
		if !set[g] || x.Less(y) || b.late && x == y {
			kept[g], set[g] = values[i], true
			win(won, i)
		}
	}
}

type bestText struct {
	texts
	greatest, late bool
}

func (b *bestText) enter(groups []int32, c columnar.Column, won *[]int32) {
	read := b.reader(c)
	for i, g := range groups {
		if g < 0 {
			continue
		}
		if x := read(i); !b.set[g] || b.beats(bytes.Compare(x, b.of(g))) {
			b.put(g, x)
			win(won, i)
		}
	}
}

func (b *bestText) beats(c int) bool {
	if b.greatest {
		c = -c
	}
	return c < 0 || b.late && c == 0
}
