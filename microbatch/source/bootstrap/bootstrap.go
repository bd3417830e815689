// Package bootstrap puts an archive before a source: the archive is read to its end first, then the source goes on where the archive stops. To the
// query both are one source with one history.
//
// # Model
//
// The progress holds the partitions of both. Those of the archive have a topic with a slash in it, which no topic of Kafka has; while there is one, the
// partitions of the source wait at their start. When the archive has been read to its end, its partition goes out of the progress and the identity
// of its topic becomes [offsets.Finished], for good: the archive may be taken out of the settings then.
package bootstrap

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Archive is a source that ends.
type Archive interface {
	source.Source
	source.Planner
	source.Keeper
}

// Source reads an archive, then a live source.
type Source struct {
	name    string // of the archive's topic
	archive Archive
	live    source.Source
	log     *slog.Logger

	mu   sync.Mutex // guards done
	done bool       // the archive was read to its end
}

var (
	_ source.Source  = (*Source)(nil)
	_ source.Planner = (*Source)(nil)
	_ source.Keeper  = (*Source)(nil)
	_ source.Acker   = (*Source)(nil)

	_ source.Starter   = (*Source)(nil)
	_ source.TimeIndex = (*Source)(nil)
)

// New returns a source. The archive's name is offsets.ArchiveOf the source's.
func New(name string, archive Archive, live source.Source, log *slog.Logger) *Source {
	return &Source{name: offsets.ArchiveOf(name), archive: archive, live: live, log: log}
}

// Close closes both.
func (s *Source) Close() error {
	err := s.archive.Close()
	if liveErr := s.live.Close(); err == nil {
		err = liveErr
	}
	return err
}

// split takes the progress of both apart.
func (s *Source) split(p offsets.Progress) (archive, live offsets.Progress) {
	archive, live = p.Clone(), p.Clone()
	maps.DeleteFunc(archive.Partitions, func(at offsets.Partition, _ offsets.Mark) bool { return !offsets.Archived(at.Topic) })
	maps.DeleteFunc(archive.Identity, func(topic, _ string) bool { return !offsets.Archived(topic) })
	maps.DeleteFunc(live.Partitions, func(at offsets.Partition, _ offsets.Mark) bool { return offsets.Archived(at.Topic) })
	maps.DeleteFunc(live.Identity, func(topic, _ string) bool { return offsets.Archived(topic) })
	return archive, live
}

// Available says what both have. The live source is asked from the beginning: what it loses meanwhile is lost for the archive's query, too.
func (s *Source) Available(ctx context.Context, known offsets.Progress) (source.Available, error) {
	before, after := s.split(known)
	live, err := s.live.Available(ctx, after)
	if err != nil {
		return live, err
	}
	if s.over(known) {
		live.Progress.Identity[s.name] = offsets.Finished
		return live, nil
	}
	old, err := s.archive.Available(ctx, before)
	if err != nil {
		return old, err
	}
	maps.Copy(old.Progress.Identity, live.Progress.Identity)
	if ended(old) {
		s.finish(true)
		live.Progress.Identity[s.name] = offsets.Finished
		live.Holes = append(old.Holes, live.Holes...)
		return live, nil
	}
	live.Progress.Identity = old.Progress.Identity
	maps.Copy(live.Progress.Partitions, old.Progress.Partitions)
	live.Ends, live.Latest = live.Ends.Clone(), live.Latest.Clone()
	maps.Copy(live.Ends, old.Ends)
	maps.Copy(live.Latest, old.Latest)
	live.Holes = append(old.Holes, live.Holes...)
	return live, nil
}

// ended reports whether all of the archive was read.
func ended(a source.Available) bool {
	for p, end := range a.Ends {
		if end > a.Progress.Partitions[p].Next {
			return false
		}
	}
	return true
}

// over reports whether the archive's part is over, as the progress tells.
func (s *Source) over(known offsets.Progress) bool {
	state, begun := known.Identity[s.name]
	switch {
	case known.Kind == "" || begun && state != offsets.Finished:
		return false
	case !begun:
		s.log.Warn("bootstrap: the source was read before it had an archive, so the archive is left out", "source", s.name)
	}
	s.finish(true)
	return true
}

func (s *Source) finish(done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = done
}

func (s *Source) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// Plan reads the archive alone as long as there is something of it.
func (s *Source) Plan(from, ends offsets.Positions, size source.Size) (offsets.Positions, bool) {
	archived, bounds := ofArchive(from), ofArchive(ends)
	if s.finished() || archived.Behind(bounds) == 0 {
		if own, ok := s.live.(source.Planner); ok {
			return own.Plan(from, ends, size)
		}
		return nil, false
	}
	until := from.Clone()
	plan, ok := s.archive.Plan(archived, bounds, size)
	maps.Copy(until, plan)
	return until, ok
}

func ofArchive(all offsets.Positions) offsets.Positions {
	out := all.Clone()
	maps.DeleteFunc(out, func(p offsets.Partition, _ int64) bool { return !offsets.Archived(p.Topic) })
	return out
}

// Starts are those of the live source, nil if it does not tell.
func (s *Source) Starts(ctx context.Context) (offsets.Positions, error) {
	if live, ok := s.live.(source.Starter); ok {
		return live.Starts(ctx)
	}
	return nil, nil
}

// OffsetsAt finds records of the live source.
func (s *Source) OffsetsAt(ctx context.Context, t time.Time) (offsets.Positions, error) {
	if live, ok := s.live.(source.TimeIndex); ok {
		return live.OffsetsAt(ctx, t)
	}
	return nil, fmt.Errorf("source %s does not find records by the time they were written at", s.name)
}

// SmallestTask is that of the source of the partition.
func (s *Source) SmallestTask(p offsets.Partition) int64 {
	if offsets.Archived(p.Topic) {
		return s.archive.SmallestTask(p)
	}
	return source.SmallestTaskOf(s.live, p)
}

// Read opens a range of either.
func (s *Source) Read(ctx context.Context, r offsets.Range) (source.Reader, error) {
	if offsets.Archived(r.Partition.Topic) {
		return s.archive.Read(ctx, r)
	}
	return s.live.Read(ctx, r)
}

// Ack tells the live source its positions.
func (s *Source) Ack(ctx context.Context, committed offsets.Positions) error {
	a, ok := s.live.(source.Acker)
	if !ok {
		return nil
	}
	committed = committed.Clone()
	maps.DeleteFunc(committed, func(p offsets.Partition, _ int64) bool { return offsets.Archived(p.Topic) })
	return a.Ack(ctx, committed)
}

// KeptSchema is that of the archive.
func (s *Source) KeptSchema() *columnar.Schema { return s.archive.KeptSchema() }

// Restore gives the archive its rows, unless it is over.
func (s *Source) Restore(rows []*columnar.Batch, at offsets.Progress) error {
	s.finish(at.Identity[s.name] == offsets.Finished)
	if s.finished() {
		return s.archive.Restore(nil, offsets.Progress{})
	}
	archive, _ := s.split(at)
	return s.archive.Restore(rows, archive)
}

// Kept is nothing once the archive is over.
func (s *Source) Kept() int64 {
	if s.finished() {
		return 0
	}
	return s.archive.Kept()
}

// Turn ends a run of additions.
func (s *Source) Turn() int64 { return s.archive.Turn() }

// AddedSince counts the archive's rows.
func (s *Source) AddedSince(run int64) int64 {
	if s.finished() {
		return 0
	}
	return s.archive.AddedSince(run)
}

// KeptSince copies the archive's rows.
func (s *Source) KeptSince(run int64) *columnar.Batch {
	if s.finished() {
		return nil
	}
	return s.archive.KeptSince(run)
}
