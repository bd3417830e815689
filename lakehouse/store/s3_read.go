package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
)

const (
	mostBytes  = 1 << 30   // of an object that is read as a whole
	tailBytes  = 64 << 10  // read when an object is opened: the footers of Parquet files
	blockBytes = 512 << 10 // read at once where less is asked for
	mostBlocks = 8         // kept by a reader
)

// objectInfo describes an object. S3 tells times in seconds.
func objectInfo(name string, o minio.ObjectInfo) Info {
	return Info{Name: name, Size: o.Size, ETag: o.ETag, Modified: o.LastModified.Unix() * 1000}
}

// Get reads a whole object.
func (s *S3) Get(ctx context.Context, name string) ([]byte, Info, error) {
	key, err := s.key(name)
	if err != nil {
		return nil, Info{}, err
	}
	var body []byte
	var in Info
	err = s.retry(ctx, "GET", key, 0, func(ctx context.Context) error {
		r, o, _, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer r.Close()
		in = objectInfo(name, o)
		renew(ctx, min(max(o.Size, 0), mostBytes))
		body, err = readAll(io.LimitReader(r, mostBytes+1), o.Size)
		return err
	})
	if err == nil && len(body) > mostBytes {
		err = fmt.Errorf("%s: it has more than %d bytes, which is not read as a whole", s.place(key), mostBytes)
	}
	if err != nil {
		return nil, Info{}, err
	}
	in.Size = int64(len(body))
	return body, in, nil
}

// trusted is how much memory the length in an answer gets before its bytes have come.
const trusted = 16 << 20

func readAll(r io.Reader, size int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), trusted)+bytes.MinRead))
	_, err := buf.ReadFrom(r)
	return buf.Bytes(), err
}

// Stat describes an object.
func (s *S3) Stat(ctx context.Context, name string) (Info, error) {
	key, err := s.key(name)
	if err != nil {
		return Info{}, err
	}
	var in Info
	err = s.retry(ctx, "HEAD", key, 0, func(ctx context.Context) error {
		o, err := s.client.StatObject(ctx, s.bucket, key, minio.StatObjectOptions{})
		in = objectInfo(name, o)
		return err
	})
	return in, err
}

// Open opens an object and reads its end, so that a small one, or a footer, costs one request. The context is that of all reads.
func (s *S3) Open(ctx context.Context, name string) (Reader, error) {
	key, err := s.key(name)
	if err != nil {
		return nil, err
	}
	r := &s3Reader{s: s, ctx: ctx, key: key}
	err = s.retry(ctx, "GET", key, tailBytes, r.readTail)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// s3Reader reads ranges of one incarnation of an object. Small reads are served from blocks, of which a few are kept.
type s3Reader struct {
	s      *S3
	ctx    context.Context // io.ReaderAt has none
	key    string
	etag   string
	size   int64
	tail   []byte
	tailAt int64

	mu     sync.Mutex
	blocks []*block // the newest last
}

// ETag is that of the object that is read.
func (r *s3Reader) ETag() string { return r.etag }

// block is a part of an object; ready closes when it was read.
type block struct {
	at    int64
	ready chan struct{}
	data  []byte
	err   error
}

// readTail reads the last bytes; the answer tells the size. An empty object has no last bytes, so it is asked for as a whole.
func (r *s3Reader) readTail(ctx context.Context) error {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(0, -tailBytes); err != nil {
		return err
	}
	body, o, header, err := r.s.client.GetObject(ctx, r.s.bucket, r.key, opts)
	var e minio.ErrorResponse
	if errors.As(err, &e) && e.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		body, o, header, err = r.s.client.GetObject(ctx, r.s.bucket, r.key, minio.GetObjectOptions{})
	}
	if err != nil {
		return err
	}
	defer body.Close()
	r.etag, r.size, r.tailAt = o.ETag, o.Size, 0
	if text := header.Get("Content-Range"); text != "" {
		if r.tailAt, r.size, err = parseContentRange(text); err != nil {
			return err
		}
	}
	r.tail = make([]byte, min(r.size-r.tailAt, tailBytes))
	_, err = io.ReadFull(body, r.tail)
	return err
}

// parseContentRange reads "bytes 5-9/10": where a range begins, and the size of the object.
func parseContentRange(text string) (at, size int64, err error) {
	rest, ok := strings.CutPrefix(text, "bytes ")
	span, total, ok2 := strings.Cut(rest, "/")
	from, to, ok3 := strings.Cut(span, "-")
	at, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	size, err3 := strconv.ParseInt(total, 10, 64)
	if !ok || !ok2 || !ok3 || errors.Join(err1, err2, err3) != nil || at < 0 || last < at || size != last+1 {
		return 0, 0, fmt.Errorf("the store answered a read of the end of an object with the range %.60q", text)
	}
	return at, size, nil
}

func (r *s3Reader) Size() int64  { return r.size }
func (r *s3Reader) Close() error { return nil }

// ReadAt reads from the tail, from blocks, or, where more is asked for, directly.
func (r *s3Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: read at %d", r.s.place(r.key), off)
	}
	n := 0
	for n < len(p) {
		if off >= r.size {
			return n, io.EOF
		}
		got, err := r.read(p[n:], off)
		n, off = n+got, off+int64(got)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// read reads some bytes, at least one.
func (r *s3Reader) read(p []byte, off int64) (int, error) {
	if off >= r.tailAt {
		return copy(p, r.tail[off-r.tailAt:]), nil
	}
	if len(p) >= blockBytes {
		p = p[:min(int64(len(p)), r.tailAt-off)]
		return len(p), r.fetch(p, off)
	}
	b := r.block(off / blockBytes * blockBytes)
	<-b.ready
	if b.err != nil {
		return 0, b.err
	}
	return copy(p, b.data[off-b.at:]), nil
}

// block returns a block that is there or on its way; the first who asks reads it.
func (r *s3Reader) block(at int64) *block {
	r.mu.Lock()
	for _, b := range r.blocks {
		if b.at == at {
			r.mu.Unlock()
			return b
		}
	}
	b := &block{at: at, ready: make(chan struct{})}
	r.blocks = append(r.blocks[max(0, len(r.blocks)+1-mostBlocks):], b)
	r.mu.Unlock()
	b.data = make([]byte, min(blockBytes, r.tailAt-at))
	b.err = r.fetch(b.data, at)
	close(b.ready)
	if b.err != nil {
		r.forget(b)
	}
	return b
}

func (r *s3Reader) forget(b *block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.blocks {
		if r.blocks[i] == b {
			r.blocks = append(r.blocks[:i:i], r.blocks[i+1:]...)
			return
		}
	}
}

// fetch reads exactly one range, of the object that was opened.
func (r *s3Reader) fetch(p []byte, off int64) error {
	replaced := false
	err := r.s.retry(r.ctx, "GET", r.key, int64(len(p)), func(ctx context.Context) error {
		var opts minio.GetObjectOptions
		if err := errors.Join(opts.SetMatchETag(r.etag), setRange(&opts, off, int64(len(p)))); err != nil {
			return err
		}
		body, o, _, err := r.s.client.GetObject(ctx, r.s.bucket, r.key, opts)
		if err != nil {
			return err
		}
		defer body.Close()
		replaced = o.ETag != r.etag // some stores pay no attention to If-Match
		_, err = io.ReadFull(body, p)
		return err
	})
	var e *s3Error
	if errors.As(err, &e) && e.status == http.StatusPreconditionFailed || replaced {
		return fmt.Errorf("%s was replaced while it was read", r.s.place(r.key))
	}
	return err
}

// setRange asks for n bytes from off. The client takes (0, 0) for the first byte alone.
func setRange(o *minio.GetObjectOptions, off, n int64) error { return o.SetRange(off, off+n-1) }
