package scenario_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
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
