// Package demo shows the engine at work on one machine: an embedded broker, a generator of page views, a pipeline
// into a Delta table, and a proof at the end, from the tables alone, that nothing was lost or doubled.
//
// # The proof
//
// Record i of the stream depends on the seed and i alone. At the end the stream is made again, up to the ends of the
// topic's partitions, and compared with what the tables hold: every page view once, every malformed document once as a dead
// letter, every bot nowhere.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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
	// OnProgress is called with every committed batch.
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
	p, err := writePipeline(o.Dir, b.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "broker    %s, topic %s\npipeline  %s\ntable     %s\n", b.addr, topic, p.File, p.Sink.Path)
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

// stream runs generator and pipeline side by side for the duration.
func (o Options) stream(ctx context.Context, b *broker, p *config.Pipeline, seed uint64) error {
	produce, endProduce := context.WithCancel(ctx)
	defer endProduce()
	generated := make(chan error, 1)
	go func() { generated <- b.generate(produce, seed, o.Rate) }()
	stop := make(chan struct{})
	ran := make(chan error, 1)
	go func() { ran <- o.runPipeline(ctx, p, stop) }()
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
	case err := <-ran:
		ran <- err
	}
	endProduce()
	genErr := <-generated
	close(stop)
	return errors.Join(genErr, <-ran)
}

// drain takes in what the generator produced last.
func (o Options) drain(ctx context.Context, p *config.Pipeline) error {
	bounded := *p
	bounded.Trigger.AvailableNow = true
	return o.runPipeline(ctx, &bounded, nil)
}

func (o Options) runPipeline(ctx context.Context, p *config.Pipeline, stop <-chan struct{}) error {
	q, closeSource, err := wire.Build(ctx, p, o.World)
	if err != nil {
		return err
	}
	defer closeSource()
	q.Stop, q.OnProgress = stop, o.OnProgress
	return microbatch.Run(ctx, q)
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

const pipelineFile = `# Page views from the demo's broker into a Delta table. Try: lakewheel plan %[1]s
name: events
sources:
  events:
    kafka: {brokers: ["%[2]s"], topic: events}
    schema: event_id STRING, ts TIMESTAMP, user_id BIGINT, page STRING, country STRING, duration_ms BIGINT, bot BOOLEAN
query: |
  SELECT event_id, ts, user_id, page, country, duration_ms / 1000 AS seconds
  FROM events
  WHERE NOT bot
sink:
  delta: {path: %[3]s}
`

// writePipeline writes the pipeline file, so that it can be looked at and run by hand, and loads it.
func writePipeline(dir, addr string) (*config.Pipeline, error) {
	file := filepath.Join(dir, "events.yaml")
	path, err := json.Marshal(strings.ReplaceAll(filepath.Join(dir, "events"), "${", "$${"))
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(pipelineFile, file, addr, path)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return nil, err
	}
	return config.Load(file, os.LookupEnv)
}
