package planner

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// ParseSchema reads Spark DDL: "event_id STRING, ts TIMESTAMP NOT NULL, amount
// DECIMAL(12,2)". A fault is returned as an *Error with its place in the text.
func ParseSchema(ddl string) (*columnar.Schema, error) {
	p, err := newParser(ddl)
	if err != nil {
		return nil, err
	}
	p.keywords, p.source = []string{"NOT", "NULL", "COMMENT"}, true
	s := p.schema()
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

// ParseType reads one type: "ARRAY<STRUCT<a: INT>>". A fault is returned as an *Error.
func ParseType(ddl string) (columnar.Type, error) {
	p, err := newParser(ddl)
	if err != nil {
		return columnar.Type{}, err
	}
	t := p.typeName().typ
	if p.peek().kind != endToken {
		p.unexpected("the end of the type")
	}
	if p.err != nil {
		return columnar.Type{}, p.err
	}
	return t, nil
}

func (p *parser) schema() *columnar.Schema {
	s, seen := &columnar.Schema{}, map[string]bool{}
	if p.peek().kind == endToken {
		p.fail(0, "", "the schema is empty", "write: name TYPE, name TYPE, ...")
	}
	for more := true; more && p.err == nil; more = p.accept(",") {
		p.field(s, seen)
	}
	if p.peek().kind != endToken {
		p.unexpected("a comma or the end of the schema")
	}
	return s
}

// field reads one column; any word is a name here, also a keyword.
func (p *parser) field(s *columnar.Schema, seen map[string]bool) {
	if !p.isWordAhead(0) {
		p.unexpected("a column name")
		return
	}
	name := p.anyWord()
	p.accept(":")
	f := columnar.Field{Name: name.text, Type: p.typeName().typ, Nullable: !p.accept("NOT", "NULL")}
	if p.accept("COMMENT") && p.next().kind != stringToken {
		p.pos--
		p.unexpected("a string after COMMENT")
	}
	if t := p.peek(); t.is("DEFAULT") || t.is("GENERATED") {
		p.fail(t.start, "", t.text+" is not supported in a source's schema", "compute the value in the query")
	}
	if seen[foldName(name.text)] && p.err == nil {
		p.fail(name.start, "COLUMN_ALREADY_EXISTS", fmt.Sprintf("the column %s is declared twice", name.text), "names compare without regard to case")
	}
	seen[foldName(name.text)] = true
	s.Fields = append(s.Fields, f)
}

// foldName maps names that are equal without regard to case to one text.
func foldName(name string) string { return strings.ToLower(strings.ToUpper(name)) }
