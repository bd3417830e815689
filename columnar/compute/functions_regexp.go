package compute

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/javaregex"
)

// regexpFunctions match patterns of Java.
var regexpFunctions = []function{
	entry("rlike", "s RLIKE pattern", "TRUE if the pattern matches a part of s.", "'abc' RLIKE 'b'", 2, 2, bindRlike),
	entry("regexp", "s REGEXP pattern", "TRUE if the pattern matches a part of s.", "'abc' REGEXP 'b'", 2, 2, bindRlike),
	entry("regexp_like", "regexp_like(s, pattern)", "TRUE if the pattern matches a part of s.", "regexp_like('abc', 'b')", 2, 2, bindRlike),
	entry("regexp_extract", "regexp_extract(s, pattern[, group])", "What a group of the first match captured (1 unless said, 0 is all of it); empty without a match.", "regexp_extract('a1', '([0-9])')", 2, 3, bindRegexpExtract),
	entry("regexp_replace", "regexp_replace(s, pattern, by[, from])", "Every match replaced; $1 in by is group 1.", "regexp_replace('a1', '[0-9]', '#')", 3, 4, bindRegexpReplace),
	entry("regexp_count", "regexp_count(s, pattern)", "Number of matches.", "regexp_count('aba', 'a')", 2, 2, bindRegexpCount),
	entry("regexp_instr", "regexp_instr(s, pattern)", "Where the first match begins, in UTF-16 units from 1; 0 without a match.", "regexp_instr('abc', 'c')", 2, 3, bindRegexpInstr),
	entry("regexp_substr", "regexp_substr(s, pattern)", "The first match; NULL if there is none or it is empty.", "regexp_substr('a1', '[0-9]')", 2, 2, bindRegexpSubstr),
}

// patternCache keeps the matchers of the patterns that a run of a kernel met.
type patternCache struct {
	function string
	wrap     func(pattern []byte) []byte // nil: the pattern as it is
	known    map[string]*javaregex.Matcher
	last     []byte
	current  *javaregex.Matcher
}

// mostRegexps bounds a cache; a column of patterns may have any number.
const mostRegexps = 256

// get returns a matcher that is valid until the next get.
func (c *patternCache) get(pattern []byte) (*javaregex.Matcher, error) {
	if c.current != nil && bytes.Equal(pattern, c.last) {
		return c.current, nil
	}
	m, ok := c.known[string(pattern)]
	if !ok {
		text := pattern
		if c.wrap != nil {
			text = c.wrap(pattern)
		}
		re, err := javaregex.Compile(string(text))
		if err != nil {
			return nil, c.refused(text, err)
		}
		if m = re.Matcher(); c.known == nil || len(c.known) >= mostRegexps {
			c.known = map[string]*javaregex.Matcher{}
		}
		c.known[string(pattern)] = m
	}
	c.last, c.current = pattern, m
	return m, nil
}

func (c *patternCache) refused(pattern []byte, err error) *EvalError {
	var syntax *javaregex.SyntaxError
	if errors.As(err, &syntax) {
		return &EvalError{"INVALID_PARAMETER_VALUE.PATTERN", fmt.Sprintf("%s expects a regular expression of Java, got '%s': %s.", c.function, clipped(pattern), err)}
	}
	return &EvalError{"UNSUPPORTED_FEATURE", fmt.Sprintf("%s cannot use the pattern '%s': %s.", c.function, clipped(pattern), err)}
}

func searchFailed(err error) error {
	return &EvalError{"COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION", err.Error() + "."}
}

// rowMatcher handles a row whose matcher has not looked at the text yet.
type rowMatcher func(f *frame, row int32, m *javaregex.Matcher, text []byte)

// bindRegexp binds a function whose second argument is a pattern. A constant pattern is
// compiled here; others are compiled as the rows come.
func bindRegexp(t columnar.Type, one rowMatcher, want ...columnar.Type) func(string, []Expr) (Expr, error) {
	return bindRegexpRun(t, func() rowMatcher { return one }, want...)
}

// bindRegexpRun makes a new rowMatcher for each run, for those that remember something.
func bindRegexpRun(t columnar.Type, begin func() rowMatcher, want ...columnar.Type) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		list, err := parameters(name, args, want...)
		if err != nil {
			return nil, err
		}
		cache := patternCache{function: name}
		pattern, constant := textLiteral(Fold(list[1]))
		var re *javaregex.Regexp
		if constant {
			if re, err = javaregex.Compile(pattern); err != nil {
				refused := cache.refused([]byte(pattern), err)
				return nil, &TypeError{refused.Condition, refused.Message}
			}
		}
		run := func(f *frame) { regexpRows(f, re, cache, begin()) }
		return &call{name: name, args: list, typ: t, run: run}, nil
	}
}

func regexpRows(f *frame, re *javaregex.Regexp, cache patternCache, one rowMatcher) {
	var m *javaregex.Matcher
	if re != nil {
		m = re.Matcher()
		defer m.Release()
	}
	for _, i := range f.rows {
		if re == nil {
			var err error
			if m, err = cache.get(f.args[1].bytesAt(i)); err != nil {
				f.fail(i, err)
				continue
			}
		}
		one(f, i, m, f.args[0].bytesAt(i))
		if err := m.Err(); err != nil {
			f.fail(i, searchFailed(err))
		}
	}
}

// bindRlike remembers recent texts if the pattern is constant; a search that failed is
// not remembered.
func bindRlike(name string, args []Expr) (Expr, error) {
	if len(args) == 2 && Literal(Fold(args[1])) {
		return bindRegexpRun(columnar.Boolean, func() rowMatcher {
			r := &repeats{}
			return func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
				m.Forget() // the error of an earlier text is not that of this one
				f.out.data[row] = r.ask(text, func(text []byte) (yes, sure bool) {
					yes = m.Find(text)
					return yes, m.Err() == nil
				})
			}
		}, columnar.String, columnar.String)(name, args)
	}
	return bindRegexp(columnar.Boolean, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		f.out.data[row] = bit(m.Find(text))
	}, columnar.String, columnar.String)(name, args)
}

func bindRegexpCount(name string, args []Expr) (Expr, error) {
	return bindRegexp(columnar.Int, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		n := int32(0)
		for found := m.Find(text); found; found = m.Next() {
			n++
		}
		slice[int32](f.out)[row] = n
	}, columnar.String, columnar.String)(name, args)
}

// bindRegexpInstr ignores the group, as Spark does, but for its being NULL.
func bindRegexpInstr(name string, args []Expr) (Expr, error) {
	return bindRegexp(columnar.Int, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		out := slice[int32](f.out)
		if out[row] = 0; m.Find(text) {
			from := m.Span().From
			out[row] = int32(utf16Units(text[:from.At])) + int32(bit(from.Half)) + 1
		}
	}, columnar.String, columnar.String, columnar.Int)(name, args)
}

// utf16Units is the length of text in Java.
func utf16Units(text []byte) int {
	if ascii(text) {
		return len(text)
	}
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if n++; r > 0xffff {
			n++
		}
		text = text[size:]
	}
	return n
}

func bindRegexpSubstr(name string, args []Expr) (Expr, error) {
	e, err := bindRegexp(columnar.String, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		var value []byte
		if m.Find(text) {
			value, _ = m.Group(0)
		}
		if f.put(f.out, row, value); len(value) == 0 {
			f.setNull(f.out, row)
		}
	}, columnar.String, columnar.String)(name, args)
	if c, ok := e.(*call); ok {
		c.nullable = true
	}
	return e, err
}

func bindRegexpExtract(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = append(args[:2:2], Integer(1, columnar.Int))
	}
	return bindRegexp(columnar.String, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		if !m.Find(text) {
			f.put(f.out, row, nil)
			return
		}
		n := intAt(f.args[2], row)
		if err := checkGroup(name, m, n); err != nil {
			f.put(f.out, row, nil)
			f.fail(row, err)
			return
		}
		value, _ := m.Group(int(n))
		f.put(f.out, row, value)
	}, columnar.String, columnar.String, columnar.Int)(name, args)
}

func checkGroup(name string, m *javaregex.Matcher, n int32) error {
	if count := m.Regexp().Groups(); n < 0 || int(n) > count {
		return &EvalError{"INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX", fmt.Sprintf("%s expects a group of 0 to %d, as the pattern has them, got %d.", name, count, n)}
	}
	return nil
}
