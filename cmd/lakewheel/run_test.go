package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
)

// parsed is a pipeline over a memory source with a query and further keys.
func parsed(t *testing.T, more string) *config.Pipeline {
	p, err := config.Parse("p.yaml", "name: p\nsources: {events: {memory: {}, schema: \"ts TIMESTAMP, k STRING\", watermark: {column: ts, delay: 1s}}}\nsink: {delta: {path: t}}\n"+more, os.LookupEnv)
	require.NoError(t, err)
	return p
}

// The memory that the runtime may use is that of data in flight, and that of state where there is any.
func TestMemoryBudget(t *testing.T) {
	stateless := parsed(t, "query: SELECT k FROM events\nlimits: {memory: 80MiB}\nstate: {max_bytes: 1GiB}\n")
	windows := parsed(t, "query: \"SELECT k, count(*) AS n FROM events GROUP BY window(ts, '1 minute'), k\"\nlimits: {memory: 80MiB}\nstate: {max_bytes: 1GiB}\n")
	defaults := parsed(t, "query: \"SELECT k, count(*) AS n FROM events GROUP BY window(ts, '1 minute'), k\"\n")
	require.EqualValues(t, 70<<20, memoryBudget([]*config.Pipeline{stateless}))
	require.EqualValues(t, 70<<20+1<<30, memoryBudget([]*config.Pipeline{windows}))
	require.EqualValues(t, 448<<20+2<<30, memoryBudget([]*config.Pipeline{defaults}))
	require.EqualValues(t, 140<<20+1<<30, memoryBudget([]*config.Pipeline{stateless, windows}))
}
