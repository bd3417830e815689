package backfill

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
)

// keeper is a source with a ledger.
type keeper struct {
	source.Source
	source.Keeper
}

// The past of files, and of a topic with an archive before it, cannot be read again.
func TestRepeatable(t *testing.T) {
	live := memory.New("events", false)
	at := func(topic, state string) offsets.Progress {
		return offsets.Progress{Identity: map[string]string{topic: state}}
	}
	for _, c := range []struct {
		source source.Source
		read   offsets.Progress
		kind   Kind
		want   string // "": it is repeatable
	}{
		{live, at("events", ""), All, ""},
		{live, at("events/archive", "a folder"), Offsets, "source events: the pipeline still reads its archive"},
		{live, at("events/archive", offsets.Finished), EventTime, "source events: the pipeline began with an archive"},
		{live, at("events/archive", offsets.Finished), KafkaTime, ""},
		{keeper{Source: live}, at("events/table", "an id"), All, "source events: which files a range of its past had is not kept"},
	} {
		err := repeatable("events", c.source, c.read, c.kind)
		require.Equal(t, c.want == "", err == nil, "%v", err)
		require.ErrorContains(t, errors.Join(err, errors.New("")), c.want)
	}
}
