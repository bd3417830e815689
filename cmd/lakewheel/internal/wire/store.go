package wire

import (
	"context"
	"net/http"
	"os"
	"sync"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
)

// OpenStore opens the store of a table: a local folder, or s3://bucket/prefix.
func (w World) OpenStore(c store.S3Config, path string) (store.Store, error) {
	if w.S3 != nil && store.IsS3(path) {
		return w.S3(c, path)
	}
	return w.Objects(path)
}

// openS3 opens stores with what the environment says beside the settings. Those without TLS settings of their own share connections.
func openS3(clock microbatch.Clock) func(store.S3Config, string) (store.Store, error) {
	shared := sync.OnceValue(func() http.RoundTripper { return store.NewS3Transport(nil) })
	return func(c store.S3Config, path string) (store.Store, error) {
		c = c.WithEnvironment(os.LookupEnv)
		c.Now, c.Sleep = clock.Now, clock.Sleep
		if c.Base == nil && c.TLS == nil {
			c.Base = shared()
		}
		s, err := store.NewS3(path, c)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// Probe makes sure that the stores of a pipeline's tables keep their promises before the first batch, once for each bucket.
func Probe(ctx context.Context, p *config.Pipeline, w World) error {
	probed := map[string]bool{}
	for _, path := range []string{p.Sink.Path, p.DeadLetter, p.Late} {
		bucket, _, err := store.ParseS3(path)
		if err != nil || w.S3 == nil || probed[bucket] {
			continue
		}
		probed[bucket] = true
		objects, err := w.S3(p.S3, path)
		if err != nil {
			return err
		}
		if err := w.ProbeStore(ctx, objects); err != nil {
			return err
		}
	}
	return nil
}

// ProbeStore makes sure that a store keeps its promises, as far as it can be asked.
func (w World) ProbeStore(ctx context.Context, objects store.Store) error {
	s, ok := objects.(interface {
		Probe(ctx context.Context) (warnings []string, err error)
	})
	if !ok {
		return nil
	}
	warnings, err := s.Probe(ctx)
	for _, text := range warnings {
		w.Log.Warn(text)
	}
	return err
}
