package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// testBatch is a record batch to be.
type testBatch struct {
	base       int64
	last       int64 // offset of the last record; 0: of the last value
	values     [][]byte
	deltas     []int64 // offset deltas of the values; nil: 0, 1, 2...
	codec      kgo.CompressionCodec
	kind       kgo.CompressionCodecType
	attributes int16
	producer   int64
	epoch      int32
	headers    int
	key        []byte // nil: every second record has one
}

const (
	logAppendTime = 8
	transactional = 16
	controlBatch  = 32
)

func rows(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = fmt.Appendf(nil, `{"row":%d}`, i)
	}
	return out
}

// A marker is the control batch that ends a transaction.
func marker(base, producer int64, kind byte) testBatch {
	return testBatch{base: base, producer: producer, attributes: transactional | controlBatch, values: [][]byte{{0, 0, 0, 0, 0, 0}}, key: []byte{0, 0, 0, kind}}
}

func abortMarker(base, producer int64) testBatch { return marker(base, producer, 0) }

func commitMarker(base, producer int64) testBatch { return marker(base, producer, 1) }

func (t testBatch) bytes() []byte {
	b := kmsg.NewRecordBatch()
	b.FirstOffset, b.PartitionLeaderEpoch, b.Magic, b.ProducerID, b.NumRecords = t.base, t.epoch, 2, t.producer, int32(len(t.values))
	b.Attributes = t.attributes | int16(t.kind)
	b.FirstTimestamp, b.MaxTimestamp = 1000, 9000
	for i, v := range t.values {
		b.Records = t.appendRecord(b.Records, i, v)
	}
	b.LastOffsetDelta = int32(max(t.last, t.base+t.delta(len(t.values)-1)) - t.base)
	if t.kind != kgo.CodecNone {
		b.Records = compressed(t.codec, b.Records)
	}
	b.Length = int32(49 + len(b.Records))
	out := b.AppendTo(nil)
	return checksummed(out)
}

func compressed(codec kgo.CompressionCodec, records []byte) []byte {
	c, err := kgo.DefaultCompressor(codec)
	if err != nil {
		panic(err)
	}
	out, _ := c.Compress(new(bytes.Buffer), records)
	return append([]byte(nil), out...)
}

func checksummed(b []byte) []byte {
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

func (t testBatch) delta(i int) int64 {
	switch {
	case i < 0:
		return 0
	case t.deltas != nil:
		return t.deltas[i]
	}
	return int64(i)
}

func (t testBatch) appendRecord(to []byte, i int, value []byte) []byte {
	r := kmsg.NewRecord()
	r.TimestampDelta64, r.OffsetDelta, r.Value = int64(i)*7, int32(t.delta(i)), value
	if r.Key = t.key; r.Key == nil && i%2 == 1 {
		r.Key = []byte("key")
	}
	for range t.headers {
		r.Headers = append(r.Headers, kmsg.Header{Key: "h", Value: []byte("v")})
	}
	body := r.AppendTo(nil)[1:] // without the length of zero
	to = binary.AppendVarint(to, int64(len(body)))
	return append(to, body...)
}

func join(batches ...testBatch) []byte {
	var out []byte
	for _, b := range batches {
		out = append(out, b.bytes()...)
	}
	return out
}

type aborted = kmsg.FetchResponseTopicPartitionAbortedTransaction

func fetched(batches []byte, txns ...aborted) *kmsg.FetchResponseTopicPartition {
	p := kmsg.NewFetchResponseTopicPartition()
	p.RecordBatches, p.AbortedTransactions = batches, txns
	p.HighWatermark, p.LastStableOffset = 1<<40, 1<<40
	return &p
}

// row is a record as both readers see it.
type row struct {
	Offset, Millis int64
	Key, Value     []byte
}

func walk(p *kmsg.FetchResponseTopicPartition, from int64, readCommitted bool) (out []row, next int64, err error) {
	w := newWalker(p, from, readCommitted, kgo.DefaultDecompressor())
	for {
		more, err := w.nextBatch()
		if !more || err != nil {
			return out, w.next, err
		}
		var r record
		for {
			more, err := w.read(&r)
			if err != nil {
				return out, w.next, err
			}
			if !more {
				break
			}
			out = append(out, row{r.offset, r.millis, clone(r.key), clone(r.value)})
		}
	}
}

func clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}

// reference reads the same with the client library.
func reference(p *kmsg.FetchResponseTopicPartition, from int64, readCommitted bool) (out []row, next int64, err error) {
	level := kgo.ReadUncommitted()
	if readCommitted {
		level = kgo.ReadCommitted()
	}
	fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Offset: from, IsolationLevel: level, Topic: "t"}, p, kgo.DefaultDecompressor(), nil)
	for _, r := range fp.Records {
		out = append(out, row{r.Offset, r.Timestamp.UnixMilli(), r.Key, r.Value})
	}
	return out, next, fp.Err
}

// Every case is read from every offset in it, under both isolation levels.
func TestWalkerReadsWhatTheClientLibraryReads(t *testing.T) {
	tx := int16(transactional)
	for _, c := range []struct {
		name string
		in   []byte
		txns []aborted
		end  int64
	}{
		{"nothing", nil, nil, 2},
		{"plain", join(testBatch{base: 0, values: rows(5)}, testBatch{base: 5, values: rows(3)}), nil, 9},
		{"gzip", join(testBatch{values: rows(50), codec: kgo.GzipCompression(), kind: kgo.CodecGzip}), nil, 52},
		{"snappy", join(testBatch{values: rows(50), codec: kgo.SnappyCompression(), kind: kgo.CodecSnappy}), nil, 52},
		{"lz4", join(testBatch{values: rows(50), codec: kgo.Lz4Compression(), kind: kgo.CodecLz4}), nil, 52},
		{"zstd", join(testBatch{values: rows(50), codec: kgo.ZstdCompression(), kind: kgo.CodecZstd}), nil, 52},
		{"headers", join(testBatch{values: rows(4), headers: 3}), nil, 5},
		{"null and empty values", join(testBatch{values: [][]byte{nil, {}, nil, []byte("x")}}), nil, 5},
		{"log append time", join(testBatch{values: rows(4), attributes: logAppendTime}), nil, 5},
		{"compacted inside", join(testBatch{base: 3, values: rows(3), deltas: []int64{1, 4, 8}, last: 14}), nil, 16},
		{"compacted to nothing", join(testBatch{base: 0, last: 9}, testBatch{base: 20, values: rows(2)}), nil, 23},
		{"gap between batches", join(testBatch{base: 0, values: rows(2)}, testBatch{base: 9, values: rows(2)}), nil, 12},
		{"cut last batch", join(testBatch{base: 0, values: rows(4)}, testBatch{base: 4, values: rows(4)})[:150], nil, 9},
		{"committed", join(testBatch{values: rows(3), attributes: tx, producer: 7}, commitMarker(3, 7), testBatch{base: 4, values: rows(2)}), nil, 7},
		{"aborted", join(testBatch{values: rows(3), attributes: tx, producer: 7}, abortMarker(3, 7), testBatch{base: 4, values: rows(2)}), []aborted{{ProducerID: 7, FirstOffset: 0}}, 7},
		{"aborted tail", join(testBatch{values: rows(3)}, testBatch{base: 3, values: rows(3), attributes: tx, producer: 7}, abortMarker(6, 7)), []aborted{{ProducerID: 7, FirstOffset: 3}}, 8},
		{
			"aborted, then committed by the same producer",
			join(testBatch{values: rows(2), attributes: tx, producer: 7}, abortMarker(2, 7), testBatch{base: 3, values: rows(2), attributes: tx, producer: 7}, commitMarker(5, 7)),
			[]aborted{{ProducerID: 7, FirstOffset: 0}}, 7,
		},
		{
			"interleaved producers, listed out of order",
			join(testBatch{values: rows(2), attributes: tx, producer: 7}, testBatch{base: 2, values: rows(2), attributes: tx, producer: 8}, testBatch{base: 4, values: rows(1)},
				abortMarker(5, 7), testBatch{base: 6, values: rows(1), attributes: tx, producer: 7}, abortMarker(7, 7), abortMarker(8, 8)),
			[]aborted{{ProducerID: 7, FirstOffset: 6}, {ProducerID: 8, FirstOffset: 2}, {ProducerID: 7, FirstOffset: 0}}, 10,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for from := range c.end {
				for _, committed := range []bool{false, true} {
					want, wantNext, err := reference(fetched(c.in, c.txns...), from, committed)
					require.NoError(t, err)
					got, next, err := walk(fetched(c.in, c.txns...), from, committed)
					require.NoError(t, err)
					require.Equal(t, want, got, "from %d, read_committed %v", from, committed)
					require.Equal(t, wantNext, next, "from %d, read_committed %v", from, committed)
				}
			}
		})
	}
}

func TestWalkerKnowsTheLeaderEpochOfHiddenBatches(t *testing.T) {
	in := join(testBatch{values: rows(2), epoch: 4}, testBatch{base: 2, last: 5, epoch: 6})
	w := newWalker(fetched(in), 0, true, kgo.DefaultDecompressor())
	for more := true; more; {
		var err error
		more, err = w.nextBatch()
		require.NoError(t, err)
	}
	require.EqualValues(t, 6, w.epoch)
	require.EqualValues(t, 6, w.next)
}

func TestWalkerRefusesCorruptBytes(t *testing.T) {
	good := func() []byte { return join(testBatch{base: 3, values: rows(4)}) }
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
	}{
		{"checksum", func(b []byte) []byte { b[70] ^= 1; return b }},
		{"format", func(b []byte) []byte { b[16] = 1; return b }},
		{"length below a header", func(b []byte) []byte { binary.BigEndian.PutUint32(b[8:], 3); return b }},
		{"negative length", func(b []byte) []byte { binary.BigEndian.PutUint32(b[8:], 1<<31); return b }},
		{"negative offset", func(b []byte) []byte { binary.BigEndian.PutUint64(b, 1<<63); return b }},
		{"last offset before the first", func(b []byte) []byte { binary.BigEndian.PutUint32(b[23:], 1<<31); return checksummed(b) }},
		{"more records than bytes", func(b []byte) []byte { binary.BigEndian.PutUint32(b[57:], 1000); return checksummed(b) }},
		{"record beyond the last offset", func(b []byte) []byte { binary.BigEndian.PutUint32(b[23:], 1); return checksummed(b) }},
		{"record longer than the batch", func(b []byte) []byte { b[61] = 0x7e; return checksummed(b) }},
		{"empty record", func(b []byte) []byte { b[61] = 0; return checksummed(b) }},
		{"not what the codec says", func(b []byte) []byte { b[22] |= 4; return checksummed(b) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := walk(fetched(c.change(good())), 0, true)
			require.ErrorIs(t, err, errCorrupt)
		})
	}
}

// The bytes get a right checksum, or hardly any would pass it.
func FuzzWalker(f *testing.F) {
	f.Add(join(testBatch{values: rows(3)}), int64(1), int64(7))
	f.Add(join(testBatch{values: rows(9), codec: kgo.ZstdCompression(), kind: kgo.CodecZstd}), int64(0), int64(7))
	f.Add(join(testBatch{values: rows(3), attributes: transactional, producer: 7}, abortMarker(3, 7)), int64(0), int64(7))
	f.Add(join(testBatch{base: 0, last: 9}, testBatch{base: 20, values: rows(2), deltas: []int64{0, 4}}), int64(2), int64(7))
	f.Fuzz(func(t *testing.T, in []byte, from, producer int64) {
		if from < 0 {
			return
		}
		fixChecksums(in)
		out, next, err := walk(fetched(in, aborted{ProducerID: producer, FirstOffset: 0}), from, true)
		if err != nil && !errors.Is(err, errCorrupt) {
			t.Fatalf("not a corrupt batch: %v", err)
		}
		last := from - 1
		for _, r := range out {
			if r.Offset <= last {
				t.Fatalf("offset %d after %d", r.Offset, last)
			}
			last = r.Offset
		}
		if next <= last {
			t.Fatalf("next %d after offset %d", next, last)
		}
		if err == nil && next != peekNext(in, from) {
			t.Fatalf("next %d, but the headers say %d", next, peekNext(in, from))
		}
	})
}

func fixChecksums(b []byte) {
	for len(b) >= headerBytes {
		length := int64(int32(binary.BigEndian.Uint32(b[8:]))) + 12
		if length < headerBytes || length > int64(len(b)) {
			return
		}
		checksummed(b[:length])
		b = b[length:]
	}
}

func FuzzPeekNext(f *testing.F) {
	f.Add(join(testBatch{base: 4, values: rows(3)}), int64(1))
	f.Add(join(testBatch{base: 0, last: 9})[:40], int64(0))
	f.Fuzz(func(t *testing.T, in []byte, at int64) {
		if next := peekNext(in, at); next < at {
			t.Fatalf("from %d back to %d", at, next)
		}
	})
}

func BenchmarkWalker(b *testing.B) {
	value := make([]byte, 200)
	values := make([][]byte, 1000)
	for i := range values {
		values[i] = value
	}
	for _, c := range []struct {
		name  string
		codec kgo.CompressionCodec
		kind  kgo.CompressionCodecType
	}{{"none", kgo.NoCompression(), kgo.CodecNone}, {"lz4", kgo.Lz4Compression(), kgo.CodecLz4}, {"zstd", kgo.ZstdCompression(), kgo.CodecZstd}} {
		b.Run(c.name, func(b *testing.B) {
			var in []byte
			for i := range int64(20) {
				in = append(in, testBatch{base: i * 1000, values: values, codec: c.codec, kind: c.kind}.bytes()...)
			}
			unpack := kgo.DefaultDecompressor()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				w := newWalker(fetched(in), 0, true, unpack)
				var r record
				for more, _ := w.nextBatch(); more; more, _ = w.nextBatch() {
					for more, _ := w.read(&r); more; more, _ = w.read(&r) {
						n++
					}
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
