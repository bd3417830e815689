package delta

import (
	"encoding/json"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
)

// hunt looks for the files that hold some keys.
type hunt struct {
	set           *group.Set
	keys          *columnar.Schema // of the key columns, in the order of the set
	partitionKeys []string         // those that are partition columns
	known         *knownBounds     // of files that were asked about before
}

func (t *Table) newHunt(s lakehouse.Snapshot, e lakehouse.Erasure) (*hunt, error) {
	keys, err := keysOf(s.Schema, e.Columns)
	if err != nil {
		return nil, err
	}
	for i, t := range e.Keys.Types() {
		if f := keys.Fields[i]; f.Type != t {
			return nil, fmt.Errorf("key column %s is %s, and the keys are %s", f.Name, f.Type, t)
		}
	}
	return &hunt{set: e.Keys, keys: keys, partitionKeys: among(keys, s.PartitionBy), known: t.boundsBy(e.Columns)}, nil
}

// canHold reports whether a file can hold a row with one of the keys. It only ever errs by saying yes.
func (h *hunt) canHold(f lakehouse.DataFile, p *partition.Columns) bool {
	if h.set.Len() == 0 {
		return false
	}
	bounds := h.known.of(f, func() []group.Bounds { return h.boundsOf(f, p) })
	for i, b := range bounds {
		if !h.set.Meets(i, b) {
			return false
		}
	}
	return true
}

// boundsOf is what partition values and statistics say of each leaf of the keys.
func (h *hunt) boundsOf(f lakehouse.DataFile, p *partition.Columns) []group.Bounds {
	st := parseStats(f.Stats)
	out := make([]group.Bounds, 0, len(h.set.Leaves()))
	for _, leaf := range h.set.Leaves() {
		if value, ok := p.Constant(leaf.Column); ok {
			out = append(out, boundsOfOne(leaf.Type, value))
			continue
		}
		out = append(out, st.bounds(leaf.Type, append([]string{h.keys.Fields[leaf.Column].Name}, leaf.Path...)))
	}
	return out
}

// boundsOfOne are those of the same value in all rows; nil is NULL.
func boundsOfOne(t columnar.Type, value any) group.Bounds {
	c := columnar.NewNullColumn(t, 1)
	if value != nil {
		c = parquetfile.Repeat(t, value, 1)
	}
	defer c.Release()
	code := group.Code(c, t)
	return group.Bounds{Low: code, High: code, Nulls: value == nil}
}

// foundStats are the statistics of a file as they stand in the log, to be read value by value.
type foundStats struct {
	NumRecords                      json.RawMessage
	MinValues, MaxValues, NullCount map[string]json.RawMessage
}

// parseStats reads statistics; what cannot be read says nothing.
func parseStats(text string) *foundStats {
	st := new(foundStats)
	if text == "" || json.Unmarshal([]byte(text), st) != nil {
		return new(foundStats)
	}
	return st
}

// bounds are those of a column, or of a field in STRUCTs.
func (st *foundStats) bounds(t columnar.Type, path []string) group.Bounds {
	nulls := string(inObject(st.NullCount, path))
	if nulls != "" && nulls == string(st.NumRecords) {
		return boundsOfOne(t, nil)
	}
	return group.Bounds{Low: boundCode(t, inObject(st.MinValues, path), false), High: boundCode(t, inObject(st.MaxValues, path), true), Nulls: nulls != "0"}
}

// boundCode is the code of a bound, nil if there is none that can be relied on.
func boundCode(t columnar.Type, text json.RawMessage, upper bool) []byte {
	v, ok := readBound(t, text, upper)
	if !ok {
		return nil
	}
	defer v.Release()
	return group.Code(v, t)
}

// inObject is the value at a path of fields, nil if there is none.
func inObject(object map[string]json.RawMessage, path []string) json.RawMessage {
	value := object[path[0]]
	for _, name := range path[1:] {
		var inner map[string]json.RawMessage
		if json.Unmarshal(value, &inner) != nil {
			return nil
		}
		value = inner[name]
	}
	return value
}
