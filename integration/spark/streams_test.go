//go:build integration

package spark

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/streamtest"
)

// TestStreams compares random streams, of which Spark answers each a moment before: rows, state, drops and watermark, step by step.
func TestStreams(t *testing.T) {
	numbers := make([]int, howMany(t, "SPARK_STREAMS", 10))
	for i, r := 0, random(t); i < len(numbers); i++ {
		numbers[i] = r.IntN(1_000_000)
	}
	if os.Getenv("SPARK_STREAM") != "" {
		numbers = []int{howMany(t, "SPARK_STREAM", 0)}
	}
	refused := 0
	for _, number := range numbers {
		var s streamtest.Stream
		ask(t, &s, map[string]any{"do": "stream", "seed": number})
		if s.Expect.Error != "" {
			refused++
		}
		if difference := s.Compare(t); difference != "" {
			t.Errorf("SPARK_STREAM=%d (%s, %s): %s\n  %s", number, s.Kind, s.Mode, difference, s.Query)
		}
	}
	t.Logf("%d streams, of which Spark refuses %d", len(numbers), refused)
	require.Less(t, refused, max(2, len(numbers)/2), "too many mean nothing")
}
