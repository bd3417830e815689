package parquetfile

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Filters larger than maxFilterBytes are not read: rows that they would deny may be there.
const maxFilterBytes = 8 << 20

// Probe asks the Bloom filters of a file, whoever wrote it, which rows it cannot hold. It is used by one goroutine.
type Probe struct {
	from  store.Reader
	file  *parquet.File
	names *Names
	pager pager
}

// Filtered reports whether the file has filters of a column.
func (p *Probe) Filtered(name string) bool {
	at, ok := p.leaf(name)
	return ok && slices.ContainsFunc(p.file.Metadata().RowGroups, func(g format.RowGroup) bool {
		return g.Columns[at].MetaData.BloomFilterOffset > 0
	})
}

// MayHold returns those rows of keys that the file may hold: with the values of all columns of keys in one row group. It errs only by
// returning more, which it does for NULL, and for columns that the file has no filters of or stores as another type.
func (p *Probe) MayHold(keys *columnar.Batch) (out columnar.Selection, err error) {
	defer recovered(&err)
	hashes := make([]hashedKeys, keys.Schema().Len())
	for i, f := range keys.Schema().Fields {
		if hashes[i], err = p.hash(f, keys.Column(i)); err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	found := make([]bool, keys.Rows())
	for _, g := range p.file.Metadata().RowGroups {
		if err := p.lookUp(g, hashes, found); err != nil {
			return nil, err
		}
	}
	for row, may := range found {
		if may {
			out = append(out, int32(row))
		}
	}
	return out, nil
}

// hashedKeys are the hashes of a column of keys.
type hashedKeys struct {
	leaf   int      // of the file
	hashes []uint64 // of the values that are not NULL; nil if the column cannot be asked for
	rows   []int32  // where they stand
}

// leaf finds a plain column in the file.
func (p *Probe) leaf(name string) (int, bool) {
	at, ok := spot{node: p.file.Schema()}.named(name, p.names.part(name))
	if !ok || !at.node.Leaf() || at.repeated {
		return 0, false
	}
	l, ok := p.file.Schema().Lookup(at.path...)
	return l.ColumnIndex, ok && l.ColumnIndex < p.columns()
}

// columns is how many columns each row group has, as far as the file is sound.
func (p *Probe) columns() int {
	n := len(p.file.Schema().Columns())
	for _, g := range p.file.Metadata().RowGroups {
		n = min(n, len(g.Columns))
	}
	return n
}

// hash hashes values as a file has them that stores the type as this package does. Files that do it in another way are not asked.
func (p *Probe) hash(f columnar.Field, c columnar.Column) (out hashedKeys, err error) {
	at, ok := p.leaf(f.Name)
	if !ok || !Filterable(f.Type) {
		return out, nil
	}
	if !p.sameBytes(f.Type, at) {
		return out, nil
	}
	p.pager.mark(c)
	values, n, err := p.pager.dense(c, f.Type)
	if err != nil {
		return out, err
	}
	out = hashedKeys{leaf: at, hashes: appendHashes([]uint64{}, values, n), rows: slices.Clone(p.pager.present)}
	for row := 0; p.pager.all && row < n; row++ {
		out.rows = append(out.rows, int32(row))
	}
	return out, nil
}

// sameBytes reports whether a leaf of the file has values of the type as the bytes that this package stores.
func (p *Probe) sameBytes(t columnar.Type, leaf int) bool {
	s := p.file.Schema()
	found, _ := s.Lookup(s.Columns()[leaf]...)
	from := found.Node.Type()
	has, err := typeOf(from)
	if err != nil || !readable(t, has, from) {
		return false
	}
	want, err := leafOf(t)
	if err != nil || from.Kind() != want.Type().Kind() || from.Kind() == parquet.FixedLenByteArray && from.Length() != want.Type().Length() {
		return false
	}
	if l := from.LogicalType(); l != nil {
		if at, ok := l.Value.(*format.TimestampType); ok {
			_, micros := at.Unit.Value.(*format.MicroSeconds)
			return micros
		}
	}
	return true
}

// lookUp marks the rows that a row group may hold.
func (p *Probe) lookUp(g format.RowGroup, keys []hashedKeys, found []bool) error {
	may := make([]bool, len(found))
	for row := range may {
		may[row] = true
	}
	for _, k := range keys {
		if len(k.hashes) == 0 {
			continue
		}
		bits, err := p.filter(g.Columns[k.leaf].MetaData)
		if err != nil {
			return err
		}
		if bits == nil {
			continue
		}
		filter := bloom.MakeSplitBlockFilter(bits)
		for i, row := range k.rows {
			may[row] = may[row] && filter.Check(k.hashes[i])
		}
	}
	for row, m := range may {
		found[row] = found[row] || m
	}
	return nil
}

// filterHeaderBytes is more than the header of a filter takes.
const filterHeaderBytes = 64

// filter reads a filter, nil if there is none that can be relied on.
func (p *Probe) filter(m format.ColumnMetaData) ([]byte, error) {
	left := p.from.Size() - m.BloomFilterOffset
	if m.BloomFilterOffset <= 0 || left <= 0 {
		return nil, nil
	}
	text, err := p.read(m.BloomFilterOffset, min(left, maxFilterBytes, int64(max(filterHeaderBytes, m.BloomFilterLength))))
	if err != nil {
		return nil, err
	}
	var h format.BloomFilterHeader
	r := bytes.NewReader(text)
	if thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(&h) != nil || !understood(h) {
		return nil, nil
	}
	start, size := int64(len(text)-r.Len()), int64(h.NumBytes)
	switch {
	case start+size <= int64(len(text)):
		return text[start : start+size], nil
	case size > maxFilterBytes || start+size > left:
		return nil, nil
	}
	return p.read(m.BloomFilterOffset+start, size) // the file does not say how long it is
}

// understood reports whether a filter is of the one kind there is, not compressed.
func understood(h format.BloomFilterHeader) bool {
	_, blocks := h.Algorithm.Value.(*format.SplitBlockAlgorithm)
	_, hash := h.Hash.Value.(*format.XxHash)
	_, plain := h.Compression.Value.(*format.BloomFilterUncompressed)
	return blocks && hash && plain && h.NumBytes >= bloom.BlockSize && h.NumBytes%bloom.BlockSize == 0
}

func (p *Probe) read(at, n int64) ([]byte, error) {
	out := make([]byte, n)
	if read, err := p.from.ReadAt(out, at); int64(read) < n {
		return nil, err
	}
	return out, nil
}
