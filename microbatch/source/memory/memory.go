// Package memory is a source that is fed by hand: scenario scripts and tests append documents to
// partitions and read them back as any other source's ranges.
package memory

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Source holds documents in memory. Offset n of a partition is its n-th document.
type Source struct {
	name    string
	withKey bool

	mu         sync.Mutex
	partitions map[int32][]document
	start      offsets.Positions // nil: offset 0
}

type document struct {
	value  []byte // nil: null
	micros int64
}

var (
	_ source.Source    = (*Source)(nil)
	_ source.TimeIndex = (*Source)(nil)
)

// New returns a source without documents. Its one topic bears its name.
func New(name string, withKey bool) *Source {
	return &Source{name: name, withKey: withKey, partitions: map[int32][]document{0: nil}}
}

// Append adds a document with a timestamp in microseconds since 1970; a nil value is a null record.
func (s *Source) Append(partition int32, value []byte, micros int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partitions[partition] = append(s.partitions[partition], document{value, micros})
}

// StartAt makes a query that has no positions yet begin at these, and at offset 0 of partitions without one.
func (s *Source) StartAt(start offsets.Positions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start = start
}

// Documents are the values of a partition in their order; nil is a null record.
func (s *Source) Documents(partition int32) (out [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.partitions[partition] {
		out = append(out, d.value)
	}
	return out
}

// Available returns the ends of all partitions.
func (s *Source) Available(_ context.Context, known offsets.Progress) (source.Available, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := source.Available{Progress: known.Clone(), Ends: offsets.Positions{}}
	a.Progress.Kind = "memory"
	for id, docs := range s.partitions {
		p := offsets.Partition{Topic: s.name, ID: id}
		a.Ends[p] = int64(len(docs))
		if _, ok := a.Progress.Partitions[p]; !ok {
			a.Progress.Partitions[p] = offsets.Mark{First: s.start[p], Next: s.start[p], LeaderEpoch: -1}
		}
	}
	a.Latest = a.Ends
	return a, nil
}

// OffsetsAt finds the first documents that were appended at a time or later.
func (s *Source) OffsetsAt(_ context.Context, t time.Time) (offsets.Positions, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := offsets.Positions{}
	for id, docs := range s.partitions {
		at := slices.IndexFunc(docs, func(d document) bool { return d.micros >= t.UnixMicro() })
		if at < 0 {
			at = len(docs)
		}
		out[offsets.Partition{Topic: s.name, ID: id}] = int64(at)
	}
	return out, nil
}

// batchRows bounds a raw batch.
const batchRows = 4096

// Read opens a range.
func (s *Source) Read(_ context.Context, r offsets.Range) (source.Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	docs := s.partitions[r.Partition.ID]
	if r.From < 0 || r.Until > int64(len(docs)) {
		return nil, fmt.Errorf("%w: source %s has %d documents, not %s", source.ErrDataLoss, s.name, len(docs), r)
	}
	return &reader{docs: docs[r.From:r.Until], at: r.From, withKey: s.withKey}, nil
}

// Close has nothing to close.
func (*Source) Close() error { return nil }

type reader struct {
	docs    []document
	at      int64
	withKey bool
}

func (r *reader) Next(context.Context) (*columnar.Batch, error) {
	if len(r.docs) == 0 {
		return nil, io.EOF
	}
	n := min(len(r.docs), batchRows)
	var values, keys columnar.BinaryBuffer
	at, times := make([]int64, n), make([]int64, n)
	for i, d := range r.docs[:n] {
		if d.value == nil {
			values.AppendNull()
		} else {
			values.Append(d.value)
		}
		keys.AppendNull()
		at[i], times[i] = r.at+int64(i), d.micros
	}
	r.docs, r.at = r.docs[n:], r.at+int64(n)
	cols := []columnar.Column{values.Finish(), columnar.NewInt64Column(at, nil), columnar.NewTimestampColumn(times, nil)}
	if r.withKey {
		cols = append(cols, keys.Finish())
	}
	return columnar.NewBatch(source.RawSchema(r.withKey), cols, n), nil
}

func (*reader) Close() error { return nil }
