package compute

import (
	"bytes"
	"fmt"
	"strconv"
)

// javaFormat is a format of java.util.Formatter: text and conversions in turn.
type javaFormat struct {
	parts []formatPart
	most  int // characters that widths and precisions ask for
}

// formatPart is text, or a conversion of an argument.
type formatPart struct {
	text             []byte
	verb             byte // 0: text; small letters, upper says that the letter was a capital
	upper            bool
	flags            string
	argument         int  // from 1
	width, precision int  // -1: none
	plain            bool // %s and nothing more
}

func (p *formatPart) has(flag byte) bool { return bytes.IndexByte([]byte(p.flags), flag) >= 0 }

func badFormat(format string, args ...any) error {
	return &EvalError{"INVALID_PARAMETER_VALUE.FORMAT", "format_string: " + fmt.Sprintf(format, args...) + "."}
}

// parseFormat reads a format for so many arguments.
func parseFormat(text []byte, count int) (*javaFormat, error) {
	f := &javaFormat{}
	ordinary, last := 0, 0
	for len(text) > 0 {
		k := bytes.IndexByte(text, '%')
		if k < 0 {
			k = len(text)
		}
		if k > 0 {
			f.parts = append(f.parts, formatPart{text: text[:k]})
			text = text[k:]
			continue
		}
		p, relative, rest, err := parseConversion(text)
		if err != nil {
			return nil, err
		}
		text = rest
		switch {
		case p.verb == '%' || p.verb == 'n':
		case relative && last == 0:
			return nil, badFormat("%%< needs a conversion before it")
		case relative:
			p.argument = last
		case p.argument == 0:
			ordinary++
			p.argument = ordinary
		}
		if p.argument > count {
			return nil, badFormat("argument %d is missing", p.argument)
		}
		if p.argument > 0 {
			last = p.argument
		}
		f.most += max(p.width, 0) + max(p.precision, 0)
		f.parts = append(f.parts, p)
	}
	return f, nil
}

// parseConversion reads %[n$][flags][width][.precision]verb.
func parseConversion(text []byte) (p formatPart, relative bool, rest []byte, err error) {
	p.width, p.precision = -1, -1
	s := text[1:]
	if n, after, ok := formatNumber(s); ok && len(after) > 0 && after[0] == '$' {
		if p.argument, s = n, after[1:]; n == 0 {
			return p, false, nil, &EvalError{"INVALID_PARAMETER_VALUE.ZERO_INDEX", "format_string expects an index of 1 or more before $, got 0."}
		}
	}
	k := 0
	for k < len(s) && bytes.IndexByte([]byte("-#+ 0,(<"), s[k]) >= 0 {
		if bytes.IndexByte(s[:k], s[k]) >= 0 {
			return p, false, nil, badFormat("the flag %c stands twice", s[k])
		}
		relative = relative || s[k] == '<'
		k++
	}
	p.flags, s = string(s[:k]), s[k:]
	ok := true
	if len(s) > 0 && s[0] >= '1' && s[0] <= '9' {
		p.width, s, ok = formatNumber(s)
	}
	if ok && len(s) > 0 && s[0] == '.' {
		p.precision, s, ok = formatNumber(s[1:])
	}
	if !ok || len(s) == 0 {
		return p, false, nil, badFormat("'%s' is no conversion", clipped(text))
	}
	p.verb = s[0]
	if bytes.IndexByte([]byte("XEGSCB"), p.verb) >= 0 {
		p.verb, p.upper = p.verb|0x20, true
	}
	p.plain = !p.upper && p.flags == "" && p.width < 0 && p.precision < 0 && p.verb == 's'
	return p, relative, s[1:], p.check(clipped(text))
}

// formatNumber reads digits at the start of s.
func formatNumber(s []byte) (n int, rest []byte, ok bool) {
	k := 0
	for k < len(s) && s[k] >= '0' && s[k] <= '9' {
		k++
	}
	v, err := strconv.ParseInt(string(s[:k]), 10, 32)
	return int(v), s[k:], err == nil
}

// barred are the flags that a conversion does not take.
var barred = map[byte]string{'b': "#+ 0,(", 's': "#+ 0,(", 'c': "#+ 0,(", 'd': "#", 'x': ",", 'o': ",", 'e': ",", 'f': "", 'g': "#", '%': "#+ 0,(", 'n': "-#+ 0,("}

func (p *formatPart) check(text []byte) error {
	bad, known := barred[p.verb]
	number := bytes.IndexByte([]byte("dxoefg"), p.verb) >= 0
	switch {
	case !known:
		return badFormat("the conversion %c is not supported", p.verb)
	case bytes.ContainsAny([]byte(p.flags), bad):
		return badFormat("a flag of '%s' does not fit its conversion", text)
	case p.width < 0 && (p.has('-') || number && p.has('0')):
		return badFormat("'%s' has no width", text)
	case p.has('-') && p.has('0'), p.has('+') && p.has(' '):
		return badFormat("the flags of '%s' exclude each other", text)
	case p.precision >= 0 && bytes.IndexByte([]byte("cdxo%n"), p.verb) >= 0:
		return badFormat("'%s' does not take a precision", text)
	case p.width >= 0 && p.verb == 'n':
		return badFormat("'%s' does not take a width", text)
	}
	return nil
}
