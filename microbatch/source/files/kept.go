package files

import (
	"fmt"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/state"
	"github.com/lakewheel/lakewheel/offsets"
)

// keptSchema is a file of the ledger as commits keep it: docs/formats/files.md.
var keptSchema = columnar.NewSchema(
	columnar.Field{Name: "id", Type: columnar.Binary},
	columnar.Field{Name: "content", Type: columnar.BigInt},
	columnar.Field{Name: "start", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "size", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "name", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "modified", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "etag", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "note", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "next", Type: columnar.BigInt, Nullable: true},
)

// Positions of the columns.
const (
	idAt = iota
	contentAt
	startAt
	sizeAt
	nameAt
	modifiedAt
	etagAt
	noteAt
	nextAt
)

// KeptSchema describes the files of the ledger.
func (*Source) KeptSchema() *columnar.Schema { return keptSchema }

// Kept counts them.
func (s *Source) Kept() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.ledger.facts))
}

// Turn ends a run of additions.
func (s *Source) Turn() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.turn()
}

// AddedSince counts those that were found after a run.
func (s *Source) AddedSince(run int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.ledger.facts) - s.ledger.since(run))
}

// KeptSince copies those that were found after a run.
func (s *Source) KeptSince(run int64) *columnar.Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.rows(s.ledger.since(run))
}

// Restore goes on from the ledger of a commit.
func (s *Source) Restore(rows []*columnar.Batch, at offsets.Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	position := at.Partitions[s.partition()].Next
	l := newLedger(s.c.Feed.Follows())
	for _, b := range rows {
		l.load(b, position)
	}
	l.end, l.run, l.next = max(l.end, position), 1, max(l.next, s.cursorOf(at))
	if position > 0 && len(rows) == 0 && !l.follows {
		return fmt.Errorf("%w: source %s: the newest commit stands at offset %d, and has no ledger of its files", state.ErrDamaged, s.c.Name, position)
	}
	s.ledger, s.listed, s.restored = l, time.Time{}, true
	return nil
}

// rows are the files from a position in facts on, nil if there are none. Those that were read have no name any more.
func (l *ledger) rows(from int) *columnar.Batch {
	n := len(l.facts) - from
	if n <= 0 {
		return nil
	}
	var r rowBuilder
	for i, f := range l.facts[from:] {
		r.add(f, l.entry(l.base+from+i))
	}
	return r.finish()
}

// rowBuilder makes rows of keptSchema.
type rowBuilder struct {
	id, name, etag, note                 columnar.BinaryBuffer
	content, start, size, modified, next []int64
	open                                 []bool // the file is to be read
}

func (r *rowBuilder) add(f fact, e *Entry) {
	r.id.Append(f.name[:])
	r.content = append(r.content, int64(f.content))
	r.open = append(r.open, e != nil)
	if e == nil {
		e = &Entry{}
	}
	r.start, r.size, r.modified = append(r.start, e.Start), append(r.size, e.Size), append(r.modified, e.Modified*1000)
	r.next = append(r.next, e.Next)
	for _, text := range []struct {
		to    *columnar.BinaryBuffer
		value string
	}{{&r.name, e.Name}, {&r.etag, e.ETag}, {&r.note, e.Note}} {
		if text.value == "" {
			text.to.AppendNull()
		} else {
			text.to.AppendString(text.value)
		}
	}
}

func (r *rowBuilder) finish() *columnar.Batch {
	return columnar.NewBatch(keptSchema, []columnar.Column{
		r.id.Finish(), columnar.NewInt64Column(r.content, nil),
		columnar.NewInt64Column(r.start, r.open), columnar.NewInt64Column(r.size, r.open),
		r.name.FinishString(), columnar.NewTimestampColumn(r.modified, r.open), r.etag.FinishString(), r.note.FinishString(),
		columnar.NewInt64Column(r.next, r.open),
	}, len(r.open))
}

// load adds rows that a commit kept. What ends before the position was read since.
func (l *ledger) load(b *columnar.Batch, position int64) {
	for i := range b.Rows() {
		f := fact{content: uint64(columnar.Int64At(b.Column(contentAt), i))}
		copy(f.name[:], columnar.BinaryAt(b.Column(idAt), i))
		if at, ok := l.at[f.name]; ok {
			l.void(at)
		}
		e := entryOf(b, i)
		if e != nil {
			l.end, l.next = max(l.end, e.End()), max(l.next, e.Next)
			if e.End() <= position {
				e = nil
			}
		}
		if e == nil && l.follows {
			continue
		}
		l.put(f, e)
	}
}

// entryOf is the file of a row that is to be read, nil if it was read. One without a name is void.
func entryOf(b *columnar.Batch, row int) *Entry {
	if b.Column(startAt).IsNull(row) {
		return nil
	}
	text := func(at int) string {
		if b.Column(at).IsNull(row) {
			return ""
		}
		return string(columnar.BinaryAt(b.Column(at), row))
	}
	return &Entry{Start: columnar.Int64At(b.Column(startAt), row), Note: text(noteAt), Next: columnar.Int64At(b.Column(nextAt), row),
		Info: store.Info{Name: text(nameAt), Size: columnar.Int64At(b.Column(sizeAt), row), ETag: text(etagAt), Modified: columnar.Int64At(b.Column(modifiedAt), row) / 1000}}
}
