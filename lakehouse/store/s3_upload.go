package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/minio/minio-go/v7"
)

// mostParts is how many parts an upload may have.
const mostParts = 10_000

// Create returns a writer of an object. What fits a part is sent by Close as one request; more goes out in parts while it is
// written, a few at a time. The context is that of all requests of the writer.
func (s *S3) Create(ctx context.Context, name string) (Writer, error) {
	key, err := s.key(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	w := &s3Writer{s: s, key: key}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w, nil
}

// s3Writer holds at most one part in memory, beside those that are on their way.
type s3Writer struct {
	s      *S3
	ctx    context.Context // io.Writer has none
	cancel context.CancelFunc
	key    string
	buf    []byte
	upload string // id, "" before the first part is full
	number int
	size   int64
	ended  bool

	sending sync.WaitGroup
	mu      sync.Mutex // guards what follows
	parts   []minio.CompletePart
	err     error // the first
}

// Write adds bytes. It waits while too many parts are on their way.
func (w *s3Writer) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if int64(len(w.buf)) == w.s.config.PartSize {
			if err := w.sendPart(); err != nil {
				return n, err
			}
		}
		take := min(len(p)-n, int(w.s.config.PartSize)-len(w.buf))
		w.buf = append(w.buf, p[n:n+take]...)
		n += take
	}
	return n, nil
}

// sendPart begins to send what is in the buffer. After a failure the writer stays failed.
func (w *s3Writer) sendPart() error {
	err := w.failed()
	if err == nil {
		if err = w.startPart(); err != nil {
			w.fail(err)
		}
	}
	return err
}

func (w *s3Writer) startPart() error {
	if w.number == mostParts {
		return fmt.Errorf("%s: more than %d parts of %d bytes: write smaller files", w.s.place(w.key), mostParts, w.s.config.PartSize)
	}
	if w.upload == "" {
		if err := w.begin(); err != nil {
			return err
		}
	}
	select {
	case w.s.slots <- struct{}{}:
	case <-w.ctx.Done():
		return cmp.Or(w.failed(), w.ctx.Err())
	}
	w.number++
	number, body := w.number, w.buf
	w.buf, w.size = make([]byte, 0, w.s.config.PartSize), w.size+int64(len(body)) // an attempt that was given up may still read the old one
	w.sending.Go(func() {
		defer func() { <-w.s.slots }()
		w.put(number, body)
	})
	return nil
}

// begin opens the upload. One whose answer was lost stays behind, empty.
func (w *s3Writer) begin() error {
	return w.s.retry(w.ctx, "POST", w.key, 0, func(ctx context.Context) (err error) {
		w.upload, err = w.s.client.NewMultipartUpload(ctx, w.s.bucket, w.key, minio.PutObjectOptions{})
		return err
	})
}

// put sends a part. The first failure ends the other parts.
func (w *s3Writer) put(number int, body []byte) {
	var part minio.ObjectPart
	err := w.s.retry(w.ctx, "PUT part of", w.key, int64(len(body)), func(ctx context.Context) (err error) {
		part, err = w.s.client.PutObjectPart(ctx, w.s.bucket, w.key, w.upload, number, bytes.NewReader(body), int64(len(body)),
			minio.PutObjectPartOptions{Sha256Hex: hexSHA256(body), DisableContentSha256: true})
		return err
	})
	if err != nil {
		w.fail(w.gone(err))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts = append(w.parts, minio.CompletePart{PartNumber: number, ETag: part.ETag})
}

// gone says why an upload may not be there any more.
func (w *s3Writer) gone(err error) error {
	if errors.Is(err, ErrNotExist) {
		return fmt.Errorf("the upload of %s is gone: a lifecycle rule of the bucket or another program gave it up", w.s.place(w.key))
	}
	return err
}

// fail keeps the first failure and ends what is under way.
func (w *s3Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.cancel()
	}
}

func (w *s3Writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close makes the object appear.
func (w *s3Writer) Close() error {
	if w.ended {
		return fmt.Errorf("%s: the writer was ended before", w.s.place(w.key))
	}
	err := w.finish()
	if err != nil {
		w.Abort()
		return err
	}
	w.end()
	return nil
}

func (w *s3Writer) finish() error {
	if err := w.failed(); err != nil {
		return err
	}
	if w.upload == "" {
		return w.s.put(w.ctx, w.key, w.buf)
	}
	if err := w.sendPart(); err != nil {
		return err
	}
	w.sending.Wait()
	if err := w.failed(); err != nil {
		return err
	}
	slices.SortFunc(w.parts, func(a, b minio.CompletePart) int { return cmp.Compare(a.PartNumber, b.PartNumber) })
	err := w.s.retry(w.ctx, "POST", w.key, 0, func(ctx context.Context) error {
		_, err := w.s.client.CompleteMultipartUpload(ctx, w.s.bucket, w.key, w.upload, w.parts, minio.PutObjectOptions{})
		return completeError(err)
	})
	if errors.Is(err, ErrNotExist) {
		return w.completed(err)
	}
	return err
}

// completeError gives a status to an error that came as the body of a 200.
func completeError(err error) error {
	var r minio.ErrorResponse
	if errors.As(err, &r) && (r.StatusCode == 0 || r.StatusCode == http.StatusOK) {
		r.StatusCode = http.StatusInternalServerError
		return r
	}
	return err
}

// completed settles an upload that is not there: an attempt whose answer was lost may have completed it. The name is ours alone, so
// an object of the right size is ours.
func (w *s3Writer) completed(err error) error {
	var there minio.ObjectInfo
	statErr := w.s.retry(w.ctx, "HEAD", w.key, 0, func(ctx context.Context) (err error) {
		there, err = w.s.client.StatObject(ctx, w.s.bucket, w.key, minio.StatObjectOptions{})
		return err
	})
	switch {
	case errors.Is(statErr, ErrNotExist), statErr == nil && there.Size != w.size:
		return w.gone(err)
	}
	return statErr
}

func (w *s3Writer) end() {
	w.ended, w.buf = true, nil
	w.cancel()
}

// Abort gives the upload up. It works after the end of the writer's context, too.
func (w *s3Writer) Abort() {
	if w.ended {
		return
	}
	ctx := context.WithoutCancel(w.ctx)
	w.end()
	w.sending.Wait()
	if w.upload == "" {
		return
	}
	_, _ = w.s.attempt(ctx, "DELETE upload of", w.key, 0, func(ctx context.Context) error {
		return w.s.client.AbortMultipartUpload(ctx, w.s.bucket, w.key, w.upload)
	})
}
