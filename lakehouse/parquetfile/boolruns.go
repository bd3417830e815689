package parquetfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// booleanRuns are the pages of a BOOLEAN leaf of which some may have runs (RLE), as pages of version 2 do. parquet-go takes the one bit of a run for eight,
// and a run that ends within a byte for one that ends with it. So the values of these pages are decoded here, and all else of a page is its.
type booleanRuns struct {
	parquet.Pages
	headers  *thrift.Decoder
	in       *bufio.Reader
	size     int64 // of the chunk
	codec    format.CompressionCodec
	repeated bool // the pages have repetition levels
	optional bool // and definition levels
}

// mayHaveRuns reports whether pages of a chunk are booleans as runs. The list of encodings has those of levels, too, which always are runs.
func mayHaveRuns(m *format.ColumnMetaData) bool {
	if m.Type != format.Boolean || !slices.Contains(m.Encoding, format.RLE) {
		return false
	}
	if len(m.EncodingStats) == 0 {
		return true
	}
	for _, s := range m.EncodingStats {
		if s.Encoding == format.RLE && s.PageType != format.DictionaryPage {
			return true
		}
	}
	return false
}

func newBooleanRuns(from store.Reader, m *format.ColumnMetaData, pages parquet.Pages, leaf parquet.LeafColumn) *booleanRuns {
	start := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		start = m.DictionaryPageOffset
	}
	in := bufio.NewReader(io.NewSectionReader(from, start, m.TotalCompressedSize))
	return &booleanRuns{Pages: pages, headers: thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(in)), in: in, size: m.TotalCompressedSize,
		codec: m.Codec, repeated: leaf.MaxRepetitionLevel > 0, optional: leaf.MaxDefinitionLevel > 0}
}

// ReadPage reads the next page.
func (b *booleanRuns) ReadPage() (parquet.Page, error) {
	p, err := b.Pages.ReadPage()
	if err != nil {
		return nil, err
	}
	runs, err := b.next()
	if err != nil || runs == nil {
		return p, err
	}
	bits, err := decodeRuns(runs, int(p.NumValues()-p.NumNulls()))
	return &booleanPage{p, bits}, err
}

// booleanPage is a page with other values.
type booleanPage struct {
	parquet.Page
	bits []byte
}

func (p *booleanPage) Data() encoding.Values { return encoding.BooleanValues(p.bits) }

// next reads the values of the next data page as they are encoded; nil: not by runs.
func (b *booleanRuns) next() ([]byte, error) {
	for {
		var h format.PageHeader
		if err := b.headers.Decode(&h); err != nil {
			return nil, err
		}
		if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > b.size {
			return nil, fmt.Errorf("a page of %d bytes in a chunk of %d", h.CompressedPageSize, b.size)
		}
		body := make([]byte, h.CompressedPageSize)
		if _, err := io.ReadFull(b.in, body); err != nil {
			return nil, err
		}
		switch {
		case h.Type == format.DataPage && h.DataPageHeader.V.Encoding == format.RLE:
			return b.valuesOfV1(body)
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2.V.Encoding == format.RLE:
			return b.valuesOfV2(body, &h.DataPageHeaderV2.V)
		case h.Type == format.DataPage || h.Type == format.DataPageV2:
			return nil, nil
		}
	}
}

// valuesOfV1 are behind the levels, each kind with its length before it. All is compressed together.
func (b *booleanRuns) valuesOfV1(body []byte) (rest []byte, err error) {
	if rest, err = b.unpack(body); err != nil {
		return nil, err
	}
	for _, has := range []bool{b.repeated, b.optional} {
		if !has {
			continue
		}
		if _, rest, err = prefixed(rest); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// valuesOfV2 are behind the levels, whose lengths are in the header, and compressed alone.
func (b *booleanRuns) valuesOfV2(body []byte, h *format.DataPageHeaderV2) ([]byte, error) {
	levels := int64(h.RepetitionLevelsByteLength) + int64(h.DefinitionLevelsByteLength)
	if levels < 0 || levels > int64(len(body)) {
		return nil, errors.New("the levels of a page are longer than the page")
	}
	body = body[levels:]
	if h.IsCompressed.Valid && !h.IsCompressed.V || len(body) == 0 {
		return body, nil
	}
	return b.unpack(body)
}

func (b *booleanRuns) unpack(body []byte) ([]byte, error) {
	if b.codec == format.Uncompressed {
		return body, nil
	}
	return parquet.LookupCompressionCodec(b.codec).Decode(nil, body)
}

// prefixed cuts what has its length, in four bytes, before it.
func prefixed(in []byte) (first, rest []byte, err error) {
	if len(in) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := binary.LittleEndian.Uint32(in)
	if in = in[4:]; int64(n) > int64(len(in)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return in[:n], in[n:], nil
}

// decodeRuns decodes n values of one bit, which have their length in bytes before them: runs of one value, and runs of eight bits in a byte.
func decodeRuns(in []byte, n int) ([]byte, error) {
	out := make([]byte, bitutil.BytesForBits(int64(n)))
	if n == 0 {
		return out, nil
	}
	in, _, err := prefixed(in)
	for at := 0; err == nil && at < n; {
		head, size := binary.Uvarint(in)
		if size <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		if in = in[size:]; head>>1 == 0 {
			continue // an empty run has no value
		}
		bytes, count := uint64(1), head>>1
		if head&1 == 1 {
			bytes, count = head>>1, min(head>>1, uint64(n))*8
		}
		if bytes > uint64(len(in)) {
			return nil, io.ErrUnexpectedEOF
		}
		values := int(min(count, uint64(n-at)))
		if head&1 == 0 {
			bitutil.SetBitsTo(out, int64(at), int64(values), in[0]&1 == 1)
		} else {
			bitutil.CopyBitmap(in, 0, values, out, at)
		}
		in, at = in[bytes:], at+values
	}
	return out, err
}
