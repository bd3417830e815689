package partition

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/columnar"
)

// Check refuses what cannot be partition columns of a schema.
func Check(schema *columnar.Schema, by []string) error {
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

// Text is a value as Delta's log and the names of folders spell it, nil for NULL. An empty text is NULL, as in Spark.
func Text(c columnar.Column, t columnar.Type, row int) (*string, error) {
	if c.IsNull(row) {
		return nil, nil
	}
	if t.Kind == columnar.StringKind {
		text := strings.Clone(columnar.StringAt(c, row))
		switch {
		case text == "":
			return nil, nil
		case len(text) > maxText:
			return nil, fmt.Errorf("a value of %d bytes cannot be a partition", len(text))
		}
		return &text, nil
	}
	text := strings.Trim(string(columnar.AppendValueJSON(nil, c, row)), `"`)
	if t.Kind == columnar.TimestampNTZKind {
		text = strings.Replace(text, "T", " ", 1)
	}
	if _, err := Value(t, text); err != nil { // a year that has not four digits
		return nil, fmt.Errorf("%s %s cannot be a partition", t, text)
	}
	return &text, nil
}

// Null stands for NULL in the name of a folder.
const Null = "__HIVE_DEFAULT_PARTITION__"

// maxFolder is how long the name of a folder may be; file systems stop at 255 bytes.
const maxFolder = 200

// Folder is the folder of a partition, "day=2024-01-02/k=a%2Fb", as Hive and Spark name it, where a log has the values: the name is for people, and one that is too long
// is cut.
func Folder(by []string, values map[string]*string) string {
	parts := folderNames(by, values)
	for i, long := range parts {
		if len(long) > maxFolder {
			parts[i] = fmt.Sprintf("%s~%016x", strings.ToValidUTF8(long[:maxFolder], ""), xxh3.HashString(long))
		}
	}
	return strings.Join(parts, "/")
}

// ExactFolder is the folder of a partition where readers take the values from its name. One that is too long is an error.
func ExactFolder(by []string, values map[string]*string) (string, error) {
	parts := folderNames(by, values)
	for i, long := range parts {
		if len(long) > maxFolder {
			return "", fmt.Errorf("a value of partition column %s makes a folder name of %d bytes, and readers take it from there, so it cannot be longer than %d: partition by a part of it, or use a Delta table", by[i], len(long), maxFolder)
		}
	}
	return strings.Join(parts, "/"), nil
}

func folderNames(by []string, values map[string]*string) []string {
	parts := make([]string, len(by))
	for i, name := range by {
		text := Null
		if v := values[name]; v != nil {
			text = escapeFolder(*v)
		}
		parts[i] = escapeFolder(name) + "=" + text
	}
	return parts
}

// ParseFolder reads the name of one folder, "k=a%2Fb". A nil value is NULL; false: it is none of a partition.
func ParseFolder(name string) (column string, value *string, ok bool) {
	left, right, ok := strings.Cut(name, "=")
	column, err := url.PathUnescape(left)
	if !ok || err != nil || column == "" {
		return "", nil, false
	}
	if right == Null {
		return column, nil, true
	}
	text, err := url.PathUnescape(right)
	if err != nil {
		text = right // as Hive does
	}
	return column, &text, true
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
