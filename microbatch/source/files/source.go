package files

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Config describes a source of files.
type Config struct {
	Name string
	Kind string // "files", "delta"
	Feed Feed
	// MaxFiles and MaxBytes bound a batch; 0: no bound.
	MaxFiles, MaxBytes int64
	// Interval is how long to wait between two listings; a listing that takes long is waited for ten times as long.
	Interval time.Duration
	// Once: files are looked for at the first start alone. The source ends with them.
	Once bool
	// SkipLoss: step over files that are gone (on_data_loss: skip).
	SkipLoss bool
	Now      func() time.Time
	Log      *slog.Logger
}

// Source reads the files that a feed finds. See the package comment.
type Source struct {
	c Config

	mu       sync.Mutex
	ledger   *ledger
	listed   time.Time // when the next listing is due; zero: at once
	listing  int64     // counts listings
	restored bool      // from a commit, or to nothing
	sampled  bool      // a file was looked at before it was read
	suspect  bool      // a file had vanished when it was read: others may have, too

	rows, bytes, unpacked atomic.Int64 // read so far, to tell how many bytes a row takes, in its file and in memory
}

var (
	_ source.Source  = (*Source)(nil)
	_ source.Planner = (*Source)(nil)
	_ source.Keeper  = (*Source)(nil)
)

// New returns a source. Restore comes before everything else.
func New(c Config) *Source { return &Source{c: c, ledger: newLedger(c.Feed.Follows())} }

// Close has nothing to close.
func (*Source) Close() error { return nil }

// partition holds the offsets of the files.
func (s *Source) partition() offsets.Partition { return offsets.Partition{Topic: s.c.Name} }

// cursor holds the position of a feed that follows. Its offsets have no rows.
func (s *Source) cursor() offsets.Partition { return offsets.Partition{Topic: s.c.Name, ID: 1} }

// cursorOf is where the feed goes on after a commit, -1 before the first one.
func (s *Source) cursorOf(p offsets.Progress) int64 {
	if m, ok := p.Partitions[s.cursor()]; ok {
		return m.Next
	}
	return -1
}

// Available looks for files and says how far they reach.
func (s *Source) Available(ctx context.Context, known offsets.Progress) (source.Available, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkPlace(known); err != nil {
		return source.Available{}, err
	}
	if known.Kind != "" && !s.restored && s.listing == 0 {
		return source.Available{}, fmt.Errorf("source %s: its ledger was not restored, and no position means anything without it", s.c.Name)
	}
	a := source.Available{Progress: known.Clone(), Ends: offsets.Positions{}}
	a.Progress.Kind, a.Progress.Identity[s.c.Name] = s.c.Kind, s.c.Feed.String()
	mark, ok := a.Progress.Partitions[s.partition()]
	if !ok {
		mark.LeaderEpoch = -1
	}
	s.ledger.forget(mark.Next)
	if err := s.find(ctx, known.Kind == "", mark.Next); err != nil {
		return a, err
	}
	if err := s.checkTable(&a); err != nil {
		return a, err
	}
	if err := s.lookAgain(ctx); err != nil {
		return a, err
	}
	if err := s.stepOver(&a, &mark); err != nil {
		return a, err
	}
	a.Progress.Partitions[s.partition()], a.Ends[s.partition()] = mark, s.ledger.end
	s.moveCursor(&a)
	a.Latest = offsets.Positions{s.partition(): s.ledger.end}
	s.sample(ctx)
	return a, nil
}

// sample looks at the first file before any was read, so that the first batch is cut as later ones are. A file that cannot be looked at is told of when it is read.
func (s *Source) sample(ctx context.Context) {
	if s.rows.Load() > 0 || s.sampled {
		return
	}
	for _, e := range s.ledger.pending {
		if e.Name == "" || e.lost() {
			continue
		}
		s.sampled = true
		if m, err := s.c.Feed.Sample(ctx, e); err == nil {
			s.measure(m)
		}
		return
	}
}

// checkPlace refuses another folder than that of the ledger, whose names would be taken for those of this one.
func (s *Source) checkPlace(known offsets.Progress) error {
	if known.Kind != "" && known.Kind != s.c.Kind && known.Identity[s.c.Name] == "" {
		return fmt.Errorf("source %s was read from %s before, and is %s now: restore it, or give the source another name and the pipeline another table", s.c.Name, known.Kind, s.c.Kind)
	}
	was, is := known.Identity[s.c.Name], s.c.Feed.String()
	if was == "" || was == is {
		return nil
	}
	return fmt.Errorf("source %s was read from %s, and its path is %s now: what was read there would be taken for read here; restore the path, or give the source another name", s.c.Name, was, is)
}

// checkTable refuses a table that was made anew in the place of the one that was read.
func (s *Source) checkTable(a *source.Available) error {
	t, ok := s.c.Feed.(Table)
	if !ok {
		return nil
	}
	key := s.c.Name + "/table"
	was, is := a.Progress.Identity[key], t.ID()
	if was != "" && is != "" && was != is {
		return fmt.Errorf("%w: source %s: the table in %s is another one now (id %s, not %s): restore it, or give the source another name, under which it is read from the beginning", source.ErrDataLoss, s.c.Name, s.c.Feed, is, was)
	}
	if is != "" {
		a.Progress.Identity[key] = is
	}
	return nil
}

func (s *Source) moveCursor(a *source.Available) {
	if !s.c.Feed.Follows() {
		return
	}
	mark, ok := a.Progress.Partitions[s.cursor()]
	if !ok {
		mark = offsets.Mark{LeaderEpoch: -1}
	}
	a.Progress.Partitions[s.cursor()], a.Ends[s.cursor()] = mark, max(mark.Next, s.ledger.next)
}

// find asks the feed, if it is time.
func (s *Source) find(ctx context.Context, first bool, position int64) error {
	start := s.c.Now()
	if s.c.Once && !first || start.Before(s.listed) {
		return nil
	}
	if s.c.Once && len(s.ledger.facts) > 0 {
		return nil
	}
	s.listing++
	var fresh []Found
	next, err := s.c.Feed.Find(ctx, s.ledger.next, func(f Found) {
		if s.isNew(f, position) {
			fresh = append(fresh, f)
		}
	})
	if err != nil {
		return fmt.Errorf("source %s: %w", s.c.Name, err)
	}
	if !s.ledger.follows {
		slices.SortFunc(fresh, func(a, b Found) int { return cmp.Or(cmp.Compare(a.Modified, b.Modified), cmp.Compare(a.Name, b.Name)) })
		s.markMissing()
	}
	if _, table := s.c.Feed.(Table); s.c.Once && !table && len(fresh) == 0 {
		return fmt.Errorf("source %s: no file in %s belongs to the archive, which is read once and then left: correct its path, glob or format, or leave bootstrap out", s.c.Name, s.c.Feed)
	}
	for _, f := range fresh {
		s.ledger.add(f)
	}
	s.ledger.next = next
	end := s.c.Now()
	s.listed = end.Add(max(s.c.Interval, 10*end.Sub(start)))
	return nil
}

// isNew reports whether a file has to be noted.
func (s *Source) isNew(f Found, position int64) bool {
	if s.ledger.follows {
		return true
	}
	standing, e := s.ledger.look(f.Info, position)
	if e != nil {
		e.listed, e.gone = s.listing, nil
	}
	switch standing {
	case torn:
		e.gone = errChanged
	case changed:
		s.ledger.accept(f.Info)
		s.c.Log.Warn("a file has changed after it was read; it is not read again", "source", s.c.Name, "file", f.Name)
	case waiting, unknown:
		return true
	}
	return false
}

// markMissing notes the files that wait to be read and were not in the newest listing.
func (s *Source) markMissing() {
	for _, e := range s.ledger.pending {
		if e.Name != "" && e.listed != s.listing {
			e.gone = errVanished
		}
	}
}

// lookAgain looks which of the files that wait are still there, after one of a feed that follows was not: no listing tells.
func (s *Source) lookAgain(ctx context.Context) error {
	table, ok := s.c.Feed.(Table)
	if !ok || !s.suspect {
		return nil
	}
	gone, err := table.Missing(ctx, s.ledger.pending)
	if err != nil {
		return fmt.Errorf("source %s: %w", s.c.Name, err)
	}
	for _, e := range gone {
		e.gone = errVanished
	}
	s.suspect = false
	return nil
}

// stepOver moves the position over files that are gone, if that is allowed. Later ones end a batch, and their turn comes then.
func (s *Source) stepOver(a *source.Available, mark *offsets.Mark) error {
	for _, e := range s.ledger.pending {
		switch {
		case !e.lost():
			continue
		case !s.c.SkipLoss:
			return s.loss(e, e.gone)
		case e.Start > mark.Next:
			return nil
		}
		a.Holes = append(a.Holes, offsets.Range{Source: s.c.Name, Partition: s.partition(), From: mark.Next, Until: e.End()})
		s.c.Log.Warn("a file is stepped over (on_data_loss: skip)", "source", s.c.Name, "file", e.Name, "reason", e.gone)
		mark.Next = e.End()
	}
	return nil
}
