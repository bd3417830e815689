package delta

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/lakewheel/lakewheel/columnar"
)

var typeNames = map[columnar.Kind]string{
	columnar.BooleanKind: "boolean", columnar.TinyIntKind: "byte", columnar.SmallIntKind: "short", columnar.IntKind: "integer",
	columnar.BigIntKind: "long", columnar.FloatKind: "float", columnar.DoubleKind: "double", columnar.StringKind: "string",
	columnar.BinaryKind: "binary", columnar.DateKind: "date", columnar.TimestampKind: "timestamp",
	columnar.TimestampNTZKind: "timestamp_ntz",
}

// typeName is how the schema names a plain type that can be stored.
func typeName(t columnar.Type) string {
	if t.Kind == columnar.DecimalKind {
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	}
	return typeNames[t.Kind]
}

var decimalName = regexp.MustCompile(`^decimal\((\d{1,2}), ?(-?\d{1,2})\)$`)

func typeOf(name string) (columnar.Type, bool) {
	if name == "decimal" { // an old short form
		return columnar.Decimal(10, 0), true
	}
	if m := decimalName.FindStringSubmatch(name); m != nil {
		precision, _ := strconv.Atoi(m[1])
		scale, _ := strconv.Atoi(m[2])
		if precision < 1 || precision > columnar.MaxDecimalPrecision || scale < 0 || scale > precision {
			return columnar.Type{}, false
		}
		return columnar.Decimal(precision, scale), true
	}
	for kind, text := range typeNames {
		if text == name {
			return columnar.Type{Kind: kind}, true
		}
	}
	return columnar.Type{}, false
}
