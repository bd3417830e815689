package delta

import (
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// EncodeSchema is the schema as the JSON of Spark's StructType, which other formats keep, too. A type that no table can hold is an error.
func EncodeSchema(s *columnar.Schema) (string, error) { return encodeSchema(s) }

// DecodeSchema reads the JSON of a StructType. What has no counterpart here is an error.
func DecodeSchema(text string) (*columnar.Schema, error) {
	s, problems := decodeSchema(text)
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(problems, "; "))
	}
	return s, nil
}
