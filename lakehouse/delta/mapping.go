package delta

import (
	"encoding/json"
	"fmt"

	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// Column mapping: files and partition values have names for columns that stay when a column is renamed. The schema says them.
const (
	mappingMode  = "delta.columnMapping.mode"
	physicalName = "delta.columnMapping.physicalName"
	fieldID      = "delta.columnMapping.id"
)

// mapped reports whether a table has names of its own in its files.
func mapped(properties map[string]string) bool {
	mode := properties[mappingMode]
	return mode != "" && mode != "none"
}

// mappingOf are the names in the files of a table, nil if they are those of the schema.
func mappingOf(m *metaData) (*parquetfile.Names, error) {
	mode := m.Configuration[mappingMode]
	switch {
	case !mapped(m.Configuration):
		return nil, nil
	case mode != "name" && mode != "id":
		return nil, fmt.Errorf("property %s=%s", mappingMode, mode)
	}
	out, err := namesIn(json.RawMessage(m.SchemaString), mode == "id")
	if err != nil {
		return nil, fmt.Errorf("column mapping: %w", err)
	}
	return out, nil
}

// namesIn are the names below a type, nil below a plain one.
func namesIn(text json.RawMessage, byID bool) (*parquetfile.Names, error) {
	var t struct {
		Fields                          []structField
		ElementType, KeyType, ValueType json.RawMessage
	}
	if len(text) > 0 && text[0] == '"' {
		return &parquetfile.Names{}, nil
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, err
	}
	out := &parquetfile.Names{Parts: map[string]*parquetfile.Names{}}
	for _, f := range t.Fields {
		names, err := namesOf(f, byID)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out.Parts[f.Name] = names
	}
	for name, part := range map[string]json.RawMessage{"element": t.ElementType, "key": t.KeyType, "value": t.ValueType} {
		if part == nil {
			continue
		}
		below, err := namesIn(part, byID)
		if err != nil {
			return nil, err
		}
		out.Parts[name] = below
	}
	return out, nil
}

// namesOf are the names of a field, and below it.
func namesOf(f structField, byID bool) (*parquetfile.Names, error) {
	out, err := namesIn(f.Type, byID)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(f.Metadata[physicalName], &out.Name); err != nil {
		return nil, fmt.Errorf("it has no %s", physicalName)
	}
	if !byID {
		return out, nil
	}
	if err := json.Unmarshal(f.Metadata[fieldID], &out.ID); err != nil || out.ID == 0 {
		return nil, fmt.Errorf("it has no %s", fieldID)
	}
	return out, nil
}

// logicalValues are partition values by the names of the schema.
func logicalValues(values map[string]*string, names *parquetfile.Names) map[string]*string {
	if names == nil {
		return values
	}
	out := make(map[string]*string, len(values))
	for name, n := range names.Parts {
		if v, ok := values[n.Name]; ok {
			out[name] = v
		}
	}
	return out
}
