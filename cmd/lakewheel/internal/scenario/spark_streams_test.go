package scenario_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/streamtest"
)

// knownStreams are the seeds of which Lakewheel answers otherwise, each with its reason.
var knownStreams = map[int]string{}

// TestSparkStreams compares rows, state, drops and watermark of random pipelines with Spark's, step by step.
func TestSparkStreams(t *testing.T) {
	var kinds []string
	all, agree := map[string]int{}, map[string]int{}
	for _, s := range readStreams(t) {
		if !slices.Contains(kinds, s.Kind) {
			kinds = append(kinds, s.Kind)
		}
		all[s.Kind]++
		difference := s.Compare(t)
		reason, known := knownStreams[s.Seed]
		switch {
		case difference == "":
			agree[s.Kind]++
			require.False(t, known, "seed %d agrees, but is listed as known to differ: %s", s.Seed, reason)
		case known:
			t.Logf("seed %d (%s) differs: %s", s.Seed, s.Kind, reason)
		default:
			t.Errorf("seed %d (%s, %s): %s\n  %s", s.Seed, s.Kind, s.Mode, difference, s.Query)
		}
	}
	for _, kind := range kinds {
		t.Logf("%-10s %d of %d agree", kind, agree[kind], all[kind])
	}
}

var cutSeed = flag.Uint64("seed", 0, "seed of the cuts of TestStreamsUnderAnyCut; 0: a new one")

// TestStreamsUnderAnyCut: where no row is late, the table does not depend on how the input is cut into batches, nor on the number of workers
// and shards, which changes at each restart.
func TestStreamsUnderAnyCut(t *testing.T) {
	seed := *cutSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("repeat with -seed %d", seed)
	r, filled := rand.New(rand.NewPCG(seed, 0)), 0
	for _, s := range readStreams(t) {
		if !s.Cuttable() {
			continue
		}
		want := s.Uncut(t, 0, 2)
		filled += min(1, strings.Count(want, "{"))
		rows, workers := int64(1+r.IntN(12)), []int{1 + r.IntN(8), 1 + r.IntN(8), 1 + r.IntN(8)}
		require.Equal(t, want, s.Uncut(t, rows, workers...), "seed %d in batches of %d rows, workers %v: %s", s.Seed, rows, workers, s.Query)
	}
	require.Greater(t, filled, 100, "tables with rows")
}

func readStreams(t *testing.T) (out []streamtest.Stream) {
	f, err := os.Open("testdata/spark/spark_streams.jsonl.gz")
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	d := json.NewDecoder(unzipped)
	for {
		var s streamtest.Stream
		err := d.Decode(&s)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, s)
	}
}
