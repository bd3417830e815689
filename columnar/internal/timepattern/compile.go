package timepattern

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const none = -1

// level is an optional part that is being read, the whole pattern at the bottom.
type level struct {
	parts  []part
	active int // the number that takes what numbers without a separator leave, or none
}

type compiler struct {
	reading, eras bool
	levels        []level
}

func (c *compiler) top() *level { return &c.levels[len(c.levels)-1] }

func (c *compiler) compile(pattern string) *Error {
	for len(pattern) > 0 {
		r, size := utf8.DecodeRuneInString(pattern)
		switch {
		case isLetter(r):
			size = len(pattern) - len(strings.TrimLeft(pattern, string(r)))
			if err := c.letters(byte(r), size); err != nil {
				return err
			}
		case r == '\'':
			text, rest, ok := quoted(pattern)
			if !ok {
				return invalid("Pattern ends with an incomplete string literal")
			}
			c.add(part{kind: literal, text: text})
			pattern = rest
			continue
		case r == '[':
			if len(c.levels) > 64 {
				return invalid("too many nested brackets")
			}
			c.top().active = none
			c.levels = append(c.levels, level{active: none})
		case r == ']':
			if len(c.levels) == 1 {
				return invalid("Pattern invalid as it contains ] without previous [")
			}
			c.close()
		case r == '{' || r == '}' || r == '#':
			return invalid(fmt.Sprintf("Pattern includes reserved character: '%c'", r))
		default:
			c.add(part{kind: literal, text: pattern[:size]})
		}
		pattern = pattern[size:]
	}
	return nil
}

// finish closes the brackets that are open.
func (c *compiler) finish() []part {
	for len(c.levels) > 1 {
		c.close()
	}
	return c.top().parts
}

func (c *compiler) close() {
	inner := c.top().parts
	c.levels = c.levels[:len(c.levels)-1]
	c.add(part{kind: group, parts: inner})
}

// quoted reads 'text', in which two quotes are one; two quotes alone are one too.
func quoted(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if !strings.HasPrefix(s[i:], "''") {
			if i == 1 {
				return "'", s[2:], true
			}
			return b.String(), s[i+1:], true
		}
		b.WriteByte('\'')
		i++
	}
	return "", "", false
}

func (c *compiler) add(p part) {
	t := c.top()
	t.parts = append(t.parts, p)
	t.active = none
}

// addNumber adds a number. Numbers of a fixed width that follow another without a
// separator leave their digits to themselves: the first of the row takes only the rest.
func (c *compiler) addNumber(p part) {
	t := c.top()
	first := t.active
	fixed := p.min == p.max && p.signs == neverSigned
	c.add(p)
	if fixed && p.max == 2 && p.kind == number {
		t.parts[len(t.parts)-1].kind = pair
	}
	if first != none && fixed {
		t.parts[first].following += p.max
		if t.parts[first].kind == pair {
			t.parts[first].kind = number
		}
		t.active = first
		return
	}
	t.active = len(t.parts) - 1
}

func invalid(message string) *Error {
	return &Error{"INVALID_DATETIME_PATTERN.WITH_SUGGESTION", message + "."}
}

// letterFields are the letters that stand for one field, with the most letters of a number.
var letterFields = map[byte]struct {
	field field
	most  int
}{
	'd': {dayOfMonth, 2}, 'h': {clockHourHalf, 2}, 'H': {hour, 2}, 'k': {clockHour, 2}, 'K': {hourOfHalf, 2}, 'm': {minute, 2}, 's': {second, 2},
	'F': {dayOfWeekInMonth, 1}, 'a': {halfDay, 1}, 'D': {dayOfYear, 3}, 'G': {era, 4}, 'E': {dayOfWeek, 4},
	'M': {month, 4}, 'L': {month, 4}, 'q': {quarter, 4}, 'Q': {quarter, 4}, 'S': {nano, 9}, 'y': {year, widest}, 'g': {julianDay, widest},
}

func (c *compiler) letters(letter byte, count int) *Error {
	f, known := letterFields[letter]
	if !known {
		return c.zone(letter, count)
	}
	if count > f.most {
		return invalid("Too many pattern letters: " + string(letter))
	}
	switch letter {
	case 'y':
		c.year(count)
	case 'g':
		if c.reading {
			return invalid("the letter g is not supported for reading")
		}
		c.addNumber(part{kind: number, field: f.field, min: count, max: widest, signs: ifNegative})
	case 'S':
		c.fraction(count)
	case 'a', 'G', 'E':
		c.add(part{kind: names, field: f.field, names: texts(f.field, count)})
	case 'M', 'L', 'q', 'Q':
		if count > 2 {
			c.add(part{kind: names, field: f.field, names: texts(f.field, count)})
			return nil
		}
		c.plainNumber(f.field, count, 2)
	case 'D':
		c.plainNumber(f.field, count, 3)
	default:
		c.plainNumber(f.field, count, 2)
	}
	return nil
}

// plainNumber is a number that one letter leaves unbounded and more make fixed.
func (c *compiler) plainNumber(f field, count, most int) {
	p := part{kind: number, field: f, min: count, max: most}
	if count == 1 {
		p.max, p.signs = widest, ifNegative
	}
	c.addNumber(p)
}

func (c *compiler) year(count int) {
	p := part{kind: number, field: year, min: count, max: widest, signs: ifNegative}
	if c.eras {
		p.field = yearOfEra
	}
	switch {
	case count == 2:
		p.kind, p.max, p.signs = twoDigits, 2, neverSigned
	case count > 3:
		p.signs = ifNegativeOrWide
	}
	c.addNumber(p)
}

// fraction prints as many digits as there are letters and reads at most so many.
func (c *compiler) fraction(count int) {
	p := part{kind: fraction, field: nano, min: count, max: count}
	if c.reading {
		p.min = 1
	}
	if p.min == p.max {
		c.addNumber(p)
		return
	}
	c.add(p)
}

// zone adds one of the letters of zones.
func (c *compiler) zone(letter byte, count int) *Error {
	switch {
	case letter == 'V' && count == 2:
		c.add(part{kind: zoneID})
	case letter == 'z' && count < 4, letter == 'v' && count == 1 && !c.reading:
		c.add(part{kind: zoneName})
	case letter == 'z' && count == 4, letter == 'v' && count == 4 && !c.reading:
		c.add(part{kind: zoneFullName})
	case letter == 'O' && count == 1, letter == 'O' && count == 4, letter == 'Z' && count == 4:
		c.add(part{kind: offsetWords, min: count})
	case letter == 'Z' && count < 4:
		c.add(part{kind: offsetID, min: offsetMinutes, text: "+0000"})
	case letter == 'Z' && count == 5:
		c.add(part{kind: offsetID, min: offsetColonSeconds, text: "Z"})
	case letter == 'X' && count <= 5:
		c.add(part{kind: offsetID, min: offsetForms[count], text: "Z"})
	case letter == 'x' && count <= 5:
		c.add(part{kind: offsetID, min: offsetForms[count], text: [...]string{"", "+00", "+0000", "+00:00", "+0000", "+00:00"}[count]})
	default:
		return invalid("Unknown pattern letter: " + string(letter))
	}
	return nil
}

// The forms of an offset.
const (
	offsetHours        = iota // +HH, and mm if there are digits
	offsetMinutes             // +HHMM
	offsetColon               // +HH:MM
	offsetSeconds             // +HHMM, and ss if there are digits
	offsetColonSeconds        // +HH:MM, and :ss if there are digits
)

var offsetForms = [...]int{0, offsetHours, offsetMinutes, offsetColon, offsetSeconds, offsetColonSeconds}
