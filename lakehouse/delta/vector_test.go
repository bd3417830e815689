package delta

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// vectorOf makes the bytes of a deletion vector of numbers, in order: byte, u16, u32 and u64 for themselves.
func vectorOf(parts ...any) []byte {
	var b bytes.Buffer
	for _, p := range append([]any{uint32(vectorMagic)}, parts...) {
		_ = binary.Write(&b, binary.LittleEndian, p)
	}
	return b.Bytes()
}

func numbers(s rowSet) (out []int64) {
	for i := range int64(len(s)) * 64 {
		if s.has(i) {
			out = append(out, i)
		}
	}
	return out
}

func TestParseVector(t *testing.T) {
	bits := make([]byte, bitmapBytes)
	bits[1], bits[16] = 0x81, 1
	for name, c := range map[string]struct {
		body []byte
		want []int64
		err  string
	}{
		"none":             {vectorOf(uint64(0)), nil, ""},
		"array":            {vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(1), uint16(0), uint16(2), uint32(0), uint16(3), uint16(9), uint16(70)), []int64{3, 9, 70}, ""},
		"runs":             {vectorOf(uint64(1), uint32(0), uint32(runsCookie), byte(1), uint16(0), uint16(4), uint16(2), uint16(62), uint16(3), uint16(100), uint16(0)), []int64{62, 63, 64, 65, 100}, ""},
		"bitmap":           {vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(1), uint16(0), uint16(5000), uint32(0), bits), []int64{8, 15, 128}, ""},
		"second container": {vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(2), uint16(0), uint16(0), uint16(1), uint16(0), uint64(0), uint16(5), uint16(6)), []int64{5, 1<<16 + 6}, ""},
		"no such rows":     {vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(1), uint16(9), uint16(0), uint32(0), uint16(0)), nil, "names rows that the file does not have"},
		"no such word":     {vectorOf(uint64(1), uint32(1), uint32(noRunsCookie), uint32(1), uint16(0), uint16(0), uint32(0), uint16(0)), nil, "names rows that the file does not have"},
		"bitmap outside":   {vectorOf(uint64(1), uint32(1), uint32(noRunsCookie), uint32(1), uint16(0), uint16(5000), uint32(0), bits), nil, "names rows that the file does not have"},
		"short":            {vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(1), uint16(0), uint16(2), uint32(0), uint16(3)), nil, "too short"},
		"many containers":  {vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(1<<31)), nil, "containers"},
		"many bitmaps":     {vectorOf(uint64(1 << 63)), nil, "is not known"},
		"magic":            {[]byte{1, 2, 3, 4}, nil, "format 67305985 is not known"},
		"empty":            {nil, nil, "format 0 is not known"},
		"cookie":           {vectorOf(uint64(1), uint32(0), uint32(7)), nil, "cookie 7 is not known"},
	} {
		s := newRowSet(70_000)
		err := parseVector(c.body, s)
		if c.err != "" {
			require.ErrorIs(t, err, errVector, name)
			require.ErrorContains(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, numbers(s), name)
		require.EqualValues(t, len(c.want), s.count(), name)
	}
}

// A vector in the log itself, as other writers put small ones there.
func TestInlineVector(t *testing.T) {
	tab := open(store.NewMem())
	d := &deletionVector{StorageType: "i", PathOrInlineDv: "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", SizeInBytes: 44, Cardinality: 6}
	s, err := tab.deletedRows(t.Context(), d, 30)
	require.NoError(t, err)
	require.Equal(t, []int64{3, 4, 7, 11, 18, 29}, numbers(s))
	_, err = tab.deletedRows(t.Context(), d, 29)
	require.ErrorIs(t, err, errVector, "row 29 is not in the file")
	d.Cardinality = 7
	_, err = tab.deletedRows(t.Context(), d, 30)
	require.ErrorContains(t, err, "and the log says 7")
	_, err = tab.deletedRows(t.Context(), &deletionVector{StorageType: "p", PathOrInlineDv: "file:/x"}, 30)
	require.ErrorIs(t, err, lakehouse.ErrUnsupported)
}

// A file of vectors that is not what the log says is an error.
func TestDamagedVectorFiles(t *testing.T) {
	body := slices.Concat([]byte{1, 0, 0, 0, 2, 7, 8}, []byte{0, 0, 0, 0})
	objects := store.NewMem()
	require.NoError(t, objects.Put(t.Context(), "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin", body))
	tab := open(objects)
	for want, d := range map[string]deletionVector{
		"its checksum is wrong":                     {Offset: ptr(int32(1)), SizeInBytes: 2},
		"it has 2 bytes, and the log says 1":        {Offset: ptr(int32(1)), SizeInBytes: 1},
		"it does not lie in the file":               {Offset: ptr(int32(1)), SizeInBytes: 1 << 30},
		"deletion vector is damaged: it does not l": {Offset: ptr(int32(-1)), SizeInBytes: 2},
	} {
		d.StorageType, d.PathOrInlineDv = "u", "ab^-aqEH.-t@S}K{vb[*k^"
		_, err := tab.deletedRows(t.Context(), &d, 30)
		require.ErrorContains(t, err, want)
	}
}

func TestZ85(t *testing.T) {
	got, err := decodeZ85("HelloWorld")
	require.NoError(t, err)
	require.Equal(t, []byte{0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b}, got)
	for _, bad := range []string{"Hello World", "abc", "#####", "~~~~~"} {
		_, err := decodeZ85(bad)
		require.ErrorIs(t, err, errVector, bad)
	}
}

func FuzzVector(f *testing.F) {
	f.Add(vectorOf(uint64(1), uint32(0), uint32(runsCookie), byte(1), uint16(0), uint16(4), uint16(2), uint16(62), uint16(3), uint16(100), uint16(0)))
	f.Add(vectorOf(uint64(1), uint32(0), uint32(noRunsCookie), uint32(2), uint16(0), uint16(0), uint16(1), uint16(0), uint64(0), uint16(5), uint16(6)))
	f.Fuzz(func(_ *testing.T, body []byte) { _ = parseVector(body, newRowSet(1000)) })
}
