package compute

import (
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/javaregex"
)

// splitFunctions cut text at patterns.
var splitFunctions = []function{
	entry("split", "split(s, pattern[, most])", "The parts between matches, at most so many if above 0.", "split('a,b', ',')", 2, 3, bindSplit),
	entry("regexp_extract_all", "regexp_extract_all(s, pattern[, group])", "What a group of every match captured (1 unless said, 0 is all of it).", "regexp_extract_all('a1b2', '([0-9])')", 2, 3, bindExtractAll),
	entry("str_to_map", "str_to_map(s[, between, within])", "A MAP of pairs; the separators are patterns, ',' and ':' unless said.", "str_to_map('a:1,b:2')", 1, 3, bindStrToMap),
}

var textArray = columnar.Array(columnar.String)

func bindSplit(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = append(args[:2:2], Integer(-1, columnar.Int))
	}
	return bindRegexp(textArray, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		elements := f.out.kids[0]
		from := elements.n
		split(m, text, len(f.args[1].bytesAt(row)) == 0, int(intAt(f.args[2], row)), elements)
		f.closeList(f.out, row, from)
	}, columnar.String, columnar.String, columnar.Int)(name, args)
}

// split adds the parts of text to a vector of STRING. The empty pattern parts characters
// and, as in Spark, drops what is beyond the limit.
func split(m *javaregex.Matcher, text []byte, empty bool, limit int, to *vector) {
	if empty && len(text) > 0 {
		for n := 0; len(text) > 0 && (limit <= 0 || n < limit); n++ {
			_, size := utf8.DecodeRune(text)
			to.pushText(text[:size])
			text = text[size:]
		}
		return
	}
	var last javaregex.Place
	count := 1
	for found := m.Find(text); found && (limit <= 0 || count < limit); found = m.Next() {
		s := m.Span()
		if s.Empty() && s.From == (javaregex.Place{}) {
			continue // nothing stands before it
		}
		to.pushText(javaregex.Span{From: last, To: s.From}.Of(text))
		last = s.To
		count++
	}
	to.pushText(javaregex.Span{From: last, To: javaregex.Place{At: len(text)}}.Of(text))
}

func bindExtractAll(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = append(args[:2:2], Integer(1, columnar.Int))
	}
	return bindRegexp(textArray, func(f *frame, row int32, m *javaregex.Matcher, text []byte) {
		elements, group := f.out.kids[0], intAt(f.args[2], row)
		from := elements.n
		for found := m.Find(text); found; found = m.Next() {
			if err := checkGroup(name, m, group); err != nil {
				f.fail(row, err)
				break
			}
			value, _ := m.Group(int(group))
			elements.pushText(value)
		}
		f.closeList(f.out, row, from)
	}, columnar.String, columnar.String, columnar.Int)(name, args)
}

func bindStrToMap(name string, args []Expr) (Expr, error) {
	separators := []Expr{Text(","), Text(":")}
	copy(separators, args[1:])
	list := []Expr{args[0], separators[0], separators[1]}
	return bindSimple(columnar.Map(columnar.String, columnar.String), strToMapRows, columnar.String, columnar.String, columnar.String)(name, list)
}

// strToMapRows splits a text into pairs and each pair into key and value; a pair without a
// separator has a NULL value.
func strToMapRows(f *frame) {
	between, within := patternCache{function: "str_to_map"}, patternCache{function: "str_to_map"}
	b := newMapBuilder(f)
	null := constantNull(columnar.String)
	for _, i := range f.rows {
		outer, err := between.get(f.args[1].bytesAt(i))
		if err != nil {
			f.fail(i, err)
			continue
		}
		inner, err := within.get(f.args[2].bytesAt(i))
		if err != nil {
			f.fail(i, err)
			continue
		}
		pairs := grown(columnar.String)
		split(outer, f.args[0].bytesAt(i), len(f.args[1].bytesAt(i)) == 0, -1, pairs)
		for k := range int32(pairs.n) {
			entry := grown(columnar.String)
			split(inner, pairs.bytesAt(k), len(f.args[2].bytesAt(i)) == 0, 2, entry)
			if entry.n > 1 {
				b.add(entry, entry, 0, 1)
			} else {
				b.add(entry, null, 0, 0)
			}
		}
		b.finish(i)
	}
}
