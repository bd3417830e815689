package compute

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/javaregex"
)

// bindRegexpReplace takes the place to begin at as a constant above 0, in UTF-16 units.
func bindRegexpReplace(name string, args []Expr) (Expr, error) {
	from := int64(1)
	if len(args) == 4 {
		e := Fold(args[3])
		if Literal(e) && e.Nullable() {
			return typedNull(columnar.String), nil
		}
		var ok bool
		if from, ok = integerLiteral(e); !ok {
			return nil, mismatch("NON_FOLDABLE_INPUT", "%s: the position should be a constant integer, got %s.", name, args[3])
		}
		if from < 1 {
			return nil, mismatch("VALUE_OUT_OF_RANGE", "%s: the position should be above 0, got %d.", name, from)
		}
	}
	begin := func() rowMatcher { return (&replacer{from: int(from)}).row }
	return bindRegexpRun(columnar.String, begin, columnar.String, columnar.String, columnar.String, columnar.Int)(name, args)
}

// replacer replaces the matches of row after row.
type replacer struct {
	from  int
	by    []byte
	m     *javaregex.Matcher
	parts []replacement
	err   error
}

// replacement is a piece of text, or what a group captured.
type replacement struct {
	text  []byte
	group int // -1: text
}

var errInsideCharacter = &EvalError{"UNSUPPORTED_FEATURE", "regexp_replace would begin inside a character of two UTF-16 units; use another position."}

func (r *replacer) row(f *frame, row int32, m *javaregex.Matcher, text []byte) {
	at := len(f.out.data)
	head, inside := unitOffset(text, r.from-1)
	if inside {
		f.fail(row, errInsideCharacter)
		f.close(f.out, row, at)
		return
	}
	f.out.data = append(f.out.data, text[:head]...)
	if head == len(text) && r.from > 1 {
		f.close(f.out, row, at)
		return
	}
	if err := r.replace(f, row, m, text[head:]); err != nil {
		f.fail(row, err)
		f.out.data = f.out.data[:at]
	}
	f.close(f.out, row, at)
}

// unitOffset is the byte of UTF-16 unit n, and whether that is the second of a character.
func unitOffset(text []byte, n int) (at int, inside bool) {
	for n > 0 && at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if n--; r > 0xffff {
			n--
		}
		at += size
	}
	return at, n < 0
}

func (r *replacer) replace(f *frame, row int32, m *javaregex.Matcher, text []byte) error {
	last, begin := javaregex.Place{}, len(f.out.data)
	for found := m.Find(text); found; found = m.Next() {
		if by := f.args[2].bytesAt(row); r.m != m || !bytes.Equal(by, r.by) {
			r.m, r.by = m, by
			r.parts, r.err = parseReplacement(by, m.Regexp())
		}
		if r.err != nil {
			return r.err
		}
		span := m.Span()
		f.out.data = javaregex.Span{From: last, To: span.From}.Append(f.out.data, text)
		for _, p := range r.parts {
			f.out.data = appendReplacement(f.out.data, p, m, text)
		}
		if last = span.To; f.overlong(f.out, begin) {
			break
		}
	}
	end := javaregex.Place{At: len(text)}
	f.out.data = javaregex.Span{From: last, To: end}.Append(f.out.data, text)
	return nil
}

func appendReplacement(dst []byte, p replacement, m *javaregex.Matcher, text []byte) []byte {
	if p.group < 0 {
		return append(dst, p.text...)
	}
	if span, ok := m.GroupSpan(p.group); ok {
		return span.Append(dst, text)
	}
	return dst
}

func badReplacement(by []byte, why string) error {
	return &EvalError{"INVALID_REGEXP_REPLACE", fmt.Sprintf("regexp_replace cannot use the replacement '%s': %s; write \\$ and \\\\ for the signs themselves.", clipped(by), why)}
}

// parseReplacement reads $1, ${name} and escapes, as Java's Matcher does. A number takes
// as many digits as make the number of a group.
func parseReplacement(by []byte, re *javaregex.Regexp) ([]replacement, error) {
	var parts []replacement
	var text []byte
	for at := 0; at < len(by); at++ {
		switch by[at] {
		case '\\':
			if at++; at == len(by) {
				return nil, badReplacement(by, "a character is missing behind \\")
			}
			text = append(text, by[at])
		case '$':
			group, size, why := groupReference(by[at+1:], re)
			if why != "" {
				return nil, badReplacement(by, why)
			}
			parts = append(parts, replacement{text, -1}, replacement{nil, group})
			text = nil
			at += size
		default:
			text = append(text, by[at])
		}
	}
	return append(parts, replacement{text, -1}), nil
}

// groupReference reads what follows $.
func groupReference(text []byte, re *javaregex.Regexp) (group, size int, why string) {
	if len(text) > 0 && text[0] == '{' {
		k := bytes.IndexByte(text, '}')
		if k < 0 {
			return 0, 0, "} is missing"
		}
		if group = re.Named(string(text[1:k])); group == 0 {
			return 0, 0, fmt.Sprintf("there is no group <%s>", clipped(text[1:k]))
		}
		return group, k + 1, ""
	}
	for ; size < len(text) && text[size] >= '0' && text[size] <= '9'; size++ {
		wider := 10*group + int(text[size]-'0')
		if wider > re.Groups() {
			if size == 0 {
				return 0, 0, fmt.Sprintf("there is no group %d", wider)
			}
			break
		}
		group = wider
	}
	if size == 0 {
		return 0, 0, "the number of a group is missing behind $"
	}
	return group, size, ""
}
