package exec

import (
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/group"
)

// KeyRows is a key, without the time that says when its rows end, and how many rows of state it has.
type KeyRows struct {
	Key  string // a JSON object
	Rows int64
}

// Biggest finds the keys with most rows of state, the biggest first; none where the time is all there is to the key.
func (op *Operator) Biggest(s State, most int) []KeyRows {
	if len(op.plain) == 0 {
		return nil
	}
	schema := &columnar.Schema{}
	types := make([]columnar.Type, len(op.plain))
	for i, k := range op.plain {
		f := s.Schema().Fields[k]
		f.Name, types[i] = op.keyName(k), f.Type
		schema.Fields = append(schema.Fields, f)
	}
	index := group.NewIndex(types)
	var rows []int64
	var ids []int32
	s.EachKey(func(keys []columnar.Column) {
		ids = index.Add(columnsAt(keys, op.plain), nil, ids)
		rows = append(rows, make([]int64, index.Len()-len(rows))...)
		for _, id := range ids {
			rows[id]++
		}
	})
	top := greatest(rows, most)
	keys := columnar.NewBatch(schema, index.Keys(top), len(top))
	defer keys.Release()
	out := make([]KeyRows, len(top))
	for i, id := range top {
		out[i] = KeyRows{string(columnar.AppendRowJSON(nil, keys, i)), rows[id]}
	}
	return out
}

// greatest are the positions of the greatest numbers, the greatest first.
func greatest(numbers []int64, most int) (top columnar.Selection) {
	for id, n := range numbers {
		at := len(top)
		for at > 0 && numbers[top[at-1]] < n {
			at--
		}
		if at < most {
			top = slices.Insert(top, at, int32(id))
			top = top[:min(len(top), most)]
		}
	}
	return top
}

func columnsAt(cols []columnar.Column, at []int) []columnar.Column {
	out := make([]columnar.Column, len(at))
	for i, k := range at {
		out[i] = cols[k]
	}
	return out
}

// keyName is the expression of a key column.
func (op *Operator) keyName(column int) string {
	return op.Made.Keys[column+len(op.Made.Keys)-op.keys].SQL
}

// keyChunk is how many keys are copied at once.
const keyChunk = 1 << 16

// eachKey copies the keys of an index, some at a time.
func eachKey(index *group.Index, f func(keys []columnar.Column)) {
	all := make(columnar.Selection, index.Len())
	for id := range all {
		all[id] = int32(id)
	}
	for ids := range slices.Chunk(all, keyChunk) {
		keys := index.Keys(ids)
		f(keys)
		releaseAll(keys)
	}
}

// EachKey calls f with the keys of all groups.
func (s *groupState) EachKey(f func(keys []columnar.Column)) {
	for _, sh := range s.shards {
		eachKey(sh.index, f)
	}
}

// EachKey calls f with the key of every session.
func (s *sessionState) EachKey(f func(keys []columnar.Column)) {
	for _, sh := range s.shards {
		for ids := range slices.Chunk(sh.key, keyChunk) {
			keys := sh.index.Keys(ids)
			f(keys)
			releaseAll(keys)
		}
	}
}

// EachKey calls f with all keys.
func (s *dedupState) EachKey(f func(keys []columnar.Column)) {
	for _, sh := range s.shards {
		eachKey(sh.index, f)
	}
}
