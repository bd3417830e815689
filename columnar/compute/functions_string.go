package compute

import (
	"bytes"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

var stringFunctions = []function{
	entry("upper", "upper(s)", "Upper case.", "upper('a')", 1, 1, bindMapped(appendUpper, 'a', 'z')),
	entry("ucase", "ucase(s)", "Upper case.", "ucase('a')", 1, 1, bindMapped(appendUpper, 'a', 'z')),
	entry("lower", "lower(s)", "Lower case.", "lower('A')", 1, 1, bindMapped(appendLower, 'A', 'Z')),
	entry("lcase", "lcase(s)", "Lower case.", "lcase('A')", 1, 1, bindMapped(appendLower, 'A', 'Z')),
	entry("length", "length(s)", "Characters of a STRING, bytes of a BINARY.", "length('abc')", 1, 1, bindLength),
	entry("char_length", "char_length(s)", "Characters of a STRING, bytes of a BINARY.", "char_length('abc')", 1, 1, bindLength),
	entry("character_length", "character_length(s)", "Characters of a STRING, bytes of a BINARY.", "character_length('abc')", 1, 1, bindLength),
	entry("len", "len(s)", "Characters of a STRING, bytes of a BINARY.", "len('abc')", 1, 1, bindLength),
	entry("octet_length", "octet_length(s)", "Bytes of a STRING or BINARY.", "octet_length('é')", 1, 1, bindLength),
	entry("trim", "trim([chars, ]s)", "Without spaces (or the characters) at both ends.", "trim(' a ')", 1, 2, bindTrim(true, true)),
	entry("btrim", "btrim(s[, chars])", "Without spaces (or the characters) at both ends.", "btrim(' a ')", 1, 2, bindSwappedTrim),
	entry("ltrim", "ltrim([chars, ]s)", "Without spaces (or the characters) at the start.", "ltrim(' a')", 1, 2, bindTrim(true, false)),
	entry("rtrim", "rtrim([chars, ]s)", "Without spaces (or the characters) at the end.", "rtrim('a ')", 1, 2, bindTrim(false, true)),
	entry("substring", "substring(s, from[, length])", "Part of a string; the first character is 1, negative counts from the end.", "substring('abc', 2, 1)", 2, 3, bindSubstring),
	entry("substr", "substr(s, from[, length])", "The same as substring.", "substr('abc', 2)", 2, 3, bindSubstring),
	entry("left", "left(s, n)", "The first n characters.", "left('abc', 2)", 2, 2, bindLeft),
	entry("concat", "concat(a, ...)", "All arguments joined.", "concat('a', 'b')", 1, -1, bindConcat),
	entry("||", "a || b", "Both joined.", "'a' || 'b'", 2, 2, bindConcat),
	entry("replace", "replace(s, search[, by])", "Every occurrence replaced.", "replace('abc', 'b', 'x')", 2, 3, bindReplace),
	entry("reverse", "reverse(s)", "The characters in reverse order.", "reverse('abc')", 1, 1, bindReverse),
	entry("startswith", "startswith(s, prefix)", "TRUE if s starts with prefix.", "startswith('abc', 'a')", 2, 2, bindSearch(bytes.HasPrefix)),
	entry("endswith", "endswith(s, suffix)", "TRUE if s ends with suffix.", "endswith('abc', 'c')", 2, 2, bindSearch(bytes.HasSuffix)),
	entry("contains", "contains(s, part)", "TRUE if part occurs in s.", "contains('abc', 'b')", 2, 2, bindSearch(bytes.Contains)),
	entry("instr", "instr(s, part)", "Position of part in s from 1, or 0.", "instr('abc', 'b')", 2, 2, bindInstr),
	entry("like", "s LIKE pattern [ESCAPE c]", "TRUE if the pattern of % and _ covers s.", "s LIKE 'a%'", 2, 3, bindLike),
	entry("ilike", "s ILIKE pattern [ESCAPE c]", "LIKE without regard to case.", "s ILIKE 'A%'", 2, 3, bindIlike),
}

func ascii(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// bindMapped binds a change of case: letters from..to of ASCII flip a bit, other text
// goes through full.
func bindMapped(full func(dst, text []byte) []byte, from, to byte) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			text, at := f.args[0].bytesAt(i), len(f.out.data)
			if !ascii(text) {
				f.out.data = full(f.out.data, text)
				f.close(f.out, i, at)
				continue
			}
			f.out.data = append(f.out.data, text...)
			for k, c := range f.out.data[at:] {
				if c >= from && c <= to {
					f.out.data[at+k] = c ^ 0x20
				}
			}
			f.close(f.out, i, at)
		}
	}
	return func(name string, args []Expr) (Expr, error) {
		list, err := parameters(name, args, columnar.String)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: list, typ: columnar.String, run: run}, nil
	}
}

// textOrBinary keeps BINARY and casts everything else to STRING.
func textOrBinary(name string, position int, e Expr) (Expr, error) {
	if e.Type() == columnar.Binary {
		return e, nil
	}
	return parameter(name, position, e, columnar.String)
}

func bindLength(name string, args []Expr) (Expr, error) {
	a, err := textOrBinary(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	inBytes := a.Type() == columnar.Binary || name == "octet_length"
	run := func(f *frame) {
		out := slice[int32](f.out)
		for _, i := range f.rows {
			text := f.args[0].bytesAt(i)
			if out[i] = int32(len(text)); !inBytes {
				out[i] = int32(characters(text))
			}
		}
	}
	return &call{name: name, args: []Expr{a}, typ: columnar.Int, run: run}, nil
}

func characters(s []byte) int {
	if ascii(s) {
		return len(s)
	}
	return utf8.RuneCount(s)
}

// view makes the output share the bytes of the argument; cut gives the part to keep.
func (f *frame) view(arg *vector, cut func(row int32, text []byte) (from, to int)) {
	m := arg.mask()
	f.out.data = arg.data
	for _, i := range f.rows {
		at := arg.start[i&m]
		from, to := cut(i, arg.data[at:arg.end[i&m]])
		f.out.start[i], f.out.end[i] = at+int32(from), at+int32(to)
	}
}

func bindSwappedTrim(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = []Expr{args[1], args[0]}
	}
	return bindTrim(true, true)(name, args)
}

// bindTrim binds the trim functions; the characters to cut come first, if given.
func bindTrim(left, right bool) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		list, err := parameters(name, args, columnar.String, columnar.String)
		if err != nil {
			return nil, err
		}
		run := func(f *frame) {
			text := f.args[len(f.args)-1]
			f.view(text, func(row int32, s []byte) (int, int) {
				chars := " "
				if len(f.args) == 2 {
					chars = string(f.args[0].bytesAt(row))
				}
				return trimmed(s, chars, left, right)
			})
		}
		return &call{name: name, args: list, typ: columnar.String, run: run}, nil
	}
}

func trimmed(s []byte, chars string, left, right bool) (from, to int) {
	to = len(s)
	if left {
		from = to - len(bytes.TrimLeft(s, chars))
	}
	if right {
		to = from + len(bytes.TrimRight(s[from:], chars))
	}
	return from, to
}

func bindSubstring(name string, args []Expr) (Expr, error) {
	text, err := textOrBinary(name, 0, args[0])
	if err != nil {
		return nil, err
	}
	numbers, err := parameters(name, args[1:], columnar.Int, columnar.Int)
	if err != nil {
		return nil, err
	}
	binary := text.Type() == columnar.Binary
	run := func(f *frame) {
		f.view(f.args[0], func(row int32, s []byte) (int, int) {
			from, length := slice[int32](f.args[1])[row&f.args[1].mask()], int32(1<<31-1)
			if len(f.args) == 3 {
				length = slice[int32](f.args[2])[row&f.args[2].mask()]
			}
			return substring(s, int64(from), int64(length), binary || ascii(s))
		})
	}
	return &call{name: name, args: append([]Expr{text}, numbers...), typ: text.Type(), run: run}, nil
}

func bindLeft(name string, args []Expr) (Expr, error) {
	return bindSubstring(name, []Expr{args[0], Integer(1, columnar.Int), args[1]})
}

// substring finds the bytes of the characters that from and length name. A start
// before the string shortens the length, as in Spark.
func substring(s []byte, from, length int64, single bool) (int, int) {
	count := int64(len(s))
	if !single {
		count = int64(utf8.RuneCount(s))
	}
	if from > 0 {
		from--
	} else if from < 0 {
		from += count
	}
	to := min(from+length, count)
	from = max(from, 0)
	if to <= from {
		return 0, 0
	}
	if single {
		return int(from), int(to)
	}
	start := runeOffset(s, int(from))
	return start, start + runeOffset(s[start:], int(to-from))
}

// runeOffset is the byte at which the n-th character begins.
func runeOffset(s []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRune(s[at:])
		at += size
	}
	return at
}

func bindConcat(name string, args []Expr) (Expr, error) {
	if anyArray(args) {
		return bindConcatArrays(name, args)
	}
	t := columnar.Binary
	for _, a := range args {
		if a.Type() != columnar.Binary {
			t = columnar.String
		}
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			for _, a := range f.args {
				if !f.overlong(f.out, at) {
					f.out.data = append(f.out.data, a.bytesAt(i)...)
				}
			}
			f.close(f.out, i, at)
		}
	}
	return &call{name: "concat", args: castAll(args, t), typ: t, run: run}, nil
}

func bindReplace(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = []Expr{args[0], args[1], Text("")}
	}
	list, err := parameters(name, args, columnar.String, columnar.String, columnar.String)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			text, search, by := f.args[0].bytesAt(i), f.args[1].bytesAt(i), f.args[2].bytesAt(i)
			at := len(f.out.data)
			for len(search) > 0 && !f.overlong(f.out, at) {
				k := bytes.Index(text, search)
				if k < 0 {
					break
				}
				f.out.data = append(append(f.out.data, text[:k]...), by...)
				text = text[k+len(search):]
			}
			f.out.data = append(f.out.data, text...)
			f.close(f.out, i, at)
		}
	}
	return &call{name: name, args: list, typ: columnar.String, run: run}, nil
}

func bindReverse(name string, args []Expr) (Expr, error) {
	if anyArray(args) {
		return bindReverseArray(name, args)
	}
	list, err := parameters(name, args, columnar.String)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			text, at := f.args[0].bytesAt(i), len(f.out.data)
			for len(text) > 0 {
				_, size := utf8.DecodeLastRune(text)
				f.out.data = append(f.out.data, text[len(text)-size:]...)
				text = text[:len(text)-size]
			}
			f.close(f.out, i, at)
		}
	}
	return &call{name: name, args: list, typ: columnar.String, run: run}, nil
}

// bindSearch binds a test of two strings, or of two binaries.
func bindSearch(test func(text, part []byte) bool) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			f.out.data[i] = bit(test(f.args[0].bytesAt(i), f.args[1].bytesAt(i)))
		}
	}
	return func(name string, args []Expr) (Expr, error) {
		list := args
		if args[0].Type() != columnar.Binary || args[1].Type() != columnar.Binary {
			var err error
			if list, err = parameters(name, args, columnar.String, columnar.String); err != nil {
				return nil, err
			}
		}
		return &call{name: name, args: list, typ: columnar.Boolean, run: run}, nil
	}
}

func bindInstr(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.String, columnar.String)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		out := slice[int32](f.out)
		for _, i := range f.rows {
			text := f.args[0].bytesAt(i)
			k := bytes.Index(text, f.args[1].bytesAt(i))
			if out[i] = 0; k >= 0 {
				out[i] = int32(utf8.RuneCount(text[:k])) + 1
			}
		}
	}
	return &call{name: name, args: list, typ: columnar.Int, run: run}, nil
}
