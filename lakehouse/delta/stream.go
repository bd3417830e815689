package delta

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// ErrCleaned: the log does not reach back to a version any more.
var ErrCleaned = errors.New("the log was cleaned")

// ErrReplaced: a version that was read is not that of the table which is there now.
var ErrReplaced = errors.New("another table is in its place")

// Stream reads a table version by version. It is used by one goroutine, but for FileLayout.Open.
type Stream struct {
	t    *Table
	head *head // of the newest version that was read; nil before the first
	// idle: there was no next version when it was looked for last, so that the table may have been replaced since.
	idle  bool
	order string // the column that the files of a step are in the order of; "": none
}

// Stream returns one that has read nothing yet. The files of its steps are in the order of the lower bounds of a column, those without one last, then by
// time and path: compactions change names and times. "" is no column.
func (t *Table) Stream(order string) *Stream { return &Stream{t: t, order: order} }

// Added is a data file whose rows came into the table.
type Added struct {
	Path     string // below the table
	Bytes    int64
	Modified int64  // milliseconds since 1970
	Text     string // what FileLayout.Open needs to know
	stats    string
}

// Step is what a version did to the rows of a table.
type Step struct {
	Version   int64
	Operation string
	// Added files of a version that changed rows. What compactions and the like only moved is not here.
	Added []Added
	// Removed counts files that rows were taken out with: DELETE, UPDATE, MERGE, overwrites.
	Removed int
	// Schema is that of the table from this version on.
	Schema *columnar.Schema
}

// Begin reads the files of a version: its step adds all of them.
func (s *Stream) Begin(ctx context.Context, version int64) (Step, error) {
	st, _, err := replay(ctx, s.t, version, newState, everything)
	if err != nil {
		return Step{}, s.cleaned(ctx, version, err)
	}
	s.head = &st.head
	step, err := s.step(version)
	if err != nil {
		return step, err
	}
	for _, a := range st.sorted() {
		if step.Added, err = appendAdded(step.Added, a); err != nil {
			return step, err
		}
	}
	s.sort(step)
	return step, nil
}

// BeginAfter begins behind a version: its step adds nothing, and none of its files are read.
func (s *Stream) BeginAfter(ctx context.Context, version int64) (Step, error) {
	if err := s.know(ctx, version); err != nil {
		return Step{}, err
	}
	return s.step(version)
}

// Next reads a version. False: it is not there yet.
func (s *Stream) Next(ctx context.Context, version int64) (step Step, ok bool, err error) {
	e, err := s.t.readEntry(ctx, version)
	if errors.Is(err, store.ErrNotExist) {
		s.idle = true
		return step, false, s.behind(ctx, version)
	}
	if err != nil {
		return step, false, fmt.Errorf("table %s: %w", s.t, err)
	}
	if err := s.recheck(ctx); err != nil {
		return step, false, err
	}
	if err := s.know(ctx, version-1); err != nil {
		return step, false, err
	}
	s.head.apply(version, e.actions)
	s.head.read(e.in)
	if step, err = s.step(version); err != nil {
		return step, false, err
	}
	step.Operation = entry(version, e.actions).Operation
	for _, a := range e.actions {
		switch {
		case a.Add != nil && a.Add.DataChange:
			if step.Added, err = appendAdded(step.Added, *a.Add); err != nil {
				return step, false, err
			}
		case a.Remove != nil && a.Remove.DataChange:
			step.Removed++
		}
	}
	s.sort(step)
	return step, true, nil
}

// recheck forgets what is known of a version, after a pause, if its entry is another one now: a table that was made anew in the place of this one is told
// by its id then.
func (s *Stream) recheck(ctx context.Context) error {
	if !s.idle || s.head == nil || s.head.version < 0 {
		return nil
	}
	in, err := s.t.objects.Stat(ctx, entryName(s.head.version))
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		return fmt.Errorf("table %s: %w", s.t, err)
	}
	if s.idle = false; err == nil && in.ETag != s.head.etag {
		s.head = nil
	}
	return nil
}

// know makes the head that of a version, for a stream that goes on where another one was.
func (s *Stream) know(ctx context.Context, version int64) error {
	if s.head != nil && s.head.version == version {
		return nil
	}
	if version < 0 {
		s.head = newHead()
		return nil
	}
	h, _, err := replay(ctx, s.t, version, newHead, forHead)
	if err != nil {
		return s.cleaned(ctx, version, err)
	}
	s.head = h
	return nil
}

// cleaned says that a version cannot be read because the log was cleaned, or is another one, if that is why.
func (s *Stream) cleaned(ctx context.Context, version int64, err error) error {
	oldest, newest, listErr := s.Reach(ctx)
	switch {
	case listErr != nil:
	case newest < 0:
		return fmt.Errorf("table %s: %w: there is none any more, and its version %d was read", s.t, ErrReplaced, version)
	case newest < version:
		return fmt.Errorf("table %s: %w: its newest version is %d, and version %d was read", s.t, ErrReplaced, newest, version)
	case oldest > version:
		return fmt.Errorf("table %s: %w: its oldest version is %d, and %d is asked for", s.t, ErrCleaned, oldest, version)
	}
	return fmt.Errorf("table %s: %w", s.t, err)
}

// behind tells a version that was cleaned from one that is still to come. A log is cleaned behind a checkpoint alone, which the hint names.
func (s *Stream) behind(ctx context.Context, version int64) error {
	hint, err := s.t.hint(ctx)
	if err != nil || hint < version {
		return err
	}
	if _, err := s.t.objects.Stat(ctx, entryName(version)); !errors.Is(err, store.ErrNotExist) {
		return err // it came just now
	}
	return fmt.Errorf("table %s: %w: version %d is gone, and there is a checkpoint of version %d", s.t, ErrCleaned, version, hint)
}

// Reach returns the oldest version that can be read, and the newest. Both are -1 if there is no table.
func (s *Stream) Reach(ctx context.Context) (oldest, newest int64, err error) {
	l, err := s.t.list(ctx, -1)
	if err != nil || len(l.entries) == 0 {
		return -1, -1, err
	}
	newest = l.entries[len(l.entries)-1]
	if l.entries[0] == 0 {
		return 0, newest, nil
	}
	for _, c := range l.checkpoints {
		if c.version >= l.entries[0]-1 {
			return c.version, newest, nil
		}
	}
	return -1, newest, fmt.Errorf("table %s: %w: entries from version %d on, and no checkpoint", s.t, errDamaged, l.entries[0])
}

// VersionAt is the newest version that was committed at or before a time, in milliseconds since 1970; ErrCleaned if it may be one that is gone.
func (s *Stream) VersionAt(ctx context.Context, millis int64) (int64, error) {
	oldest, newest, err := s.Reach(ctx)
	if err != nil {
		return -1, err
	}
	low, high := oldest, newest+1 // the answer is in [low-1, high)
	for low < high {
		middle := low + (high-low)/2
		e, err := s.t.readEntry(ctx, middle)
		switch {
		case errors.Is(err, store.ErrNotExist) && middle == oldest: // a checkpoint stands for it
			low = middle + 1
			continue
		case err != nil:
			return -1, fmt.Errorf("table %s: %w", s.t, err)
		}
		if entry(middle, e.actions).Time <= millis {
			low = middle + 1
		} else {
			high = middle
		}
	}
	switch {
	case low == oldest && oldest == 0:
		return -1, fmt.Errorf("table %s: no version is as old as that; the first one is 0 (start: earliest)", s.t)
	case low == oldest:
		return -1, fmt.Errorf("table %s: %w: its oldest version, %d, is younger than that", s.t, ErrCleaned, oldest)
	}
	return low - 1, nil
}

func (s *Stream) sort(step Step) {
	low := make(map[string]int64, len(step.Added))
	for _, a := range step.Added {
		low[a.Path] = s.lowest(step.Schema, a)
	}
	slices.SortFunc(step.Added, func(a, b Added) int {
		return cmp.Or(cmp.Compare(low[a.Path], low[b.Path]), cmp.Compare(a.Modified, b.Modified), strings.Compare(a.Path, b.Path))
	})
}

// lowest is the lower bound, in microseconds, of the order of a file, the largest number if none is known.
func (s *Stream) lowest(schema *columnar.Schema, a Added) int64 {
	at := schema.Index(s.order)
	if at < 0 {
		return math.MaxInt64
	}
	f := schema.Fields[at]
	if f.Type != columnar.Timestamp && f.Type != columnar.TimestampNTZ {
		return math.MaxInt64
	}
	bound, ok := readBound(f.Type, parseStats(a.stats).MinValues[f.Name], false)
	if !ok {
		return math.MaxInt64
	}
	defer bound.Release()
	return columnar.Int64At(bound, 0)
}

// step is that of a version without its files.
func (s *Stream) step(version int64) (Step, error) {
	snap, err := s.head.snapshot()
	if err == nil {
		err = unreadable(s.head.protocol, s.head.meta)
	}
	if err != nil {
		return Step{}, fmt.Errorf("table %s, version %d: %w", s.t, version, err)
	}
	return Step{Version: version, Schema: snap.Schema}, nil
}

// appendAdded leaves out of a file what reading it does not take.
func appendAdded(to []Added, a add) ([]Added, error) {
	out := Added{Path: decodePath(a.Path), Bytes: a.Size, Modified: a.ModificationTime}
	if a.Stats != nil {
		out.stats = *a.Stats
	}
	a.Stats, a.Tags = nil, nil
	text, err := json.Marshal(a)
	out.Text = string(text)
	return append(to, out), err
}
