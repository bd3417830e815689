package decode

import (
	"bytes"
	"strconv"
	"strings"
)

// Path is a JSON path as get_json_object takes it: $, .name, ['name'], [3] and [*].
type Path []pathStep

type pathStep struct {
	name     string
	index    int  // of an element
	element  bool // [index] or [*]
	wildcard bool
}

// ParsePath reads a path; ok is false for text that is none. A path with .* is read and
// finds nothing, as in Spark.
func ParsePath(text string) (path Path, ok bool) {
	rest, ok := strings.CutPrefix(text, "$")
	for ok && rest != "" {
		var step pathStep
		step, rest, ok = parseStep(rest)
		path = append(path, step)
	}
	return path, ok
}

func parseStep(s string) (step pathStep, rest string, ok bool) {
	if name, found := strings.CutPrefix(s, "."); found {
		end := strings.IndexAny(name, ".[")
		if end < 0 {
			end = len(name)
		}
		return pathStep{name: name[:end], wildcard: name[:end] == "*"}, name[end:], end > 0
	}
	if name, found := strings.CutPrefix(s, "['"); found {
		name, rest, ok = strings.Cut(name, "']")
		return pathStep{name: name}, rest, ok && name != "" && !strings.ContainsAny(name, "'?")
	}
	inside, found := strings.CutPrefix(s, "[")
	inside, rest, ok = strings.Cut(inside, "]")
	if !found || !ok {
		return pathStep{}, "", false
	}
	if inside == "*" {
		return pathStep{element: true, wildcard: true}, rest, true
	}
	index, err := strconv.ParseUint(inside, 10, 31)
	return pathStep{element: true, index: int(index)}, rest, err == nil
}

// style is how a found value is written.
type style uint8

const (
	rawStyle     style = iota // a string without its quotes
	quotedStyle               // as JSON
	flattenStyle              // the elements of arrays, as JSON
)

// PathReader reads values out of documents. It belongs to one goroutine.
type PathReader struct {
	d   JSON
	out []byte
	// lists counts the elements of the arrays that are being written.
	lists []int
}

// Get returns the text of what a path finds in a document; ok is false where it finds
// nothing, or where the document is not JSON. The text lives until the next call.
func (r *PathReader) Get(doc []byte, path Path) (text []byte, ok bool) {
	doc = standard(doc)
	i := space(doc, 0)
	if i == len(doc) || r.d.skip(doc, i, 1) < 0 {
		return nil, false
	}
	r.out, r.lists = r.out[:0], r.lists[:0]
	_, found := r.find(doc, i, path, rawStyle)
	return r.out, found
}

// find writes what the path finds in the value at i; it returns the position after the value.
func (r *PathReader) find(s []byte, i int, path Path, how style) (end int, found bool) {
	if len(path) == 0 {
		return r.write(s, i, how)
	}
	step := path[0]
	switch {
	case s[i] == '{' && !step.element && !step.wildcard:
		return r.findName(s, i, path, how)
	case s[i] == '[' && step.wildcard && step.element:
		return r.findAll(s, i, path, how)
	case s[i] == '[' && step.element:
		return r.findIndex(s, i, path, how)
	}
	return r.d.skip(s, i, 0), false
}

func (r *PathReader) write(s []byte, i int, how style) (end int, found bool) {
	switch {
	case how == rawStyle && s[i] == '"':
		text, end := r.d.quoted(s, i)
		r.out = append(r.out, text...)
		return end, true
	case how == flattenStyle && s[i] == '[':
		return r.each(s, i, func(at int) (int, bool) { return r.find(s, at, nil, how) })
	case s[i] == 'n' && how == rawStyle:
		return i + 4, false
	}
	r.separate()
	r.out, end = r.d.compact(r.out, s, i)
	return end, true
}

// separate writes the comma before an element, if it is not the first of its array.
func (r *PathReader) separate() {
	if n := len(r.lists); n > 0 {
		if r.lists[n-1] > 0 {
			r.out = append(r.out, ',')
		}
		r.lists[n-1]++
	}
}

// each calls one for the position of every element of the array at i.
func (r *PathReader) each(s []byte, i int, one func(at int) (end int, found bool)) (end int, found bool) {
	for i = space(s, i+1); s[i] != ']'; i = space(s, i) {
		if s[i] == ',' {
			i = space(s, i+1)
		}
		var hit bool
		i, hit = one(i)
		found = found || hit
	}
	return i + 1, found
}

// findName takes the first member of that name that has something; NULL has nothing.
func (r *PathReader) findName(s []byte, i int, path Path, how style) (end int, found bool) {
	for i = space(s, i+1); s[i] != '}'; i = space(s, i) {
		if s[i] == ',' {
			i = space(s, i+1)
		}
		name, after := r.d.quoted(s, i)
		wanted := string(name) == path[0].name
		i = space(s, space(s, after)+1)
		if wanted && !found && s[i] != 'n' {
			i, found = r.find(s, i, path[1:], how)
		} else {
			i = r.d.skip(s, i, 0)
		}
	}
	return i + 1, found
}

func (r *PathReader) findIndex(s []byte, i int, path Path, how style) (end int, found bool) {
	k := -1
	if len(path) > 1 && path[1].element && path[1].wildcard {
		how = quotedStyle
	}
	return r.each(s, i, func(at int) (int, bool) {
		if k++; k == path[0].index {
			return r.find(s, at, path[1:], how)
		}
		return r.d.skip(s, at, 0), false
	})
}

// findAll writes an array of what is found in each element. A single match at the top
// stands without brackets, and [*][*] flattens: both as in Spark, which has them from Hive.
func (r *PathReader) findAll(s []byte, i int, path Path, how style) (end int, found bool) {
	rest, inner := path[1:], quotedStyle
	double := len(rest) > 0 && rest[0].element && rest[0].wildcard
	switch {
	case double:
		rest, inner = rest[1:], flattenStyle
	case how == flattenStyle:
		inner = flattenStyle
	}
	r.separate()
	begin := len(r.out)
	r.out = append(r.out, '[')
	r.lists = append(r.lists, 0)
	end, found = r.each(s, i, func(at int) (int, bool) { return r.find(s, at, rest, inner) })
	count := r.lists[len(r.lists)-1]
	r.lists = r.lists[:len(r.lists)-1]
	if !double && how != quotedStyle {
		if count == 1 {
			r.out = append(r.out[:begin], r.out[begin+1:]...)
			return end, true
		}
		if count == 0 {
			r.out = r.out[:begin]
			return end, false
		}
	}
	r.out = append(r.out, ']')
	return end, found
}

// Length is the number of elements of a JSON array; ok is false for other text.
func (r *PathReader) Length(doc []byte) (n int, ok bool) {
	doc = standard(doc)
	i := space(doc, 0)
	if i == len(doc) || doc[i] != '[' || r.d.skip(doc, i, 1) < 0 {
		return 0, false
	}
	r.each(doc, i, func(at int) (int, bool) {
		n++
		return r.d.skip(doc, at, 0), true
	})
	return n, true
}

// Keys calls use for the name of every member of a JSON object, in order; ok is false
// for other text, for which use is not called. The name lives until the call ends.
func (r *PathReader) Keys(doc []byte, use func(name []byte)) (ok bool) {
	doc = standard(doc)
	i := space(doc, 0)
	if i == len(doc) || doc[i] != '{' || r.d.skip(doc, i, 1) < 0 {
		return false
	}
	for i = space(doc, i+1); doc[i] != '}'; i = space(doc, i) {
		if doc[i] == ',' {
			i = space(doc, i+1)
		}
		name, after := r.d.quoted(doc, i)
		use(bytes.Clone(name))
		i = r.d.skip(doc, space(doc, space(doc, after)+1), 0)
	}
	return true
}
