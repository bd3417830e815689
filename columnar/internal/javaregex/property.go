package javaregex

import (
	"strings"
	"unicode"
)

// posixSets are the properties of ASCII.
var posixSets = map[string]*set{
	"ASCII": newSet(0, 127), "Alnum": newSet('0', '9', 'A', 'Z', 'a', 'z'), "Alpha": newSet('A', 'Z', 'a', 'z'),
	"Blank": newSet('\t', '\t', ' ', ' '), "Cntrl": newSet(0, 31, 127, 127), "Digit": digitSet, "Graph": newSet('!', '~'),
	"Lower": newSet('a', 'z'), "Print": newSet(' ', '~'), "Punct": newSet('!', '/', ':', '@', '[', '`', '{', '~'),
	"Space": spaceSet, "Upper": newSet('A', 'Z'), "XDigit": newSet('0', '9', 'A', 'F', 'a', 'f'),
	"L1": newSet(0, 255), "all": anySet,
}

// property reads the name behind \p and returns its characters.
func (p *parser) property() *set {
	name := p.propertyName()
	s := p.propertySet(name)
	if s == nil {
		p.fail("Unknown character property name {%s}", name)
	}
	if p.flags&caseInsensitive != 0 && touchesCase(s) {
		p.refuse(`the property \p{` + name + "} without regard to case")
	}
	return s
}

func (p *parser) propertyName() string {
	c := p.raw()
	if c != '{' {
		if c < 0 {
			p.fail("Unknown character property name")
		}
		return string(c)
	}
	from := p.at
	for c = p.raw(); c != '}'; c = p.raw() {
		if c < 0 {
			p.fail("Unclosed character family")
		}
	}
	if p.at-1 == from {
		p.fail("Empty character family")
	}
	return string(p.text[from : p.at-1])
}

func (p *parser) propertySet(name string) *set {
	if key, value, ok := strings.Cut(name, "="); ok {
		switch strings.ToLower(key) {
		case "sc", "script":
			return scriptSet(value)
		case "gc", "general_category":
			return categorySet(value)
		case "blk", "block":
			p.refuse("a Unicode block")
		}
		return nil
	}
	if s := posixSets[name]; s != nil {
		return s
	}
	rest, is := strings.CutPrefix(name, "Is")
	switch {
	case strings.HasPrefix(name, "In"):
		p.refuse("a Unicode block")
	case strings.HasPrefix(name, "java"):
		p.refuse(`\p{` + name + "}")
	case is:
		for _, find := range []func(string) *set{binarySet, categorySet, scriptSet} {
			if s := find(rest); s != nil {
				return s
			}
		}
		return nil
	}
	return categorySet(name)
}

func categorySet(name string) *set {
	switch name {
	case "Cn":
		return tables(unicode.C, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z).negated()
	case "LC":
		return tables(unicode.Lu, unicode.Ll, unicode.Lt)
	case "LD":
		return tables(unicode.L, unicode.Nd)
	case "C":
		return tables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z).negated()
	}
	if len(name) > 2 {
		return nil
	}
	if t, ok := unicode.Categories[name]; ok {
		return tables(t)
	}
	return nil
}

// scriptSet knows scripts by their long names, in any case.
func scriptSet(name string) *set {
	for known, t := range unicode.Scripts {
		if strings.EqualFold(known, name) {
			return tables(t)
		}
	}
	return nil
}

// binarySet knows the properties that Java takes behind Is.
func binarySet(name string) *set {
	switch strings.ToLower(name) {
	case "alphabetic":
		return tables(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	case "ideographic":
		return tables(unicode.Ideographic)
	case "letter":
		return letterSet
	case "lowercase":
		return tables(unicode.Ll, unicode.Other_Lowercase)
	case "uppercase":
		return tables(unicode.Lu, unicode.Other_Uppercase)
	case "titlecase":
		return tables(unicode.Lt)
	case "white_space", "whitespace":
		return tables(unicode.White_Space)
	case "control":
		return tables(unicode.Cc)
	case "punctuation":
		return tables(unicode.P)
	case "digit":
		return tables(unicode.Nd)
	case "hex_digit", "hexdigit":
		return tables(unicode.Hex_Digit)
	}
	return nil
}

// touchesCase reports whether a set holds some letters of one case without the other.
func touchesCase(s *set) bool {
	for _, list := range folds() {
		for _, r := range list {
			if r < 128 == (list[0] < 128) && s.has(r) != s.has(list[0]) {
				return true
			}
		}
	}
	return false
}
