package delta

import (
	"encoding/json"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// hunt looks for the files that hold some keys.
type hunt struct {
	set           *group.Set
	keys          *columnar.Schema // of the key columns, in the order of the set
	partitionKeys []string         // those that are partition columns
}

func newHunt(s lakehouse.Snapshot, e lakehouse.Erasure) (*hunt, error) {
	keys, err := keysOf(s.Schema, e.Columns)
	if err != nil {
		return nil, err
	}
	for i, t := range e.Keys.Types() {
		if f := keys.Fields[i]; f.Type != t {
			return nil, fmt.Errorf("key column %s is %s, and the keys are %s", f.Name, f.Type, t)
		}
	}
	return &hunt{set: e.Keys, keys: keys, partitionKeys: among(keys, s.PartitionBy)}, nil
}

// canHold reports whether a file can hold a row with one of the keys. It only ever errs by saying yes.
func (h *hunt) canHold(f lakehouse.DataFile, p *partition) bool {
	if h.set.Len() == 0 {
		return false
	}
	var stats *foundStats
	for i, leaf := range h.set.Leaves() {
		if p.from[leaf.Column] < 0 {
			if !h.meetsOne(i, leaf, p.values[leaf.Column]) {
				return false
			}
			continue
		}
		if stats == nil {
			stats = parseStats(f.Stats)
		}
		if !h.meetsStats(i, leaf, stats) {
			return false
		}
	}
	return true
}

// meetsOne asks about a leaf that has the same value in all rows; nil is NULL.
func (h *hunt) meetsOne(i int, leaf group.Leaf, value any) bool {
	if value == nil {
		null := columnar.NewNullColumn(leaf.Type, 1)
		defer null.Release()
		return h.set.Meets(i, group.Bounds{Low: null, High: null, Nulls: true})
	}
	v := parquetfile.Repeat(leaf.Type, value, 1)
	defer v.Release()
	return h.set.Meets(i, group.Bounds{Low: v, High: v})
}

func (h *hunt) meetsStats(i int, leaf group.Leaf, st *foundStats) bool {
	path := append([]string{h.keys.Fields[leaf.Column].Name}, leaf.Path...)
	nulls := string(inObject(st.NullCount, path))
	if nulls != "" && nulls == string(st.NumRecords) {
		return h.meetsOne(i, leaf, nil)
	}
	b := group.Bounds{Nulls: nulls != "0"}
	if low, ok := readBound(leaf.Type, inObject(st.MinValues, path), false); ok {
		defer low.Release()
		b.Low = low
	}
	if high, ok := readBound(leaf.Type, inObject(st.MaxValues, path), true); ok {
		defer high.Release()
		b.High = high
	}
	return h.set.Meets(i, b)
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
