package main

import (
	"context"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// lag is what is there beyond the positions of a commit; nil where nothing is counted so.
type lag struct{ Records, Bytes *int64 }

// readLag asks the sources.
func readLag(ctx context.Context, p *config.Pipeline, w wire.World, r *committer.Record, state *microbatch.StateStore) (lag, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var out lag
	program, err := wire.Program(p)
	if err != nil {
		return out, err
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		src, err := w.OpenSource(ctx, p, s, program.Pipelines[i])
		if err != nil {
			return out, err
		}
		defer src.Close()
		if err := microbatch.RestoreLedger(ctx, state, r, s.Name, src); err != nil {
			return out, err
		}
		a, err := src.Available(ctx, r.Sources[s.Name])
		if err != nil {
			return out, err
		}
		out.add(s, a)
	}
	return out, nil
}

// add counts one source. Offsets of files, and of the archive before a topic, are bytes.
func (l *lag) add(s *config.Source, a source.Available) {
	count := func(into **int64, n int64) {
		if *into == nil {
			*into = new(int64)
		}
		**into += n
	}
	own := &l.Records
	if s.Files != nil || s.Delta != nil {
		own = &l.Bytes
	}
	count(own, 0)
	at := a.Progress.Positions()
	for p, end := range a.Latest {
		into := own
		if offsets.Archived(p.Topic) {
			into = &l.Bytes
		}
		count(into, max(0, end-at[p]))
	}
}
