package demo

import (
	"bytes"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
)

func options(t *testing.T, dir string, out io.Writer) Options {
	return Options{Dir: dir, Duration: 1500 * time.Millisecond, Rate: 2000, Seed: 7, Out: out, OnProgress: func(microbatch.Progress) {},
		World: wire.Real(slog.New(slog.NewTextHandler(io.Discard, nil)))}
}

// The demo balances, goes on in the same folder with the seed it began with, and notices a row that is missing or there twice.
func TestDemoBalances(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, Run(t.Context(), options(t, dir, &out)))
	require.Contains(t, out.String(), "every record is in exactly one place")
	again := options(t, dir, &out)
	again.Seed = 8
	require.NoError(t, Run(t.Context(), again))

	// Without its data file a table cannot be read; with another table's log it does not balance.
	other := options(t, t.TempDir(), &out)
	other.Seed = 9
	require.NoError(t, Run(t.Context(), other))
	tampered := options(t, dir, &out)
	tampered.World.Objects = func(path string) (store.Store, error) {
		if path == dir+"/events" {
			path = other.Dir + "/events"
		}
		return store.NewLocal(path)
	}
	p, err := writePipeline(dir, "127.0.0.1:1")
	require.NoError(t, err)
	require.ErrorIs(t, prove(t.Context(), tampered, p, 7, [partitions]int64{100, 100, 100, 100}), ErrUnbalanced)
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
