package main

import (
	"context"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
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
		into := &out.Records
		if s.Files != nil || s.Delta != nil {
			into = &out.Bytes
		}
		if *into == nil {
			*into = new(int64)
		}
		**into += a.Progress.Positions().Behind(a.Latest)
	}
	return out, nil
}
