package store

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/minio/minio-go/v7"
)

// ErrNoCondition: the store ignores If-None-Match on writes, so that two writers could both believe that they have committed.
var ErrNoCondition = errors.New("the store ignores If-None-Match on writes")

const (
	probeFolder   = "_lakewheel/probe"
	probeRacers   = 8
	reachAttempts = 3 // at the start somebody waits for the answer
)

// Probe finds out whether put-if-absent decides here: once after the other, then by several at once. It returns what else should be
// known about the bucket, in sentences. It writes, and removes, two objects.
func (s *S3) Probe(ctx context.Context) (warnings []string, err error) {
	if s.config.UnsafeSingleWriter {
		if err := s.reach(ctx, probeFolder+"/"+s.config.NewID()); err != nil {
			return nil, s.probeFailed(err)
		}
		warnings = append(warnings, fmt.Sprintf("%s is used with unsafe_single_writer: a second writer at the same time loses commits", s))
	} else if err := s.probe(ctx); err != nil {
		return nil, err
	}
	return append(warnings, s.lifecycleWarnings(ctx)...), nil
}

func (s *S3) probe(ctx context.Context) error {
	id := s.config.NewID()
	alone, race := probeFolder+"/"+id+"-alone", probeFolder+"/"+id+"-race"
	if err := s.reach(ctx, alone); err != nil {
		return s.probeFailed(err)
	}
	err := s.probeAlone(ctx, alone)
	if err == nil {
		err = s.probeRace(ctx, race)
	}
	if err != nil && !errors.Is(err, ErrNoCondition) {
		return err
	}
	return errors.Join(err, s.Delete(ctx, alone), s.Delete(ctx, race))
}

// reach asks for an object that cannot be there: an answer means that the store, the bucket and the credentials are right.
func (s *S3) reach(ctx context.Context, name string) error {
	key, err := s.key(name)
	if err != nil {
		return err
	}
	return ignoreMissing(s.retryUpTo(ctx, reachAttempts, "GET", key, 0, func(ctx context.Context) error {
		r, _, _, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		return r.Close()
	}))
}

// probeAlone writes twice; the second must be refused, and the first must stay.
func (s *S3) probeAlone(ctx context.Context, name string) error {
	if _, err := s.PutIfAbsent(ctx, name, []byte("first")); err != nil {
		return s.probeFailed(err)
	}
	_, err := s.PutIfAbsent(ctx, name, []byte("second"))
	switch {
	case err == nil:
		return s.ignores("an object was overwritten by a write that was told not to")
	case !errors.Is(err, ErrExists):
		return s.probeFailed(err)
	}
	return s.probeContent(ctx, name, "first")
}

// probeRace writes by several at once; exactly one may win, and its bytes are there.
func (s *S3) probeRace(ctx context.Context, name string) error {
	outcomes := make([]error, probeRacers)
	var racers sync.WaitGroup
	for i := range outcomes {
		racers.Go(func() { _, outcomes[i] = s.PutIfAbsent(ctx, name, racerBody(i)) })
	}
	racers.Wait()
	winner, winners := 0, 0
	for i, err := range outcomes {
		switch {
		case err == nil:
			winner, winners = i, winners+1
		case !errors.Is(err, ErrExists):
			return s.probeFailed(err)
		}
	}
	if winners != 1 {
		return s.ignores(fmt.Sprintf("%d of %d writers at once were told that they had created the same object", winners, probeRacers))
	}
	return s.probeContent(ctx, name, string(racerBody(winner)))
}

func racerBody(i int) []byte { return fmt.Appendf(nil, "racer %d", i) }

func (s *S3) probeContent(ctx context.Context, name, want string) error {
	body, _, err := s.Get(ctx, name)
	switch {
	case err != nil:
		return s.probeFailed(err)
	case string(body) != want:
		return s.ignores("an object that was created has the content of a write that was refused")
	}
	return nil
}

func (s *S3) probeFailed(err error) error { return fmt.Errorf("%s cannot be used: %w", s, err) }

func (s *S3) ignores(what string) error {
	return fmt.Errorf("%w: at %s %s. Commits need that to be refused, or two writers overwrite each other. "+
		"Use a store that honours it, or, if never more than one process writes to the table, set s3.unsafe_single_writer: true", ErrNoCondition, s, what)
}
