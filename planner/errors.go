package planner

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is one fault of a query or of a schema text, at a place in it.
type Error struct {
	// Offset is the byte offset in the text. Line and Column count from 1, in
	// characters; Shift moves them to the file that holds the text.
	Offset, Line, Column int
	// Condition is Spark's name for the fault, "" where Spark has none.
	Condition string
	// Message says what is wrong; Hint, which may be empty, says what to do.
	Message, Hint string

	excerpt string // the line of the text
	caret   int    // characters before the caret in excerpt
}

func newError(text string, offset int, condition, message, hint string) *Error {
	offset = min(offset, len(text))
	before := text[:offset]
	begin := strings.LastIndexByte(before, '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[begin:], '\n'); i >= 0 {
		end = begin + i
	}
	caret := utf8.RuneCountInString(text[begin:offset])
	return &Error{
		Offset: offset, Line: strings.Count(before, "\n") + 1, Column: caret + 1,
		Condition: condition, Message: clipSentence(message), Hint: clipSentence(hint),
		excerpt: strings.TrimSuffix(text[begin:end], "\r"), caret: caret,
	}
}

// maxSentence is the longest message or hint, in bytes: both may quote the user's text.
const maxSentence = 600

func clipSentence(s string) string {
	if len(s) <= maxSentence {
		return s
	}
	return strings.ToValidUTF8(s[:maxSentence], "") + "..."
}

// Error is one sentence: "3:14: [CONDITION] message (hint)".
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	if e.Condition != "" {
		b.WriteString("[" + e.Condition + "] ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Pretty is the sentence, the line of the text and a caret below the place.
func (e *Error) Pretty() string {
	line, caret := clip(e.excerpt, e.caret)
	return e.Error() + "\n  " + line + "\n  " + strings.Repeat(" ", caret) + "^"
}

// excerptWidth is how much of a long line is shown before and after the caret.
const excerptWidth = 100

// clip shortens a long line around the caret and makes tabs one column wide, so that
// the caret stands below its character.
func clip(line string, caret int) (string, int) {
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	if caret > excerptWidth {
		runes, caret = append([]rune("..."), runes[caret-excerptWidth:]...), excerptWidth+3
	}
	if len(runes) > caret+excerptWidth {
		runes = append(runes[:caret+excerptWidth:caret+excerptWidth], []rune("...")...)
	}
	return string(runes), caret
}

// Shift returns the error with its position moved into an enclosing file, where the
// first line of the text stands at line and each of its lines starts at column.
func (e *Error) Shift(line, column int) *Error {
	moved := *e
	moved.Line += line - 1
	moved.Column += column - 1
	return &moved
}

// Errors are the faults of one text, in the order of their places; never empty.
type Errors []*Error

// Error joins the sentences, one a line.
func (es Errors) Error() string { return es.join((*Error).Error) }

// Pretty joins the Pretty forms, one after the other.
func (es Errors) Pretty() string { return es.join((*Error).Pretty) }

func (es Errors) join(form func(*Error) string) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = form(e)
	}
	return strings.Join(parts, "\n")
}

// Unwrap lets errors.As find each *Error.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// Shift shifts each error; see Error.Shift.
func (es Errors) Shift(line, column int) Errors {
	out := make(Errors, len(es))
	for i, e := range es {
		out[i] = e.Shift(line, column)
	}
	return out
}
