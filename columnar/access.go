package columnar

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// Int64At returns value i of a BIGINT or TIMESTAMP column.
func Int64At(c Column, i int) int64 {
	if ts, ok := c.(*array.Timestamp); ok {
		return int64(ts.Value(i))
	}
	return c.(*array.Int64).Value(i)
}

// BinaryAt returns value i of a BINARY or STRING column, borrowed and not to be changed.
func BinaryAt(c Column, i int) []byte {
	if s, ok := c.(*array.String); ok {
		text := s.Value(i)
		return unsafe.Slice(unsafe.StringData(text), len(text))
	}
	return c.(*array.Binary).Value(i)
}

// StringAt returns value i of a STRING column.
func StringAt(c Column, i int) string { return c.(*array.String).Value(i) }

// IsString reports whether a column is STRING.
func IsString(c Column) bool { _, ok := c.(*array.String); return ok }

// IntAt returns value i of an INT column.
func IntAt(c Column, i int) int64 { return int64(c.(*array.Int32).Value(i)) }
