package decode

import (
	"fmt"
	"strings"
)

// fault is why a document is bad; it becomes an error only once per bad row.
type fault struct {
	field string
	text  string
	got   string
	at    int
}

// error makes one sentence: field "amount": expected DECIMAL(12,2), got "abc" at byte 57.
func (f *fault) error() error {
	var b strings.Builder
	if f.field != "" {
		fmt.Fprintf(&b, "field %q: ", f.field)
	}
	b.WriteString(f.text)
	if f.got != "" {
		b.WriteString(", got " + f.got)
	}
	return fmt.Errorf("%s at byte %d", b.String(), f.at)
}

// within says that the fault lies in a field of an object, or deeper in it.
func (f *fault) within(outer *field) {
	switch {
	case !outer.typ.Nested() || f.field == "":
		f.field = outer.name
	case f.field[0] == '[':
		f.field = outer.name + f.field
	default:
		f.field = outer.name + "." + f.field
	}
}

// fail records a fault and returns -1.
func (d *JSON) fail(at int, text string) int {
	d.fault = fault{text: text, at: at}
	return -1
}

func (d *JSON) failField(f *field, at int, text string) int {
	d.fault = fault{text: text, at: at, field: f.name}
	return -1
}

// failValue records that something else stands at a position.
func (d *JSON) failValue(s []byte, at int, text string) int {
	d.fault = fault{text: text, at: at, got: excerpt(s, at)}
	return -1
}

// failType records that a value does not fit a field.
func (d *JSON) failType(f *field, s []byte, at int) int {
	d.fault = fault{text: "expected " + f.typ.String(), at: at, got: excerpt(s, at)}
	return -1
}

// excerpt is the token at a position, cut after 48 bytes.
func excerpt(s []byte, at int) string {
	const most = 48
	if at >= len(s) {
		return "the end of the document"
	}
	end := at + 1
	if c := s[at]; c == ',' || c == '}' || c == ']' || c == ':' {
		return string(c)
	}
	quoted := s[at] == '"'
	for end < len(s) && end-at < most {
		c := s[end]
		if !quoted && (c == ',' || c == '}' || c == ']' || c <= ' ') {
			break
		}
		end++
		if quoted && c == '"' && s[end-2] != '\\' {
			break
		}
	}
	text := strings.ToValidUTF8(string(s[at:end]), "\uFFFD")
	if end-at == most {
		text += "..."
	}
	return strings.Map(printable, text)
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
