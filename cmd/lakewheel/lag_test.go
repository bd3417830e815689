package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Records of topics, and bytes of files and archives, are counted apart; what was not asked for is not there.
func TestLagCounts(t *testing.T) {
	topic, archive, files := offsets.Partition{Topic: "t"}, offsets.Partition{Topic: "s/archive"}, offsets.Partition{Topic: "f"}
	available := func(latest offsets.Positions, read offsets.Marks) source.Available {
		return source.Available{Progress: offsets.Progress{Partitions: read}, Latest: latest}
	}
	var l lag
	l.add(&config.Source{Name: "s"}, available(nil, nil))
	require.Zero(t, *l.Records)
	require.Nil(t, l.Bytes)
	l.add(&config.Source{Name: "s"}, available(offsets.Positions{topic: 10, archive: 1000}, offsets.Marks{topic: {Next: 4}, archive: {Next: 400}}))
	l.add(&config.Source{Name: "f", Files: &config.Files{}}, available(offsets.Positions{files: 50}, offsets.Marks{files: {Next: 60}}))
	require.EqualValues(t, 6, *l.Records)
	require.EqualValues(t, 600, *l.Bytes)
}
