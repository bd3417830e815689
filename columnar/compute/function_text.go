package compute

import (
	"strings"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

var textFunctions = []function{
	{FunctionInfo{"upper", "upper(str)", "str in upper case.", "upper('sql') = 'SQL'"}, 1, 1, bindTextMap("upper", strings.ToUpper)},
	{FunctionInfo{"lower", "lower(str)", "str in lower case.", "lower('SQL') = 'sql'"}, 1, 1, bindTextMap("lower", strings.ToLower)},
	{FunctionInfo{"trim", "trim(str)", "str without spaces at both ends.", "trim(' a ') = 'a'"}, 1, 1, bindTextMap("trim", func(s string) string { return strings.Trim(s, " ") })},
	{FunctionInfo{"ltrim", "ltrim(str)", "str without spaces in front.", "ltrim(' a ') = 'a '"}, 1, 1, bindTextMap("ltrim", func(s string) string { return strings.TrimLeft(s, " ") })},
	{FunctionInfo{"rtrim", "rtrim(str)", "str without spaces behind.", "rtrim(' a ') = ' a'"}, 1, 1, bindTextMap("rtrim", func(s string) string { return strings.TrimRight(s, " ") })},
	{FunctionInfo{"length", "length(expr)", "Characters of a STRING, bytes of a BINARY.", "length('né') = 2"}, 1, 1, bindLength},
	{FunctionInfo{"substring", "substring(str, pos[, len])", "len characters from pos on; 1 is the first, -1 the last.", "substring('Spark', 2, 3) = 'par'"}, 2, 3, bindSubstring},
	{FunctionInfo{"substr", "substr(str, pos[, len])", "As substring.", "substr('Spark', -2) = 'rk'"}, 2, 3, bindSubstring},
	{FunctionInfo{"concat", "concat(str1, str2, ...)", "The texts joined.", "concat('a', 'b') = 'ab'"}, 1, -1, bindConcat},
	{FunctionInfo{"startswith", "startswith(str, prefix)", "Whether str begins with prefix.", "startswith('abc', 'ab') = true"}, 2, 2, bindTextTest("startswith", strings.HasPrefix)},
	{FunctionInfo{"endswith", "endswith(str, suffix)", "Whether str ends with suffix.", "endswith('abc', 'bc') = true"}, 2, 2, bindTextTest("endswith", strings.HasSuffix)},
	{FunctionInfo{"contains", "contains(str, part)", "Whether part is in str.", "contains('abc', 'b') = true"}, 2, 2, bindTextTest("contains", strings.Contains)},
}

func textParameters(name string, args []Expr) ([]Expr, error) {
	out := make([]Expr, len(args))
	for i, a := range args {
		var err error
		if out[i], err = parameter(name, i, a, columnar.String); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func bindTextMap(name string, f func(string) string) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		cast, err := textParameters(name, args)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: cast, typ: columnar.String, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				out.texts[r] = f(in[0].texts[r&in[0].mask])
			}
		}}, nil
	}
}

func bindTextTest(name string, f func(s, part string) bool) func([]Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		cast, err := textParameters(name, args)
		if err != nil {
			return nil, err
		}
		return &call{name: name, args: cast, typ: columnar.Boolean, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
			for _, r := range rows {
				out.bools[r] = f(in[0].texts[r&in[0].mask], in[1].texts[r&in[1].mask])
			}
		}}, nil
	}
}

func bindLength(args []Expr) (Expr, error) {
	count := utf8.RuneCountInString
	cast := args
	if args[0].Type() == columnar.Binary {
		count = func(s string) int { return len(s) }
	} else {
		var err error
		if cast, err = textParameters("length", args); err != nil {
			return nil, err
		}
	}
	return &call{name: "length", args: cast, typ: columnar.Int, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
		for _, r := range rows {
			out.ints[r] = int64(count(in[0].texts[r&in[0].mask]))
		}
	}}, nil
}

func bindConcat(args []Expr) (Expr, error) {
	cast, err := textParameters("concat", args)
	if err != nil {
		return nil, err
	}
	return &call{name: "concat", args: cast, typ: columnar.String, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
		var b []byte
		for _, r := range rows {
			b = b[:0]
			for _, v := range in {
				b = append(b, v.texts[r&v.mask]...)
			}
			out.texts[r] = string(b)
		}
	}}, nil
}

func bindSubstring(args []Expr) (Expr, error) {
	text, err := parameter("substring", 0, args[0], columnar.String)
	if err != nil {
		return nil, err
	}
	cast := []Expr{text}
	for i, a := range args[1:] {
		n, err := parameter("substring", i+1, a, columnar.Int)
		if err != nil {
			return nil, err
		}
		cast = append(cast, n)
	}
	return &call{name: "substring", args: cast, typ: columnar.String, run: func(_ *Evaluator, out *vector, in []*vector, rows []int32) {
		for _, r := range rows {
			length := int64(1<<31 - 1)
			if len(in) == 3 {
				length = in[2].ints[r&in[2].mask]
			}
			out.texts[r] = substring(in[0].texts[r&in[0].mask], in[1].ints[r&in[1].mask], length)
		}
	}}, nil
}

// substring counts characters; 0 and 1 are both the first, below 0 it counts from the end, and a start in front of the text uses up length.
func substring(s string, pos, length int64) string {
	if length <= 0 {
		return ""
	}
	n := int64(utf8.RuneCountInString(s))
	start := pos
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = n + pos
	}
	end := min(start+length, n)
	start = max(start, 0)
	if start >= end {
		return ""
	}
	from := byteAt(s, start)
	return s[from : from+byteAt(s[from:], end-start)]
}

// byteAt is where the n-th character begins.
func byteAt(s string, n int64) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
