package compute

import (
	"bytes"

	"github.com/lakewheel/lakewheel/columnar"
)

// padFunctions make text longer.
var padFunctions = []function{
	entry("lpad", "lpad(s, n[, pad])", "s cut or filled at the start to n characters.", "lpad('7', 3, '0')", 2, 3, bindPad(true)),
	entry("rpad", "rpad(s, n[, pad])", "s cut or filled at the end to n characters.", "rpad('7', 3, '.')", 2, 3, bindPad(false)),
	entry("repeat", "repeat(s, n)", "s n times.", "repeat('ab', 2)", 2, 2, bindSimple(columnar.String, repeatRows, columnar.String, columnar.Int)),
	entry("space", "space(n)", "n spaces.", "space(3)", 1, 1, bindSpace),
}

// room reports whether the output may take n bytes more for a row, and fails the row or
// the batch if not.
func (f *frame) room(row int32, n int64) bool {
	switch {
	case n > int64(f.mostBytes):
		f.fail(row, errTooLong)
	case int64(len(f.out.data))+n > int64(f.mostBytes):
		f.fault = ErrTooLarge
	default:
		return true
	}
	f.out.start[row], f.out.end[row] = 0, 0
	return false
}

// bindPad pads a BINARY with a BINARY or zeros, and everything else as text.
func bindPad(left bool) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		t, fill := columnar.String, Text(" ")
		if args[0].Type() == columnar.Binary && (len(args) == 2 || args[2].Type() == columnar.Binary) {
			t, fill = columnar.Binary, Bytes([]byte{0})
		}
		if len(args) == 2 {
			args = []Expr{args[0], args[1], fill}
		}
		list, err := parameters(name, args, t, columnar.Int, t)
		if err != nil {
			return nil, err
		}
		run := func(f *frame) { padRows(f, left, t == columnar.Binary) }
		return &call{name: name, args: list, typ: t, run: run}, nil
	}
}

func padRows(f *frame, left, binary bool) {
	for _, i := range f.rows {
		text, n, fill := f.args[0].bytesAt(i), int64(intAt(f.args[1], i)), f.args[2].bytesAt(i)
		have := int64(len(text))
		if !binary {
			have = int64(characters(text))
		}
		missing := n - have
		if missing <= 0 || len(fill) == 0 {
			_, end := substring(text, 1, max(n, 0), binary || int(have) == len(text))
			f.put(f.out, i, text[:min(end, len(text))])
			continue
		}
		padRow(f, i, text, fill, missing, left, binary)
	}
}

func padRow(f *frame, row int32, text, fill []byte, missing int64, left, binary bool) {
	per := int64(len(fill))
	if !binary {
		per = int64(characters(fill))
	}
	whole, rest := missing/per, missing%per
	_, end := substring(fill, 1, rest, int(per) == len(fill))
	if !f.room(row, int64(len(text))+whole*int64(len(fill))+int64(end)) {
		return
	}
	at := len(f.out.data)
	if !left {
		f.out.data = append(f.out.data, text...)
	}
	for range whole {
		f.out.data = append(f.out.data, fill...)
	}
	f.out.data = append(f.out.data, fill[:end]...)
	if left {
		f.out.data = append(f.out.data, text...)
	}
	f.close(f.out, row, at)
}

func repeatRows(f *frame) {
	for _, i := range f.rows {
		text, n := f.args[0].bytesAt(i), max(int64(intAt(f.args[1], i)), 0)
		if len(text) == 0 {
			n = 0
		}
		if !f.room(i, n*int64(len(text))) {
			continue
		}
		at := len(f.out.data)
		for range n {
			f.out.data = append(f.out.data, text...)
		}
		f.close(f.out, i, at)
	}
}

func bindSpace(name string, args []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			n := max(int64(intAt(f.args[0], i)), 0)
			if f.room(i, n) {
				f.put(f.out, i, bytes.Repeat([]byte{' '}, int(n)))
			}
		}
	}
	return bindSimple(columnar.String, run, columnar.Int)(name, args)
}
