package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/source"
)

// Text reads lines: one document each.
type Text struct {
	Options decode.CSVOptions
	// Header are the names that the first line of each file has to give; nil: it is a record as any other.
	Header []string
	// Multiline: a value in quotes may hold line breaks, so that files are not read from the middle.
	Multiline bool
	// Large is held by the reader that has a large line; of all readers of a source one can have one. nil: each can.
	Large chan struct{}
}

// The suffixes of compressed files.
const (
	gzipSuffix = ".gz"
	zstdSuffix = ".zst"
)

func compressed(name string) bool {
	suffix := path.Ext(name)
	return suffix == gzipSuffix || suffix == zstdSuffix
}

// Divisible is true for text that is neither compressed nor has records of several lines.
func (t Text) Divisible(name string) bool { return !t.Multiline && !compressed(name) }

// SmallestTask is some milliseconds of decoding.
func (Text) SmallestTask() int64 { return 4 << 20 }

// Bounds of a raw batch.
const (
	batchRows  = 16 << 10
	batchBytes = 4 << 20
)

// Open reads the lines that begin at bytes [from, until).
func (t Text) Open(in store.Reader, e *Entry, from, until int64) (Rows, error) {
	r := &textRows{file: in, modified: e.Modified * 1000, until: until, gate: t.Large, ctx: context.Background()}
	if !t.Divisible(e.Name) {
		if from > 0 {
			r.until = 0
			return r, nil
		}
		r.until = 1<<63 - 1
	}
	back := min(from, 1) // a line begins behind a line break
	body, err := r.open(io.NewSectionReader(in, from-back, e.Size-from+back), e.Name)
	if err != nil {
		return nil, err
	}
	r.lines = lines{in: body, at: from - back, large: r.hold}
	if t.Multiline {
		r.lines.quote = t.quote()
	}
	return r, t.begin(r, from)
}

// sampleBytes of text are looked at.
const sampleBytes = 256 << 10

// Sample counts the first lines.
func (t Text) Sample(ctx context.Context, in store.Reader, e *Entry) (Sample, error) {
	seen := &counted{Reader: in}
	rows, err := t.Open(seen, e, 0, min(e.Size, sampleBytes))
	if err != nil {
		return Sample{}, errors.Join(err, in.Close())
	}
	defer rows.Close()
	b, err := rows.Next(ctx)
	if err != nil {
		return Sample{}, noEnd(err)
	}
	defer b.Release()
	out := Sample{Rows: int64(b.Rows()), Unpacked: b.Bytes(), Bytes: rows.(*textRows).lines.at}
	if compressed(e.Name) { // what was read of it is unpacked to the end of the batch, or a little beyond
		out.Bytes = seen.bytes
	}
	return out, nil
}

// counted counts what is read of a file.
type counted struct {
	store.Reader
	bytes int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.bytes += int64(n)
	return n, err
}

func (t Text) quote() byte {
	if t.Options.Quote == 0 {
		return '"'
	}
	return t.Options.Quote
}

// begin goes to the first line of the part.
func (t Text) begin(r *textRows, from int64) error {
	if from > 0 {
		_, _, err := r.lines.next()
		return noEnd(err)
	}
	if t.Header == nil {
		return nil
	}
	line, _, err := r.lines.next()
	if err != nil {
		return noEnd(err)
	}
	return t.checkHeader(bytes.TrimPrefix(line, byteOrderMark))
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// checkHeader refuses a file whose columns are not those of the schema: values are told by their place.
func (t Text) checkHeader(line []byte) error {
	names, err := decode.SplitCSV(line, t.Options)
	if err != nil {
		return fmt.Errorf("row 1, the header: %w", err)
	}
	if len(names) != len(t.Header) {
		return fmt.Errorf("row 1, the header, names %d columns, %q, and the schema has %d: correct the schema or the file", len(names), line, len(t.Header))
	}
	for i, name := range names {
		if string(bytes.TrimSpace(name)) != t.Header[i] {
			return fmt.Errorf("row 1, the header, calls column %d %q, and the schema calls it %s: correct the schema or the file", i+1, name, t.Header[i])
		}
	}
	return nil
}

// textRows yields lines.
type textRows struct {
	file     store.Reader
	close    func()
	lines    lines
	until    int64
	modified int64
	gate     chan struct{} // for large lines; nil: there is none
	held     bool
	ctx      context.Context // of the running Next; before the first, one without an end
}

// open unpacks a file by its suffix.
func (r *textRows) open(in io.Reader, name string) (io.Reader, error) {
	switch path.Ext(name) {
	case gzipSuffix:
		return gzip.NewReader(in)
	case zstdSuffix:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err == nil {
			r.close = z.Close
		}
		return z, err
	}
	return in, nil
}

func (*textRows) Columns() bool { return false }

// Next returns the next lines, without those that are empty.
func (r *textRows) Next(ctx context.Context) (*columnar.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.ctx = ctx
	r.letGo()
	var values columnar.BinaryBuffer
	var at []int64
	for len(at) < batchRows && values.Bytes() < batchBytes && r.lines.at < r.until {
		line, begin, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if begin == 0 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if len(line) > 0 {
			values.Append(line)
			at = append(at, begin)
		}
	}
	if len(at) == 0 {
		return nil, io.EOF
	}
	times := make([]int64, len(at))
	for i := range times {
		times[i] = r.modified
	}
	return columnar.NewBatch(source.RawSchema(false), []columnar.Column{values.Finish(), columnar.NewInt64Column(at, nil), columnar.NewTimestampColumn(times, nil)}, len(at)), nil
}

// hold waits until no other reader has a large line.
func (r *textRows) hold() error {
	if r.held || r.gate == nil {
		return nil
	}
	select {
	case r.gate <- struct{}{}:
		r.held = true
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// letGo ends a large line: the batch with it was worked on.
func (r *textRows) letGo() {
	if !r.held {
		return
	}
	r.held = false
	r.lines.shrink()
	<-r.gate
}

// Close closes the file.
func (r *textRows) Close() error {
	r.letGo()
	if r.close != nil {
		r.close()
	}
	return r.file.Close()
}
