package compute

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

// positionFunctions find places in text and cut there.
var positionFunctions = []function{
	entry("locate", "locate(part, s[, from])", "Position of part in s at or after from, counted from 1; 0 if there is none.", "locate('b', 'abcb', 3)", 2, 3, bindLocate),
	entry("position", "position(part, s[, from])", "Position of part in s at or after from, counted from 1; 0 if there is none.", "position('b', 'abcb')", 2, 3, bindLocate),
	entry("right", "right(s, n)", "The last n characters.", "right('abc', 2)", 2, 2, bindRight),
	entry("split_part", "split_part(s, separator, n)", "Part n of s between separators, from the end for a negative n; empty beyond them.", "split_part('a.b.c', '.', 2)", 3, 3, bindSimple(columnar.String, splitPartRows, columnar.String, columnar.String, columnar.Int)),
	entry("substring_index", "substring_index(s, separator, n)", "What is before separator n, or behind it from the end for a negative n.", "substring_index('a.b.c', '.', 2)", 3, 3, bindSubstringIndex),
	entry("find_in_set", "find_in_set(s, list)", "Place of s in a list with commas, from 1; 0 if it is not there.", "find_in_set('b', 'a,b,c')", 2, 2, bindFindInSet),
	entry("overlay", "overlay(s, by, from[, length])", "s with the characters from a place on replaced.", "overlay('Spark SQL', '_', 6)", 3, 4, bindOverlay),
	entry("translate", "translate(s, from, to)", "Each character of from replaced by the one of to, or dropped.", "translate('abc', 'ab', 'x')", 3, 3, bindSimple(columnar.String, translateRows, columnar.String, columnar.String, columnar.String)),
}

// bindLocate sees NULLs: a NULL start gives 0.
func bindLocate(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = []Expr{args[0], args[1], Integer(1, columnar.Int)}
	}
	list, err := parameters(name, args, columnar.String, columnar.String, columnar.Int)
	if err != nil {
		return nil, err
	}
	nullable := list[0].Nullable() || list[1].Nullable()
	return &call{name: "locate", args: list, typ: columnar.Int, lenient: true, nullable: nullable, run: locateRows}, nil
}

func locateRows(f *frame) {
	out := slice[int32](f.out)
	for _, i := range f.rows {
		out[i] = 0
		switch {
		case f.args[2].isNull(i):
		case f.args[0].isNull(i) || f.args[1].isNull(i):
			f.setNull(f.out, i)
		default:
			out[i] = locate(f.args[0].bytesAt(i), f.args[1].bytesAt(i), intAt(f.args[2], i))
		}
	}
}

func locate(part, text []byte, from int32) int32 {
	switch {
	case from < 1:
		return 0
	case len(part) == 0:
		return 1
	}
	at := runeOffset(text, int(from)-1)
	k := bytes.Index(text[at:], part)
	if k < 0 {
		return 0
	}
	return int32(characters(text[:at+k])) + 1
}

func bindRight(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		f.view(f.args[0], func(row int32, s []byte) (int, int) {
			n := int64(intAt(f.args[1], row))
			if n <= 0 {
				return 0, 0
			}
			return substring(s, -n, math.MaxInt32, ascii(s))
		})
	}
	return bindSimple(columnar.String, run, columnar.String, columnar.Int)(name, args)
}

var errIndexOfZero = &EvalError{"INVALID_INDEX_OF_ZERO", "The index 0 is invalid. An index shall be either < 0 or > 0 (the first element has index 1)."}

func splitPartRows(f *frame) {
	for _, i := range f.rows {
		n := int(intAt(f.args[2], i))
		if n == 0 {
			f.fail(i, errIndexOfZero)
			continue
		}
		f.put(f.out, i, splitPart(f.args[0].bytesAt(i), f.args[1].bytesAt(i), n))
	}
}

func splitPart(text, separator []byte, n int) []byte {
	if n < 0 {
		count := 1
		if len(separator) > 0 {
			count = bytes.Count(text, separator) + 1
		}
		if n += count + 1; n < 1 {
			return nil
		}
	}
	for {
		k := -1
		if len(separator) > 0 {
			k = bytes.Index(text, separator)
		}
		switch {
		case k < 0 && n == 1:
			return text
		case k < 0:
			return nil
		case n == 1:
			return text[:k]
		}
		text = text[k+len(separator):]
		n--
	}
}

func bindSubstringIndex(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		f.view(f.args[0], func(row int32, s []byte) (int, int) {
			separator, n := f.args[1].bytesAt(row), int(intAt(f.args[2], row))
			switch {
			case n == 0 || len(separator) == 0:
				return 0, 0
			case n > 0:
				return 0, beforeSeparator(s, separator, n)
			}
			return behindSeparator(s, separator, -n), len(s)
		})
	}
	return bindSimple(columnar.String, run, columnar.String, columnar.String, columnar.Int)(name, args)
}

// beforeSeparator is where occurrence n begins; occurrences may overlap, as in Spark.
func beforeSeparator(s, separator []byte, n int) int {
	at := -1
	for range n {
		k := bytes.Index(s[at+1:], separator)
		if k < 0 {
			return len(s)
		}
		at += k + 1
	}
	return at
}

// behindSeparator is where occurrence n from the end ends.
func behindSeparator(s, separator []byte, n int) int {
	at := len(s) - len(separator) + 1
	for range n {
		end := min(at-1+len(separator), len(s))
		if end < len(separator) {
			return 0
		}
		if at = bytes.LastIndex(s[:end], separator); at < 0 {
			return 0
		}
	}
	return at + len(separator)
}

func bindFindInSet(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		out := slice[int32](f.out)
		for _, i := range f.rows {
			out[i] = findInSet(f.args[0].bytesAt(i), f.args[1].bytesAt(i))
		}
	}
	return bindSimple(columnar.Int, run, columnar.String, columnar.String)(name, args)
}

func findInSet(s, list []byte) int32 {
	if bytes.IndexByte(s, ',') >= 0 {
		return 0
	}
	for n := int32(1); ; n++ {
		entry, rest, more := bytes.Cut(list, []byte{','})
		switch {
		case bytes.Equal(entry, s):
			return n
		case !more:
			return 0
		}
		list = rest
	}
}

// bindOverlay works on characters, or on the bytes of two BINARYs.
func bindOverlay(name string, args []Expr) (Expr, error) {
	if len(args) == 3 {
		args = append(args[:3:3], Integer(-1, columnar.Int))
	}
	t := columnar.String
	switch binaries := countBinary(args[:2]); {
	case binaries == 2:
		t = columnar.Binary
	case binaries == 1:
		return nil, mismatch("DATA_DIFF_TYPES", "%s(%s): both texts should be of the same type, got %s.", name, joined(args), typeList(args[:2]))
	}
	list, err := parameters(name, args, t, t, columnar.Int, columnar.Int)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) { overlayRows(f, t == columnar.Binary) }
	return &call{name: name, args: list, typ: t, run: run}, nil
}

func countBinary(list []Expr) (n int) {
	for _, e := range list {
		if e.Type() == columnar.Binary {
			n++
		}
	}
	return n
}

// overlayRows counts in 32 bits that wrap around, as Spark does.
func overlayRows(f *frame, binary bool) {
	for _, i := range f.rows {
		text, by := f.args[0].bytesAt(i), f.args[1].bytesAt(i)
		from, length := intAt(f.args[2], i), intAt(f.args[3], i)
		single := binary || ascii(text)
		if length < 0 {
			length = int32(characters(by))
			if binary {
				length = int32(len(by))
			}
		}
		at := len(f.out.data)
		a, b := substring(text, 1, int64(from-1), single)
		f.out.data = append(append(f.out.data, text[a:b]...), by...)
		a, b = substring(text, int64(from+length), math.MaxInt32, single)
		f.out.data = append(f.out.data, text[a:b]...)
		f.close(f.out, i, at)
	}
}

// translation maps characters to others, or to -1 where they are dropped.
type translation struct {
	low  [utf8.RuneSelf]rune
	high map[rune]rune
}

// translateRows builds the table again only where it differs from that of the row before.
func translateRows(f *frame) {
	var table *translation
	var from, to []byte
	for _, i := range f.rows {
		a, b := f.args[1].bytesAt(i), f.args[2].bytesAt(i)
		if table == nil || !bytes.Equal(a, from) || !bytes.Equal(b, to) {
			table, from, to = newTranslation(a, b), a, b
		}
		at := len(f.out.data)
		f.out.data = table.append(f.out.data, f.args[0].bytesAt(i))
		f.close(f.out, i, at)
	}
}

func (t *translation) append(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r < utf8.RuneSelf {
			r = t.low[r]
		} else if r, size = utf8.DecodeRune(text); t.high != nil {
			if by, known := t.high[r]; known {
				r = by
			}
		}
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, text[0])
		case r >= 0:
			dst = utf8.AppendRune(dst, r)
		}
		text = text[size:]
	}
	return dst
}

// newTranslation lets the first of equal characters count.
func newTranslation(from, to []byte) *translation {
	t := &translation{high: map[rune]rune{}}
	for c := range t.low {
		t.low[c] = rune(c)
	}
	seen := map[rune]bool{}
	for len(from) > 0 {
		r, size := utf8.DecodeRune(from)
		from = from[size:]
		by := rune(-1)
		if len(to) > 0 {
			by, size = utf8.DecodeRune(to)
			to = to[size:]
		}
		switch {
		case seen[r]:
		case r < utf8.RuneSelf:
			t.low[r] = by
		default:
			t.high[r] = by
		}
		seen[r] = true
	}
	return t
}
