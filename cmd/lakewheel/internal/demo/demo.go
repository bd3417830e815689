// Package demo shows the engine at work on one machine: an embedded broker, a generator of page views, two pipelines side by side,
// raw events and counts by window, into Delta tables, and a proof at the end, from the tables alone, that nothing was lost or doubled.
//
// # The proof
//
// Record i of the stream depends on the seed and i alone, but for its time. At the end the stream is made again, up to the ends of
// the topic's partitions, and compared with the table of events: every page view once, every malformed document once as a dead
// letter, every bot nowhere. The windows are then made again of that table, and compared with the table of counts: every
// window that the watermark has closed once, with its values, and no other. The watermark follows from the events as well.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/microbatch"
)

// Options of a demo.
type Options struct {
	Dir      string
	Duration time.Duration // 0: until Stop
	Rate     float64       // records a second
	Seed     uint64
	Out      io.Writer
	World    wire.World
	Stop     <-chan struct{}
	// OnProgress is called with every committed batch, by both pipelines at once.
	OnProgress func(microbatch.Progress)
}

// Run runs the demo. It returns an error if the proof fails.
func Run(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	unlock, err := lock(o.Dir)
	if err != nil {
		return err
	}
	defer unlock()
	seed, err := keepSeed(o)
	if err != nil {
		return err
	}
	b, err := startBroker(filepath.Join(o.Dir, "broker"))
	if err != nil {
		return err
	}
	defer b.cluster.Close()
	p, err := writePipelines(o.Dir, b.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "broker     %s, topic %s\n", b.addr, topic)
	for _, p := range p.all() {
		fmt.Fprintf(o.Out, "pipeline   %s into %s\n", p.File, p.Sink.Path)
	}
	if err := o.stream(ctx, b, p, seed); err != nil {
		return err
	}
	if err := o.drain(ctx, p); err != nil {
		return err
	}
	counts, err := b.counts(ctx)
	if err != nil {
		return err
	}
	return prove(ctx, o, p, seed, counts)
}

// stream runs generator and pipelines side by side for the duration.
func (o Options) stream(ctx context.Context, b *broker, p pipelines, seed uint64) error {
	produce, endProduce := context.WithCancel(ctx)
	defer endProduce()
	generated := make(chan error, 1)
	go func() { generated <- b.generate(produce, o.World.Clock.Now, seed, o.Rate) }()
	stop := make(chan struct{})
	ran := make(chan error, 1)
	ended := make(chan struct{})
	go func() { ran <- o.runAll(ctx, p, stop, sync.OnceFunc(func() { close(ended) })) }()
	var timeUp <-chan time.Time
	if o.Duration > 0 {
		timer := time.NewTimer(o.Duration)
		defer timer.Stop()
		timeUp = timer.C
	}
	select {
	case <-timeUp:
	case <-o.Stop:
	case err := <-generated:
		generated <- err
	case <-ended:
	}
	endProduce()
	genErr := <-generated
	close(stop)
	return errors.Join(genErr, <-ran)
}

// drain takes in what the generator produced last.
func (o Options) drain(ctx context.Context, p pipelines) error {
	for _, bounded := range p.all() {
		bounded.Trigger.AvailableNow = true
	}
	return o.runAll(ctx, p, nil, func() {})
}

// runAll runs the pipelines side by side until both have ended; onEnd is called when one has.
func (o Options) runAll(ctx context.Context, p pipelines, stop <-chan struct{}, onEnd func()) error {
	var group sync.WaitGroup
	errs := make([]error, len(p.all()))
	for i, p := range p.all() {
		group.Go(func() {
			defer onEnd()
			errs[i] = o.runPipeline(ctx, p, stop)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (o Options) runPipeline(ctx context.Context, p *config.Pipeline, stop <-chan struct{}) error {
	w := o.World
	w.Log = w.Log.With("pipeline", p.Name)
	q, closeSource, err := wire.Build(ctx, p, w)
	if err != nil {
		return err
	}
	defer closeSource()
	q.Stop, q.OnProgress = stop, o.OnProgress
	if err := microbatch.Run(ctx, q); err != nil {
		return fmt.Errorf("pipeline %s: %w", p.Name, err)
	}
	return nil
}

// keepSeed keeps the seed in the folder: a stream goes on only with the seed it began with.
func keepSeed(o Options) (uint64, error) {
	file := filepath.Join(o.Dir, "demo.json")
	var kept struct{ Seed uint64 }
	b, err := os.ReadFile(file)
	if err == nil {
		if err := json.Unmarshal(b, &kept); err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		return kept.Seed, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	kept.Seed = o.Seed
	if b, err = json.Marshal(kept); err != nil {
		return 0, err
	}
	return o.Seed, os.WriteFile(file, append(b, '\n'), 0o644)
}
