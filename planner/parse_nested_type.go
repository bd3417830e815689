package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// arrayType reads <element> after ARRAY.
func (p *parser) arrayType(word token) columnar.Type {
	parts := p.typeArguments(word, 1)
	if p.err != nil {
		return columnar.Type{}
	}
	return columnar.Array(parts[0])
}

// mapType reads <key, value> after MAP.
func (p *parser) mapType(word token) columnar.Type {
	parts := p.typeArguments(word, 2)
	if p.err != nil {
		return columnar.Type{}
	}
	if parts[0].Kind == columnar.MapKind {
		p.fail(word.start, "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "the key of a map cannot be a map", "")
		return columnar.Type{}
	}
	return columnar.Map(parts[0], parts[1])
}

// typeArguments reads so many types between angle brackets.
func (p *parser) typeArguments(word token, count int) []columnar.Type {
	if !p.at("<") {
		p.fail(word.start, "INCOMPLETE_TYPE_DEFINITION", "the type "+strings.ToUpper(word.text)+" needs its parts", "write "+nestedExample[count])
		return nil
	}
	defer p.leave()
	if !p.enter() {
		return nil
	}
	p.next()
	parts := make([]columnar.Type, count)
	for i := range parts {
		if i > 0 {
			p.expect(",")
		}
		parts[i] = p.typeName().typ
	}
	p.closeAngle()
	return parts
}

var nestedExample = map[int]string{0: "STRUCT<name: TYPE, ...>", 1: "ARRAY<TYPE>", 2: "MAP<STRING, TYPE>"}

// structType reads <name: type, ...> after STRUCT; the list may be empty.
func (p *parser) structType(word token) columnar.Type {
	if p.accept("<>") {
		return columnar.Struct()
	}
	if !p.at("<") {
		p.typeArguments(word, 0)
		return columnar.Type{}
	}
	defer p.leave()
	if !p.enter() {
		return columnar.Type{}
	}
	p.next()
	s, seen := &columnar.Schema{}, map[string]bool{}
	for more := !p.atAngle(); more && p.err == nil; more = p.accept(",") {
		p.field(s, seen)
	}
	p.closeAngle()
	for _, f := range s.Fields {
		if p.source && !f.Nullable && p.err == nil {
			p.fail(word.start, "", "NOT NULL of the field "+f.Name+" within a STRUCT is not kept", "leave it out; filter in the query: WHERE s."+f.Name+" IS NOT NULL")
		}
	}
	if p.err != nil {
		return columnar.Type{}
	}
	return columnar.Struct(s.Fields...)
}

func (p *parser) atAngle() bool {
	t := p.peek()
	return t.kind == symbolToken && strings.HasPrefix(t.text, ">")
}

// closeAngle takes one >, also the first one of >> and >>>.
func (p *parser) closeAngle() {
	t := p.peek()
	if !p.atAngle() {
		p.unexpected("a comma or >")
		return
	}
	if len(t.text) == 1 {
		p.next()
		return
	}
	p.tokens[p.pos] = token{kind: symbolToken, text: t.text[1:], start: t.start + 1, end: t.end}
}

var dayTimeUnits = map[string]uint8{"DAY": columnar.DayUnit, "HOUR": columnar.HourUnit, "MINUTE": columnar.MinuteUnit, "SECOND": columnar.SecondUnit}

var yearMonthUnits = map[string]uint8{"YEAR": columnar.YearUnit, "MONTH": columnar.MonthUnit}

// intervalType reads the units after INTERVAL: DAY TO SECOND, YEAR, ...
func (p *parser) intervalType(word token) columnar.Type {
	first := strings.ToUpper(p.anyWord().text)
	last := first
	if p.accept("TO") {
		last = strings.ToUpper(p.anyWord().text)
	}
	for _, family := range []struct {
		units map[string]uint8
		make  func(first, last uint8) columnar.Type
	}{{dayTimeUnits, columnar.DayTimeInterval}, {yearMonthUnits, columnar.YearMonthInterval}} {
		from, ok := family.units[first]
		until, also := family.units[last]
		if ok && also && from <= until {
			return family.make(from, until)
		}
	}
	p.fail(word.start, "PARSE_SYNTAX_ERROR", fmt.Sprintf("INTERVAL %s TO %s is no type", first, last), "write INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH, or a part of one")
	return columnar.Type{}
}
