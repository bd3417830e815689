package columnar

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
)

// Kind is the family of a SQL type, by its Spark name.
type Kind uint8

// The kinds, in the order in which Spark's implicit casts widen the numeric ones.
const (
	InvalidKind Kind = iota
	NullKind         // the type of a bare NULL; no column of a table has it
	BooleanKind
	TinyIntKind
	SmallIntKind
	IntKind
	BigIntKind
	DecimalKind
	FloatKind
	DoubleKind
	StringKind
	BinaryKind
	DateKind
	TimestampKind
	TimestampNTZKind
	DayTimeIntervalKind
	YearMonthIntervalKind
	ArrayKind
	MapKind
	StructKind
)

var kindNames = [...]string{"INVALID", "VOID", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "STRING", "BINARY", "DATE", "TIMESTAMP",
	"TIMESTAMP_NTZ", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH", "ARRAY", "MAP", "STRUCT"}

// String returns the SQL name of the kind, as Spark prints it.
func (k Kind) String() string { return kindNames[k] }

// MaxDecimalPrecision is the widest DECIMAL, as in Spark.
const MaxDecimalPrecision = 38

// Type is a SQL type. Types compare with ==.
type Type struct {
	Kind Kind
	// Precision and Scale of a DECIMAL are 1..38 and 0..Precision; of an interval they are
	// its first and its last unit. Otherwise both are 0.
	Precision, Scale uint8
	// shape holds the parts of a nested type, one shape for equal parts.
	shape *shape
}

// The types without parameters.
var (
	Null      = Type{Kind: NullKind}
	Boolean   = Type{Kind: BooleanKind}
	TinyInt   = Type{Kind: TinyIntKind}
	SmallInt  = Type{Kind: SmallIntKind}
	Int       = Type{Kind: IntKind}
	BigInt    = Type{Kind: BigIntKind}
	Float     = Type{Kind: FloatKind}
	Double    = Type{Kind: DoubleKind}
	String    = Type{Kind: StringKind}
	Binary    = Type{Kind: BinaryKind}
	Date      = Type{Kind: DateKind}      // days since 1970-01-01
	Timestamp = Type{Kind: TimestampKind} // microseconds since 1970-01-01 UTC

	TimestampNTZ = Type{Kind: TimestampNTZKind} // microseconds since 1970-01-01, of no zone
)

// Decimal returns DECIMAL(precision, scale); it panics on parameters outside Spark's bounds.
func Decimal(precision, scale int) Type {
	if precision < 1 || precision > MaxDecimalPrecision || scale < 0 || scale > precision {
		panic(fmt.Sprintf("columnar: DECIMAL(%d,%d) is out of bounds", precision, scale))
	}
	return Type{Kind: DecimalKind, Precision: uint8(precision), Scale: uint8(scale)}
}

// String returns the SQL text of the type: "BIGINT", "DECIMAL(12,2)", "ARRAY<STRUCT<a: INT>>".
func (t Type) String() string {
	switch t.Kind {
	case DecimalKind:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case DayTimeIntervalKind, YearMonthIntervalKind:
		return t.intervalText()
	case ArrayKind, MapKind, StructKind:
		return t.shape.text
	}
	return t.Kind.String()
}

// Integral reports whether t is one of TINYINT, SMALLINT, INT and BIGINT.
func (t Type) Integral() bool { return t.Kind >= TinyIntKind && t.Kind <= BigIntKind }

// Numeric reports whether t is integral, DECIMAL, FLOAT or DOUBLE.
func (t Type) Numeric() bool { return t.Kind >= TinyIntKind && t.Kind <= DoubleKind }

// Width is the size of a value in bytes; 0 for BOOLEAN, whose values are bits, and for types without a fixed size.
func (t Type) Width() int {
	switch t.Kind {
	case TinyIntKind:
		return 1
	case SmallIntKind:
		return 2
	case IntKind, FloatKind, DateKind, YearMonthIntervalKind:
		return 4
	case BigIntKind, DoubleKind, TimestampKind, TimestampNTZKind, DayTimeIntervalKind:
		return 8
	case DecimalKind:
		return 16
	}
	return 0
}

var plainArrow = map[Kind]arrow.DataType{
	NullKind:      arrow.Null,
	BooleanKind:   arrow.FixedWidthTypes.Boolean,
	TinyIntKind:   arrow.PrimitiveTypes.Int8,
	SmallIntKind:  arrow.PrimitiveTypes.Int16,
	IntKind:       arrow.PrimitiveTypes.Int32,
	BigIntKind:    arrow.PrimitiveTypes.Int64,
	FloatKind:     arrow.PrimitiveTypes.Float32,
	DoubleKind:    arrow.PrimitiveTypes.Float64,
	StringKind:    arrow.BinaryTypes.String,
	BinaryKind:    arrow.BinaryTypes.Binary,
	DateKind:      arrow.FixedWidthTypes.Date32,
	TimestampKind: arrow.FixedWidthTypes.Timestamp_us,

	TimestampNTZKind:      &arrow.TimestampType{Unit: arrow.Microsecond},
	DayTimeIntervalKind:   arrow.FixedWidthTypes.Duration_us,
	YearMonthIntervalKind: arrow.FixedWidthTypes.MonthInterval,
}

// Arrow returns the memory layout of a column of type t.
func (t Type) Arrow() arrow.DataType {
	if t.Kind == DecimalKind {
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	}
	if t.shape != nil {
		return t.shape.layout
	}
	return plainArrow[t.Kind]
}
