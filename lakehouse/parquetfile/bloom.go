package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/bloom/xxhash"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/columnar"
)

// filterBits per distinct value make a split-block filter say maybe to less than one in a hundred values that are not there. Its size is a power
// of two, at least this: some readers (Arrow C++) refuse others.
const filterBits = 10.5

// Filterable reports whether values of a type can be in a Bloom filter: not floating-point numbers, which are equal in other ways than their
// bytes are, and not BOOLEAN, which has too few values.
func Filterable(t columnar.Type) bool {
	switch t.Kind {
	case columnar.FloatKind, columnar.DoubleKind, columnar.BooleanKind:
		return false
	}
	return !t.Nested()
}

// filtered finds the leaves that are to have filters, by their names.
func filtered(leaves []leaf, names []string) ([]bool, error) {
	out := make([]bool, len(leaves))
	for _, name := range names {
		at := filterable(leaves, name)
		if at < 0 {
			return nil, fmt.Errorf("there is no Bloom filter of %s: it is not a plain column of the files of a type that has one", name)
		}
		out[at] = true
	}
	return out, nil
}

// filterable finds a leaf that can have a filter, -1 if there is none of that name.
func filterable(leaves []leaf, name string) int {
	return slices.IndexFunc(leaves, func(l leaf) bool { return l.name == name && !l.inList() && Filterable(l.typ) })
}

// CanFilter reports whether files of a schema can have a Bloom filter of a column or a field of a STRUCT ("a.b").
func CanFilter(s *columnar.Schema, name string) bool { return filterable(leavesOf(s), name) >= 0 }

// inList reports whether a row may have several values of the leaf.
func (l leaf) inList() bool {
	return slices.ContainsFunc(l.steps, func(s step) bool { return s.kind != columnar.StructKind })
}

// appendHashes appends the hashes of n values of a page, as the format defines them: of their PLAIN encoding.
func appendHashes(to []uint64, v encoding.Values, n int) []uint64 {
	from := len(to)
	to = slices.Grow(to, n)[:from+n]
	out := to[from:]
	switch v.Kind() {
	case encoding.Int32:
		for i, x := range v.Int32()[:n] {
			out[i] = xxhash.Sum64Uint32(uint32(x))
		}
	case encoding.Int64:
		for i, x := range v.Int64()[:n] {
			out[i] = xxhash.Sum64Uint64(uint64(x))
		}
	case encoding.ByteArray:
		data, ends := v.ByteArray()
		for i := range out {
			out[i] = xxhash.Sum64(data[ends[i]:ends[i+1]])
		}
	case encoding.FixedLenByteArray:
		data, size := v.FixedLenByteArray()
		for i := range out {
			out[i] = xxhash.Sum64(data[i*size : (i+1)*size])
		}
	}
	return to
}

// distinct estimates how many different hashes there are, by how full a bitmap of four bits a hash becomes.
func distinct(hashes []uint64) float64 {
	size := uint64(1) << bits.Len(uint(max(16, len(hashes)))) << 2
	seen := make([]uint64, size/64)
	for _, h := range hashes {
		seen[h%size/64] |= 1 << (h % 64)
	}
	free := int(size)
	for _, word := range seen {
		free -= bits.OnesCount64(word)
	}
	return -float64(size) * math.Log(float64(free)/float64(size))
}

// filterOf makes the filter of hashes.
func filterOf(hashes []uint64) []byte {
	bytes := max(bloom.BlockSize, 1<<bits.Len(uint(distinct(hashes)*filterBits/8)))
	out := make([]byte, bytes)
	bloom.MakeSplitBlockFilter(out).InsertBulk(hashes)
	return out
}

// filterHeader stands before a filter in a file.
func filterHeader(size int) ([]byte, error) {
	h := format.BloomFilterHeader{NumBytes: int32(size)}
	h.Algorithm.Value, h.Hash.Value, h.Compression.Value = &format.SplitBlockAlgorithm{}, &format.XxHash{}, &format.BloomFilterUncompressed{}
	return thrift.Marshal(new(thrift.CompactProtocol), &h)
}

// filterQueue hands the filters that were made here to the file writer, which asks for a buffer for each column with a filter, row group by row
// group, and copies what the buffer gives behind the row groups. What it puts in, a filter of another size, is dropped.
type filterQueue struct{ next [][]byte }

func (q *filterQueue) GetBuffer() io.ReadWriteSeeker {
	if len(q.next) == 0 {
		return &filterBuffer{err: errNoFilter}
	}
	out := &filterBuffer{}
	header, err := filterHeader(len(q.next[0]))
	out.err = err
	out.parts = []*bytes.Reader{bytes.NewReader(header), bytes.NewReader(q.next[0])}
	q.next = q.next[1:]
	return out
}

func (q *filterQueue) PutBuffer(io.ReadWriteSeeker) {}

var errNoFilter = fmt.Errorf("parquetfile: there are more filters in a file than columns that have one")

// filterBuffer gives a filter that is ready.
type filterBuffer struct {
	parts []*bytes.Reader
	err   error
}

func (b *filterBuffer) Write(p []byte) (int, error)    { return len(p), nil }
func (b *filterBuffer) Seek(int64, int) (int64, error) { return 0, nil }
func (b *filterBuffer) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	for _, r := range b.parts {
		if r.Len() > 0 {
			return r.Read(p)
		}
	}
	return 0, io.EOF
}

// filtersOf asks parquet-go for filters of columns. What it knows of their size does not count: see filterQueue.
func filtersOf(columns [][]string, which []bool) (out []parquet.BloomFilterColumn) {
	for i, path := range columns {
		if which[i] {
			out = append(out, parquet.SplitBlockFilter(1, path...))
		}
	}
	return out
}
