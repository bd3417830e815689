package delta

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/google/uuid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// maxVectorRows bounds the rows of a file with a deletion vector: a bit for each is held in memory.
const maxVectorRows = 1 << 32

// deletedRows reads the deletion vector of a file with so many rows.
func (t *Table) deletedRows(ctx context.Context, d *deletionVector, rows int64) (rowSet, error) {
	if rows < 0 || rows > maxVectorRows {
		return nil, fmt.Errorf("%w: a file of %d rows with a deletion vector", lakehouse.ErrUnsupported, rows)
	}
	body, err := t.vectorBody(ctx, d)
	if err != nil {
		return nil, err
	}
	out := newRowSet(rows)
	if err := parseVector(body, out); err != nil {
		return nil, err
	}
	if n := out.count(); n != d.Cardinality || rows%64 != 0 && out[len(out)-1]>>(rows%64) != 0 {
		return nil, fmt.Errorf("%w: it has %d rows of %d, and the log says %d", errVector, n, rows, d.Cardinality)
	}
	return out, nil
}

func (t *Table) vectorBody(ctx context.Context, d *deletionVector) ([]byte, error) {
	switch d.StorageType {
	case "i":
		body, err := decodeZ85(d.PathOrInlineDv)
		if err != nil || int(d.SizeInBytes) > len(body) || d.SizeInBytes < 0 {
			return nil, fmt.Errorf("%w: it cannot be decoded", errVector)
		}
		return body[:d.SizeInBytes], nil
	case "u":
		name, err := vectorName(d.PathOrInlineDv)
		if err != nil {
			return nil, err
		}
		return t.vectorFile(ctx, name, d)
	}
	return nil, fmt.Errorf("%w: a deletion vector is stored in a way that is not read (%q)", lakehouse.ErrUnsupported, d.StorageType)
}

// encodedUUID is the length of a UUID in Z85.
const encodedUUID = 20

// vectorName is the file of a vector: an optional folder and a UUID.
func vectorName(path string) (string, error) {
	if len(path) < encodedUUID {
		return "", fmt.Errorf("%w: its path is too short", errVector)
	}
	folder, code := path[:len(path)-encodedUUID], path[len(path)-encodedUUID:]
	raw, err := decodeZ85(code)
	if err != nil {
		return "", err
	}
	id, err := uuid.FromBytes(raw)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errVector, err)
	}
	if folder != "" {
		folder += "/"
	}
	return folder + "deletion_vector_" + id.String() + ".bin", nil
}

// vectorFile reads a vector out of a file of them: its length, its bytes, their checksum.
func (t *Table) vectorFile(ctx context.Context, name string, d *deletionVector) ([]byte, error) {
	f, err := t.objects.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	offset, size := int64(0), int64(d.SizeInBytes)
	if d.Offset != nil {
		offset = int64(*d.Offset)
	}
	if offset < 0 || size < 0 || offset+size+8 > f.Size() {
		return nil, fmt.Errorf("%s: %w: it does not lie in the file", name, errVector)
	}
	return checkedVector(f, name, offset, size)
}

func checkedVector(f store.Reader, name string, offset, size int64) ([]byte, error) {
	body := make([]byte, size+8)
	if n, err := f.ReadAt(body, offset); n < len(body) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n := binary.BigEndian.Uint32(body); int64(n) != size {
		return nil, fmt.Errorf("%s: %w: it has %d bytes, and the log says %d", name, errVector, n, size)
	}
	data := body[4 : 4+size]
	if binary.BigEndian.Uint32(body[4+size:]) != crc32.ChecksumIEEE(data) {
		return nil, fmt.Errorf("%s: %w: its checksum is wrong", name, errVector)
	}
	return data, nil
}

// decodeZ85 reads four bytes of every five characters.
func decodeZ85(text string) ([]byte, error) {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	if len(text)%5 != 0 {
		return nil, fmt.Errorf("%w: %d characters of Z85", errVector, len(text))
	}
	out := make([]byte, 0, len(text)/5*4)
	for i := 0; i < len(text); i += 5 {
		var v uint64
		for _, c := range []byte(text[i : i+5]) {
			digit := strings.IndexByte(alphabet, c)
			if digit < 0 {
				return nil, fmt.Errorf("%w: %q is no character of Z85", errVector, c)
			}
			v = v*85 + uint64(digit)
		}
		if v > 1<<32-1 {
			return nil, fmt.Errorf("%w: %q is too large for Z85", errVector, text[i:i+5])
		}
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out, nil
}

// without drops the rows of a batch, which begins at a row of its file, that are in a set. It takes over the batch.
func (s rowSet) without(b *columnar.Batch, first int64) *columnar.Batch {
	keep := columnar.Selection{}
	for i := range int32(b.Rows()) {
		if !s.has(first + int64(i)) {
			keep = append(keep, i)
		}
	}
	if len(keep) == b.Rows() {
		return b
	}
	defer b.Release()
	return columnar.GatherBatch(b, keep)
}
