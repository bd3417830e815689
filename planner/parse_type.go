package planner

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// typeName is a type as written.
type typeName struct {
	span
	typ columnar.Type
}

var typesByName = map[string]columnar.Type{
	"boolean": columnar.Boolean,
	"tinyint": columnar.TinyInt, "byte": columnar.TinyInt,
	"smallint": columnar.SmallInt, "short": columnar.SmallInt,
	"int": columnar.Int, "integer": columnar.Int,
	"bigint": columnar.BigInt, "long": columnar.BigInt,
	"float": columnar.Float, "real": columnar.Float,
	"double": columnar.Double,
	"string": columnar.String, "binary": columnar.Binary,
	"date": columnar.Date, "timestamp": columnar.Timestamp, "timestamp_ltz": columnar.Timestamp,
	"timestamp_ntz": columnar.TimestampNTZ, "void": columnar.Null,
}

// typeNames are offered for a type that looks like a slip.
var typeNames = []string{"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "ARRAY", "MAP", "STRUCT", "INTERVAL"}

// foreignTypes are names of other systems, Spark's name beside them.
var foreignTypes = map[string]string{
	"text": "STRING", "varchar": "STRING", "char": "STRING", "character": "STRING", "nvarchar": "STRING", "uuid": "STRING", "json": "STRING",
	"bool": "BOOLEAN", "int1": "TINYINT", "int8": "BIGINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT", "uint64": "DECIMAL(20,0)",
	"float32": "FLOAT", "float64": "DOUBLE", "number": "DECIMAL", "bytes": "BINARY", "bytea": "BINARY", "blob": "BINARY",
	"datetime": "TIMESTAMP", "timestamptz": "TIMESTAMP",
	"row": "STRUCT<...>", "object": "STRUCT<...> or MAP<STRING, ...>", "list": "ARRAY<...>", "variant": "STRING",
}

// typeReaders read what follows the name of a type that has parameters.
var typeReaders map[string]func(p *parser, word token) columnar.Type

func init() {
	typeReaders = map[string]func(*parser, token) columnar.Type{
		"decimal": (*parser).decimal, "dec": (*parser).decimal, "numeric": (*parser).decimal,
		"array": (*parser).arrayType, "map": (*parser).mapType, "struct": (*parser).structType,
		"interval": (*parser).intervalType,
	}
}

// typeName reads a type.
func (p *parser) typeName() typeName {
	t := p.peek()
	if t.kind != wordToken {
		p.unexpected("a type name")
		return typeName{}
	}
	p.next()
	lower := strings.ToLower(t.text)
	if read, ok := typeReaders[lower]; ok {
		typ := read(p, t)
		return typeName{p.from(t.start), typ}
	}
	if lower == "double" {
		p.accept("PRECISION")
	}
	typ, ok := typesByName[lower]
	if !ok {
		p.unknownType(t, lower)
	}
	return typeName{p.from(t.start), typ}
}

func (p *parser) unknownType(t token, lower string) {
	switch {
	case foreignTypes[lower] != "":
		p.fail(t.start, "UNSUPPORTED_DATATYPE", "the type "+strings.ToUpper(t.text)+" is not supported", "write "+foreignTypes[lower])
	default:
		hint := didYouMean(closest(t.text, typeNames))
		if hint == "" {
			hint = "the types are " + strings.Join(typeNames, ", ")
		}
		p.fail(t.start, "UNSUPPORTED_DATATYPE", "unknown type "+t.text, hint)
	}
}

// decimal reads (precision, scale) after DECIMAL; without it, it is DECIMAL(10,0).
func (p *parser) decimal(word token) columnar.Type {
	precision, scale := 10, 0
	if p.accept("(") {
		precision = p.count("a precision")
		if p.accept(",") {
			scale = p.count("a scale")
		}
		p.expect(")")
	}
	if p.err != nil {
		return columnar.Type{}
	}
	if precision < 1 || precision > columnar.MaxDecimalPrecision || scale > precision {
		p.fail(word.start, "", fmt.Sprintf("DECIMAL(%d,%d) is out of bounds", precision, scale),
			fmt.Sprintf("the precision is 1 to %d, the scale 0 to the precision", columnar.MaxDecimalPrecision))
		return columnar.Type{}
	}
	return columnar.Decimal(precision, scale)
}

// count reads a small whole number.
func (p *parser) count(wanted string) int {
	t := p.peek()
	n, err := strconv.ParseUint(t.text, 10, 31)
	if t.kind != numberToken || err != nil {
		p.unexpected(wanted)
		return 0
	}
	p.next()
	return int(n)
}
