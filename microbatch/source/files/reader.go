package files

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Read opens a range of the files.
func (s *Source) Read(_ context.Context, r offsets.Range) (source.Reader, error) {
	if r.Partition == s.cursor() {
		return &reader{s: s}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list, err := s.ledger.between(r.From, r.Until)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", s.c.Name, err)
	}
	return &reader{s: s, files: list, from: r.From, until: r.Until}, nil
}

// reader yields the rows of a range, file by file.
type reader struct {
	s           *Source
	files       []*Entry // the current one first
	from, until int64
	rows        Rows   // of the current file, nil between two
	read        Sample // of the current file
}

var _ source.FileReader = (*reader)(nil)

// Next returns the next rows.
func (r *reader) Next(ctx context.Context) (*columnar.Batch, error) {
	for len(r.files) > 0 {
		e := r.files[0]
		b, err := r.next(ctx, e)
		if err == nil {
			r.read.Rows, r.read.Unpacked = r.read.Rows+int64(b.Rows()), r.read.Unpacked+b.Bytes()
			return b, nil
		}
		if !errors.Is(err, io.EOF) {
			return nil, r.s.failed(ctx, e, err)
		}
		r.read.Bytes = min(r.until, e.End()) - max(r.from, e.Start)
		r.s.measure(r.read)
		r.files, r.read = r.files[1:], Sample{}
	}
	return nil, io.EOF
}

// next returns the next rows of a file, io.EOF after its last.
func (r *reader) next(ctx context.Context, e *Entry) (*columnar.Batch, error) {
	if r.rows == nil {
		rows, err := r.s.c.Feed.Open(ctx, e, max(0, r.from-e.Start), min(r.until-e.Start, e.Size))
		if err != nil {
			return nil, err
		}
		r.rows = rows
	}
	b, err := r.rows.Next(ctx)
	if errors.Is(err, io.EOF) {
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	return b, err
}

// File is the current one.
func (r *reader) File() source.File {
	return source.File{Name: r.files[0].Name, Columns: r.rows.Columns()}
}

// Close closes the open file.
func (r *reader) Close() error {
	if r.rows == nil {
		return nil
	}
	err := r.rows.Close()
	r.rows = nil
	return err
}

// failed says what went wrong with a file.
func (s *Source) failed(ctx context.Context, e *Entry, err error) error {
	switch {
	case errors.Is(err, store.ErrNotExist):
		s.suspectFiles()
		return s.loss(e, errVanished)
	case errors.Is(err, errChanged):
		return s.loss(e, err)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("source %s, file %s in %s: %w", s.c.Name, e.Name, s.c.Feed, err)
}

func (s *Source) suspectFiles() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspect = true
}

// measure notes what was read.
func (s *Source) measure(m Sample) {
	s.rows.Add(m.Rows)
	s.bytes.Add(m.Bytes)
	s.unpacked.Add(m.Unpacked)
}
