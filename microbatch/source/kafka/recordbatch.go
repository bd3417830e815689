package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// errCorrupt: the bytes of a fetch are not what the protocol says.
var errCorrupt = errors.New("corrupt record batch")

// maxBatchBytes bounds what one record batch may decompress to.
const maxBatchBytes = 1 << 30

// headerBytes is the size of a v2 batch header, up to the records.
const headerBytes = 61

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the part of a v2 record batch that matters here.
type header struct {
	base, last    int64 // offsets of the first and of the last record
	epoch         int32
	attributes    int16
	firstTime     int64 // milliseconds
	maxTime       int64
	producer      int64
	records       int32
	body          []byte // compressed records
	transactional bool
	control       bool
}

// walker goes through the record batches of one fetched partition in order, record by record and without
// allocating for any. It leaves out control batches and, under read_committed, aborted ones, and knows
// the offset to ask for next, which lies beyond what it left out.
type walker struct {
	rest    []byte
	next    int64 // the offset to ask for next
	epoch   int32 // leader epoch of the newest batch, -1 if none
	aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction
	open    map[int64]bool // producers with an aborted transaction around the current offset
	unpack  kgo.Decompressor

	h       header
	records []byte // of the current batch, decompressed
	at      int    // where the next one begins
	left    int32
}

// record is one record; its slices live until the next batch.
type record struct {
	offset, millis int64
	key, value     []byte // nil: null
}

func newWalker(p *kmsg.FetchResponseTopicPartition, from int64, readCommitted bool, unpack kgo.Decompressor) *walker {
	w := &walker{rest: p.RecordBatches, next: from, epoch: -1, unpack: unpack}
	if readCommitted && len(p.AbortedTransactions) > 0 {
		w.aborted = slices.Clone(p.AbortedTransactions)
		slices.SortFunc(w.aborted, func(a, b kmsg.FetchResponseTopicPartitionAbortedTransaction) int {
			return int(min(1, max(-1, a.FirstOffset-b.FirstOffset)))
		})
		w.open = map[int64]bool{}
	}
	return w
}

// nextBatch moves to the next batch with visible records. False: the fetch holds no more whole batch.
func (w *walker) nextBatch() (bool, error) {
	for {
		h, size, err := parseHeader(w.rest)
		if size == 0 || err != nil {
			return false, err
		}
		w.rest = w.rest[size:]
		if h.last < w.next {
			continue // before the offset that was asked for
		}
		w.epoch = max(w.epoch, h.epoch)
		if w.hidden(h) {
			w.next = h.last + 1
			continue
		}
		if err := w.unpackBatch(h); err != nil {
			return false, err
		}
		return true, nil
	}
}

// hidden reports whether a batch holds nothing for readers, and follows aborted transactions.
func (w *walker) hidden(h header) bool {
	for len(w.aborted) > 0 && w.aborted[0].FirstOffset <= h.last {
		w.open[w.aborted[0].ProducerID] = true
		w.aborted = w.aborted[1:]
	}
	if h.control {
		delete(w.open, h.producer) // either marker ends the producer's transaction
		return true
	}
	return h.records == 0 || h.transactional && w.open[h.producer]
}

func (w *walker) unpackBatch(h header) error {
	w.h, w.left, w.records, w.at = h, h.records, h.body, 0
	codec := kgo.CompressionCodecType(h.attributes & 7)
	if codec == kgo.CodecNone {
		return nil
	}
	out, err := w.unpack.Decompress(h.body, codec)
	if err != nil {
		return fmt.Errorf("%w at offset %d: %w", errCorrupt, h.base, err)
	}
	if len(out) > maxBatchBytes {
		return fmt.Errorf("%w at offset %d: it unpacks to %d bytes, more than %d", errCorrupt, h.base, len(out), maxBatchBytes)
	}
	w.records = out
	return nil
}

// read returns the next record at or after the wanted offset, false at the end of the batch.
func (w *walker) read(r *record) (bool, error) {
	for w.left > 0 {
		w.left--
		if err := w.parseRecord(r); err != nil {
			return false, err
		}
		if r.offset >= w.next {
			w.next = r.offset + 1
			return true, nil
		}
	}
	w.next = max(w.next, w.h.last+1)
	return false, nil
}

func (w *walker) parseRecord(r *record) error {
	c := cursor{b: w.records, at: w.at}
	size := c.varint()
	if c.bad || size < 0 || size > int64(len(w.records)-c.at) {
		return fmt.Errorf("%w at offset %d: a record is longer than its batch", errCorrupt, w.h.base)
	}
	if size == 0 {
		return fmt.Errorf("%w at offset %d: an empty record", errCorrupt, w.h.base)
	}
	w.at = c.at + int(size)
	c.b = c.b[:w.at]
	c.at++ // attributes, all unused
	millis, delta := c.varint(), c.varint()
	r.key, r.value = c.bytes(), c.bytes()
	if c.bad || delta < 0 || delta > w.h.last-w.h.base {
		return fmt.Errorf("%w at offset %d: a record does not parse", errCorrupt, w.h.base)
	}
	r.offset, r.millis = w.h.base+delta, w.h.firstTime+millis
	if w.h.attributes&8 != 0 { // LogAppendTime
		r.millis = w.h.maxTime
	}
	return nil
}

// cursor reads the fields of a record.
type cursor struct {
	b   []byte
	at  int
	bad bool
}

// varint has a way of its own for what fits two bytes: nearly all of them do.
func (c *cursor) varint() int64 {
	if c.at+2 > len(c.b) {
		return c.longVarint()
	}
	low, high := c.b[c.at], c.b[c.at+1]
	v := uint64(low)
	switch {
	case low < 0x80:
		c.at++
	case high < 0x80:
		v = v&0x7f | uint64(high)<<7
		c.at += 2
	default:
		return c.longVarint()
	}
	return int64(v>>1) ^ -int64(v&1)
}

func (c *cursor) longVarint() int64 {
	v, n := binary.Varint(c.b[c.at:])
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.at += n
	return v
}

// bytes reads a length and that many bytes; -1 is null.
func (c *cursor) bytes() []byte {
	n := c.varint()
	if n < 0 || c.bad {
		c.bad = c.bad || n < -1
		return nil
	}
	if n > int64(len(c.b)-c.at) {
		c.bad = true
		return nil
	}
	from := c.at
	c.at += int(n)
	return c.b[from:c.at:c.at]
}

// parseHeader reads the header of the batch at the front of b and checks its checksum. Size 0: no whole batch is left,
// as brokers cut the last one of a fetch anywhere.
func parseHeader(b []byte) (header, int, error) {
	if len(b) < headerBytes {
		return header{}, 0, nil
	}
	length := int64(int32(binary.BigEndian.Uint32(b[8:]))) + 12
	if length > int64(len(b)) {
		return header{}, 0, nil
	}
	base := int64(binary.BigEndian.Uint64(b))
	if length < headerBytes || b[16] != 2 {
		return header{}, 0, fmt.Errorf("%w at offset %d: format %d and %d bytes (formats before Kafka 0.11 are not supported)", errCorrupt, base, b[16], length)
	}
	b = b[:length]
	if got, want := crc32.Checksum(b[21:], castagnoli), binary.BigEndian.Uint32(b[17:]); got != want {
		return header{}, 0, fmt.Errorf("%w at offset %d: checksum %08x, not %08x", errCorrupt, base, got, want)
	}
	h := header{
		base: base, epoch: int32(binary.BigEndian.Uint32(b[12:])), attributes: int16(binary.BigEndian.Uint16(b[21:])),
		firstTime: int64(binary.BigEndian.Uint64(b[27:])), maxTime: int64(binary.BigEndian.Uint64(b[35:])),
		producer: int64(binary.BigEndian.Uint64(b[43:])), records: int32(binary.BigEndian.Uint32(b[57:])), body: b[headerBytes:],
	}
	h.last = base + int64(int32(binary.BigEndian.Uint32(b[23:])))
	h.transactional, h.control = h.attributes&16 != 0, h.attributes&32 != 0
	if h.base < 0 || h.last < h.base || h.last == math.MaxInt64 || h.records < 0 {
		return header{}, 0, fmt.Errorf("%w at offset %d: last offset %d, %d records", errCorrupt, base, h.last, h.records)
	}
	return h, int(length), nil
}

// pending is at most how many records are left, as far as headers tell.
func (w *walker) pending() int64 {
	n := int64(w.left)
	for b := w.rest; len(b) >= headerBytes; {
		length := int64(int32(binary.BigEndian.Uint32(b[8:]))) + 12
		if length < headerBytes || length > int64(len(b)) {
			break
		}
		n += max(0, int64(int32(binary.BigEndian.Uint32(b[57:]))))
		b = b[length:]
	}
	return n
}

// peekNext is the offset after the whole batches in b, from headers alone: the next fetch can be sent
// before this one is decoded.
func peekNext(b []byte, at int64) int64 {
	for len(b) >= headerBytes && b[16] == 2 {
		length := int64(int32(binary.BigEndian.Uint32(b[8:]))) + 12
		if length < headerBytes || length > int64(len(b)) {
			break
		}
		at = max(at, int64(binary.BigEndian.Uint64(b))+int64(int32(binary.BigEndian.Uint32(b[23:])))+1)
		b = b[length:]
	}
	return at
}
