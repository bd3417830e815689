package delta

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// ground is what a change of the metadata builds on; both are nil if there is no table, and are not to be changed.
type ground struct {
	protocol *protocol
	meta     *metaData
	stamp    int64 // the inCommitTimestamp of the base, if the table has them
}

// groundAt is the ground of a version.
func (t *Table) groundAt(ctx context.Context, version int64) (ground, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, version); err != nil {
		return ground{}, err
	}
	g := ground{protocol: t.known.protocol, meta: t.known.meta, stamp: t.known.stamp}
	if !g.stamped() || g.stamp != 0 {
		return g, nil
	}
	var err error
	g.stamp, err = t.readStamp(ctx, version) // a checkpoint does not say it
	return g, err
}

// metaActions are the protocol and the metadata that a change makes. A new table gets both. An empty one that is made again, and
// one whose schema gets columns or whose layout changes, get a protocol only if it must know more features: a protocol never goes down again.
func (g ground) metaActions(c lakehouse.Change) ([]action, error) {
	var (
		m      *metaData
		schema = c.Schema
		err    error
	)
	switch {
	case c.Create != nil:
		m, err = createdMeta(c)
		schema = c.Create.Schema
	case c.Schema != nil:
		m, err = evolvedMeta(g.meta, c.Schema)
	}
	if err != nil {
		return nil, err
	}
	if m = relaid(m, g.meta, c.Layout); m == nil {
		return nil, nil
	}
	p := g.protocol
	if p == nil {
		p = &protocol{MinReaderVersion: 1, MinWriterVersion: 2}
	}
	if schema != nil && hasNTZ(schema.Fields) {
		p = p.withNTZ(g.protocol == nil)
	}
	if asksStamps(m.Configuration) {
		p = p.withWriterFeature(stampFeature, g.protocol == nil)
	}
	if err := unusable(p, m); err != nil {
		return nil, err
	}
	if p == g.protocol {
		return []action{{MetaData: m}}, nil
	}
	return []action{{Protocol: p}, {MetaData: m}}, nil
}

func createdMeta(c lakehouse.Change) (*metaData, error) {
	for key := range c.Create.Properties {
		if strings.HasPrefix(key, "delta.feature.") || key == "delta.minReaderVersion" || key == "delta.minWriterVersion" {
			return nil, fmt.Errorf("property %s belongs to the protocol, which follows from the other properties and the schema", key)
		}
	}
	schema, err := encodeSchema(c.Create.Schema)
	if err != nil {
		return nil, err
	}
	m := &metaData{ID: c.Create.ID, Format: format{Provider: "parquet", Options: map[string]string{}}, SchemaString: schema,
		PartitionColumns: append([]string{}, c.Create.PartitionBy...), CreatedTime: &c.Time, Configuration: nonNil(c.Create.Properties)}
	if c.Create.Name != "" {
		m.Name = &c.Create.Name
	}
	return m, nil
}

// evolvedMeta is the metadata with columns added to its schema, nil if none is. What is known of the others stays as it is, to the letter.
func evolvedMeta(m *metaData, schema *columnar.Schema) (*metaData, error) {
	if err := parquetfile.Storable(schema); err != nil {
		return nil, err
	}
	text, err := addFields(json.RawMessage(m.SchemaString), schema.Fields)
	if err != nil || string(text) == m.SchemaString {
		return nil, err
	}
	out := *m
	out.SchemaString = string(text)
	out.Configuration, err = withAdded(m, schema)
	return &out, err
}

// addedProperty holds the names of the columns that were added, as JSON: rows of before have NULL in them.
const addedProperty = "lakewheel.addedColumns"

// withAdded are the properties with the names of the columns that a schema has more.
func withAdded(m *metaData, schema *columnar.Schema) (map[string]string, error) {
	var had structType
	if err := json.Unmarshal([]byte(m.SchemaString), &had); err != nil {
		return nil, err
	}
	if len(schema.Fields) == len(had.Fields) {
		return m.Configuration, nil
	}
	added := addedIn(m.Configuration)
	for _, f := range schema.Fields[len(had.Fields):] {
		added = append(added, f.Name)
	}
	text, err := json.Marshal(added)
	out := maps.Clone(nonNil(m.Configuration))
	out[addedProperty] = string(text)
	return out, err
}

// addedIn are the columns that properties name; none if somebody else wrote something that cannot be read.
func addedIn(properties map[string]string) (names []string) {
	if json.Unmarshal([]byte(properties[addedProperty]), &names) != nil {
		return nil
	}
	return names
}

// addFields adds the fields that a STRUCT lacks, in it and in what is nested in it.
func addFields(text json.RawMessage, fields []columnar.Field) (json.RawMessage, error) {
	var st structType
	if err := json.Unmarshal(text, &st); err != nil {
		return nil, err
	}
	changed := len(fields) > len(st.Fields)
	for i, f := range fields {
		if i >= len(st.Fields) {
			break
		}
		t, err := addNested(st.Fields[i].Type, f.Type)
		if err != nil {
			return nil, err
		}
		changed = changed || string(t) != string(st.Fields[i].Type)
		st.Fields[i].Type = t
	}
	if !changed {
		return text, nil
	}
	added, err := encodeFields(fields[len(st.Fields):])
	if err != nil {
		return nil, err
	}
	st.Fields = append(st.Fields, added...)
	return json.Marshal(st)
}

func addNested(text json.RawMessage, t columnar.Type) (json.RawMessage, error) {
	if !t.Nested() {
		return text, nil
	}
	if t.Kind == columnar.StructKind {
		return addFields(text, t.Parts())
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	changed := false
	for i, key := range partKeys[t.Kind] {
		part, err := addNested(whole[key], t.Parts()[i].Type)
		if err != nil {
			return nil, err
		}
		changed = changed || string(part) != string(whole[key])
		whole[key] = part
	}
	if !changed {
		return text, nil
	}
	return json.Marshal(whole)
}

// partKeys are where the schema has the parts of a nested type.
var partKeys = map[columnar.Kind][]string{columnar.ArrayKind: {"elementType"}, columnar.MapKind: {"keyType", "valueType"}}
