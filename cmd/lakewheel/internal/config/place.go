package config

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// place is the line and column of the file at which byte offset of a scalar's value stands:
// behind quotes and escapes, folded lines, indentation and variables that were put in.
func (r *reader) place(n ast.Node, offset int) (line, column int) {
	pos := n.GetToken().Position
	raw, start, quote := "", r.offset(pos.Line, pos.Column), byte(0)
	switch s := n.(type) {
	case *ast.LiteralNode:
		raw, start = s.Value.Value, r.offset(pos.Line+1, 1)
	case *ast.StringNode:
		raw = s.Value
		if start < len(r.text) && (r.text[start] == '"' || r.text[start] == '\'') {
			quote = r.text[start]
			start++
		}
	}
	at := align(r.text, start, raw, r.unexpanded(raw, offset), quote)
	before := r.text[:at]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// offset is the byte of the text at a line and column, both from 1.
func (r *reader) offset(line, column int) int {
	at := 0
	for range line - 1 {
		next := strings.IndexByte(r.text[at:], '\n')
		if next < 0 {
			return len(r.text)
		}
		at += next + 1
	}
	for range column - 1 {
		if at < len(r.text) {
			_, size := utf8.DecodeRuneInString(r.text[at:])
			at += size
		}
	}
	return at
}

// unexpanded is the byte of a value as written for a byte of the value with its variables;
// what a variable gave stands where the variable does.
func (r *reader) unexpanded(raw string, offset int) int {
	at := 0
	for {
		i := strings.Index(raw[at:], "${")
		if i < 0 || i >= offset {
			return min(at+offset, len(raw))
		}
		if i > 0 && raw[at+i-1] == '$' { // $${ is ${
			if offset < i+1 {
				return at + offset
			}
			offset -= i + 1
			at += i + 2
			continue
		}
		end := strings.IndexByte(raw[at+i:], '}')
		value, err := expand(raw[at+i:at+i+end+1], r.env)
		if err != nil || offset < i+len(value) {
			return at + i
		}
		offset -= i + len(value)
		at += i + end + 1
	}
}

// align walks the text of a scalar and its value together up to a byte of the value, and
// returns the byte of the text there.
func align(text string, i int, value string, target int, quote byte) int {
	for j := 0; j < target && i < len(text); {
		c := text[i]
		switch {
		case quote == '\'' && c == '\'':
			i, j = i+2, j+1
		case quote == '"' && c == '\\':
			size, bytes := escaped(text[i:])
			i, j = i+size, j+bytes
		case c == value[j]:
			i, j = i+1, j+1
		case blank(c):
			folded := blank(value[j])
			for i < len(text) && blank(text[i]) {
				i++
			}
			if folded {
				j++
			}
		default:
			return i
		}
	}
	for i < len(text) && target < len(value) && blank(text[i]) && !blank(value[target]) {
		i++
	}
	return min(i, len(text))
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// escaped is the length of an escape in double quotes, and of what it stands for.
func escaped(s string) (size, bytes int) {
	if len(s) < 2 {
		return len(s), 0
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]; digits > 0 && len(s) >= 2+digits {
		r, err := strconv.ParseUint(s[2:2+digits], 16, 32)
		if err != nil {
			return 2, 1
		}
		return 2 + digits, max(1, utf8.RuneLen(rune(r)))
	}
	if s[1] == '\n' {
		size = 2
		for size < len(s) && blank(s[size]) {
			size++
		}
		return size, 0
	}
	return 2, 1
}
