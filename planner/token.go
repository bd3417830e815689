package planner

import "strings"

type tokenKind uint8

const (
	endToken    tokenKind = iota
	wordToken             // a bare word: keyword or name
	quotedToken           // `name`, text holds the name
	stringToken           // '...', text holds the value
	bytesToken            // X'...', text holds the hex digits
	numberToken           // digits, point, exponent and suffix as written
	symbolToken
)

// token is one word of the text; start and end are byte offsets.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// is reports whether the token is this symbol or, without regard to case, this keyword.
func (t token) is(word string) bool {
	switch t.kind {
	case wordToken:
		return strings.EqualFold(t.text, word)
	case symbolToken:
		return t.text == word
	}
	return false
}

// describe names the token in an error.
func (t token) describe() string {
	switch t.kind {
	case endToken:
		return "end of text"
	case stringToken:
		return "a string"
	case bytesToken:
		return "a binary literal"
	case quotedToken:
		return "`" + t.text + "`"
	}
	return t.text
}
