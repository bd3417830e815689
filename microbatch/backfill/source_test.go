package backfill

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
)

// keeper is a source with a ledger.
type keeper struct {
	*memory.Source
	source.Keeper
}

// The past of files, and of a topic with an archive before it, cannot be read again.
func TestRepeatable(t *testing.T) {
	live := memory.New("events", false)
	require.NoError(t, repeatable("events", live, offsets.Progress{Identity: map[string]string{"events": ""}}))
	require.ErrorContains(t, repeatable("events", live, offsets.Progress{Identity: map[string]string{"events/archive": offsets.Finished}}), "source events: the pipeline began with an archive")
	require.ErrorContains(t, repeatable("events", keeper{Source: live}, offsets.Progress{}), "source events: which files a range of its past had is not kept")
}
