package demo

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
)

// fastClock passes twenty seconds in one, so that windows end while a test waits.
type fastClock struct{ base, start time.Time }

const speed = 20

func (c fastClock) Now() time.Time { return c.base.Add(speed * time.Since(c.start)) }

func (c fastClock) Sleep(ctx context.Context, d time.Duration) error {
	return microbatch.SystemClock{}.Sleep(ctx, d/speed)
}

func options(dir string, out io.Writer) Options {
	w := wire.Real(slog.New(slog.NewTextHandler(io.Discard, nil)))
	w.Clock = fastClock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), testStart}
	return Options{Dir: dir, Duration: time.Second, Rate: 2000, Seed: 7, Out: out, World: w, OnProgress: func(microbatch.Progress) {}}
}

var testStart = time.Now()

// run runs a demo, and returns what it says of windows.
func run(t *testing.T, o Options) string {
	var out bytes.Buffer
	o.Out = &out
	require.NoError(t, Run(t.Context(), o), out.String())
	require.Contains(t, out.String(), "every record is in exactly one place")
	require.Contains(t, out.String(), "every closed window counts exactly its events")
	_, said, _ := strings.Cut(out.String(), "\nwindows ")
	require.Contains(t, said, ": 0 missing, 0 doubled, 0 wrong; 0 events were late")
	return said
}

// The demo balances, and goes on in the same folder with the seed it began with. A folder that has no windows yet, as older
// demos left it, gets those of all its events.
func TestDemoBalances(t *testing.T) {
	dir := t.TempDir()
	require.NotContains(t, run(t, options(dir, nil)), " 0 rows up to")
	again := options(dir, nil)
	again.Seed = 8
	run(t, again)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "page_counts")))
	require.NoError(t, os.Remove(filepath.Join(dir, "page_counts.yaml")))
	require.NotContains(t, run(t, options(dir, nil)), " 0 rows up to")
}

// The proof fails with a table that is gone, and with that of another demo.
func TestProofFails(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	run(t, options(dir, nil))
	o := options(other, nil)
	o.Seed = 9
	run(t, o)
	for _, table := range []string{"events", "events_dead_letter", "page_counts"} {
		for _, path := range []string{filepath.Join(t.TempDir(), "gone"), filepath.Join(other, table)} {
			require.ErrorIs(t, proveWith(t, dir, table, path), ErrUnbalanced, "%s is %s", table, path)
		}
	}
	require.NoError(t, proveWith(t, dir, "", ""))
}

// proveWith proves a demo of seed 7 with one of its tables at another path.
func proveWith(t *testing.T, dir, table, path string) error {
	b, err := startBroker(filepath.Join(dir, "broker"))
	require.NoError(t, err)
	defer b.cluster.Close()
	counts, err := b.counts(t.Context())
	require.NoError(t, err)
	p, err := writePipelines(dir, b.addr)
	require.NoError(t, err)
	o := options(dir, io.Discard)
	o.World.Objects = func(at string) (store.Store, error) {
		if at == filepath.Join(dir, table) {
			at = path
		}
		return store.NewLocal(at)
	}
	return prove(t.Context(), o, p, 7, counts)
}

func TestOneDemoAFolder(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	require.NoError(t, err)
	_, err = lock(dir)
	require.ErrorContains(t, err, "another demo is running")
	unlock()
	unlock, err = lock(dir)
	require.NoError(t, err)
	unlock()
}
