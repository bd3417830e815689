package aggregate

import "github.com/lakewheel/lakewheel/columnar"

// texts are one value of bytes for each group, NULL until it is set, all in one block.
type texts struct {
	typ  columnar.Type
	data []byte
	from []int
	size []int32
	set  []bool
	used int // bytes of data that belong to a group
}

func (t *texts) Resize(n int) {
	t.from, t.size, t.set = resized(t.from, n), resized(t.size, n), resized(t.set, n)
}

func (t *texts) Keep(groups columnar.Selection) {
	t.from, t.size, t.set = kept(t.from, groups), kept(t.size, groups), kept(t.set, groups)
	t.used = 0
	for _, n := range t.size {
		t.used += int(n)
	}
	t.compact()
}

func (t *texts) Bytes() int64 {
	return sizeOf(t.data) + sizeOf(t.from) + sizeOf(t.size) + sizeOf(t.set)
}

// of is the value of a group, borrowed until the next put.
func (t *texts) of(group int32) []byte {
	return t.data[t.from[group]:][:t.size[group]]
}

// put copies the value of a group in.
func (t *texts) put(group int32, value []byte) {
	old := int(t.size[group])
	t.set[group], t.size[group] = true, int32(len(value))
	t.used += len(value) - old
	if len(value) <= old {
		copy(t.data[t.from[group]:], value)
		return
	}
	t.from[group] = len(t.data)
	t.data = append(t.data, value...)
	t.compact()
}

// compact copies what is used when it is less than half of the block.
func (t *texts) compact() {
	if len(t.data) < 2*t.used+4096 {
		return
	}
	data := make([]byte, 0, t.used+t.used/2)
	for g, n := range t.size {
		from := len(data)
		data = append(data, t.data[t.from[g]:][:n]...)
		t.from[g] = from
	}
	t.data = data
}

func (t *texts) column(groups columnar.Selection) columnar.Column {
	b := columnar.BinaryBuffer{}
	each(groups, len(t.set), func(g int32) {
		if t.set[g] {
			b.Append(t.of(g))
		} else {
			b.AppendNull()
		}
	})
	if t.typ == columnar.String {
		return b.FinishString()
	}
	return b.Finish()
}
