package main

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"time"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// lastRunName is the file beside a table that says how the newest run of a scheduler went, for people alone: nothing is decided by it, as the newest commit says when
// a pipeline ran last.
func lastRunName(pipeline string) string { return path.Join("_lakewheel", pipeline, "last_run.json") }

// lastRunWait bounds writing it.
const lastRunWait = 10 * time.Second

// noteRun writes the file. That it could not is said, and no failure of the run.
func noteRun(ctx context.Context, p *config.Pipeline, w wire.World, run finishedRun) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRunWait)
	defer cancel()
	objects, err := w.OpenStore(p.S3, p.Sink.Path)
	if err == nil {
		var body []byte
		if body, err = json.Marshal(run); err == nil {
			err = objects.Put(ctx, lastRunName(p.Name), body)
		}
	}
	if err != nil {
		w.Log.Warn("the result of the run could not be put beside the table, where schedule --list looks for it", "pipeline", p.Name, "error", err)
	}
}

// readRun reads the file, nil if there is none, or none that is understood.
func readRun(ctx context.Context, p *config.Pipeline, w wire.World) (*finishedRun, error) {
	objects, err := w.OpenStore(p.S3, p.Sink.Path)
	if err != nil {
		return nil, err
	}
	body, _, err := objects.Get(ctx, lastRunName(p.Name))
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil
	}
	run := new(finishedRun)
	if err != nil || json.Unmarshal(body, run) != nil {
		return nil, err
	}
	return run, nil
}
