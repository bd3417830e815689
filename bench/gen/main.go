// Command gen makes the stream of JSON events that the benchmarks read.
//
//	gen -n 5000000 -brokers 127.0.0.1:9092 -topic events          as fast as possible; nothing when the topic holds them already
//	gen -n 5000000 -file events.ndjson                            the same bytes, one event a line
//	gen -n 30000 -rate 1000 -live -brokers ... -topic slow        1000 a second, ts = now
//	gen -n 5000000 -expect                                        what the benchmark's query must give, as JSON
//
// # Model
//
// An event is a function of (seed, number). The partition is number mod partitions, the key user_id as text, and the time of
// an event is a clock of -event-rate events a second with up to 5 s of jitter.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

type options struct {
	n, seed, partitions  uint64
	eventRate, rate      float64
	base                 time.Time
	brokers, topic, file string
	live, expect         bool
}

func main() {
	o, err := parse()
	if err == nil {
		err = run(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func parse() (options, error) {
	o, base := options{}, ""
	flag.Uint64Var(&o.n, "n", 5_000_000, "events")
	flag.Uint64Var(&o.seed, "seed", 42, "seed")
	flag.Uint64Var(&o.partitions, "partitions", 4, "partitions of the topic")
	flag.Float64Var(&o.eventRate, "event-rate", 10_000, "events per second of event time")
	flag.Float64Var(&o.rate, "rate", 0, "events per second of wall time; 0: as fast as possible")
	flag.StringVar(&base, "base", "2026-01-01T00:00:00Z", "event time of event 0")
	flag.StringVar(&o.brokers, "brokers", "", "Kafka bootstrap; empty: no Kafka")
	flag.StringVar(&o.topic, "topic", "events", "topic")
	flag.StringVar(&o.file, "file", "", "NDJSON file to write")
	flag.BoolVar(&o.live, "live", false, "event time is the wall clock")
	flag.BoolVar(&o.expect, "expect", false, "print what the query must give")
	flag.Parse()
	var err error
	o.base, err = time.Parse(time.RFC3339, base)
	return o, err
}

func run(ctx context.Context, o options) error {
	if o.expect {
		return json.NewEncoder(os.Stdout).Encode(expect(o.seed, o.n))
	}
	if o.file != "" {
		if err := writeFile(o); err != nil {
			return err
		}
	}
	if o.brokers != "" {
		return produce(ctx, o)
	}
	return nil
}

// millis is the time of event i.
func (o options) millis(i uint64, e event) int64 {
	if o.live {
		return time.Now().UnixMilli()
	}
	return o.base.UnixMilli() + int64(float64(i)*1000/o.eventRate) + e.jitter
}
