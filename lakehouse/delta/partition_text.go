package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/columnar"
)

// checkPartition refuses what cannot be partition columns of a schema.
func checkPartition(schema *columnar.Schema, by []string) error {
	for i, name := range by {
		at := slices.IndexFunc(schema.Fields, func(f columnar.Field) bool { return f.Name == name })
		switch {
		case at < 0:
			return fmt.Errorf("partition column %s: the table has no such column: it has %s", name, names(schema))
		case slices.Contains(by[:i], name):
			return fmt.Errorf("partition column %s is named twice", name)
		case schema.Fields[at].Type.Nested() || schema.Fields[at].Type.Kind == columnar.BinaryKind:
			return fmt.Errorf("partition column %s is %s, which no partition can have", name, schema.Fields[at].Type)
		}
	}
	if len(by) > 0 && len(by) == schema.Len() {
		return fmt.Errorf("all columns are partition columns: nothing is left for the files")
	}
	return nil
}

func names(s *columnar.Schema) string {
	out := make([]string, s.Len())
	for i, f := range s.Fields {
		out[i] = f.Name
	}
	return strings.Join(out, ", ")
}

// partitionText is a value as the log spells it, nil for NULL. An empty text is NULL there, as in Spark.
func partitionText(c columnar.Column, t columnar.Type, row int) (*string, error) {
	if c.IsNull(row) {
		return nil, nil
	}
	if t.Kind == columnar.StringKind {
		text := strings.Clone(columnar.StringAt(c, row))
		switch {
		case text == "":
			return nil, nil
		case len(text) > maxPartitionText:
			return nil, fmt.Errorf("a value of %d bytes cannot be a partition", len(text))
		}
		return &text, nil
	}
	text := strings.Trim(string(columnar.AppendValueJSON(nil, c, row)), `"`)
	if t.Kind == columnar.TimestampNTZKind {
		text = strings.Replace(text, "T", " ", 1)
	}
	if _, err := partitionValue(t, text); err != nil { // a year that has not four digits
		return nil, fmt.Errorf("%s %s cannot be a partition", t, text)
	}
	return &text, nil
}

// nullPartition stands for NULL in the name of a folder.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// maxFolder is how long the name of a folder may be; file systems stop at 255 bytes.
const maxFolder = 200

// partitionFolder is the folder of a partition, "day=2024-01-02/k=a%2Fb", as Hive and Spark name it. It is for people: readers take
// the values from the log. So a name that is too long may be cut.
func partitionFolder(by []string, values map[string]*string) string {
	parts := make([]string, len(by))
	for i, name := range by {
		text := nullPartition
		if v := values[name]; v != nil {
			text = escapeFolder(*v)
		}
		parts[i] = escapeFolder(name) + "=" + text
		if long := parts[i]; len(long) > maxFolder {
			parts[i] = fmt.Sprintf("%s~%016x", strings.ToValidUTF8(long[:maxFolder], ""), xxh3.HashString(long))
		}
	}
	return strings.Join(parts, "/")
}

// escapeFolder writes as %XX what has a meaning in paths and patterns.
func escapeFolder(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == 0x7f || strings.IndexByte("\"#%'*/:=?\\{[]^", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
