package scenario

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/memory"
	"github.com/lakewheel/lakewheel/offsets"
)

// archivePartitions is more than a script has.
const archivePartitions = 8

// withArchive is an environment whose sources have an archive before them: at the first run half of the documents of each partition are in files.
func withArchive(t *testing.T) *Env {
	e := New()
	archived, filled := map[*memory.Source]bool{}, map[string]bool{}
	e.Prepare = func(p *config.Pipeline) {
		p.Sources = slices.Clone(p.Sources)
		for i := range p.Sources {
			s := &p.Sources[i]
			if documents := e.source(s.Name); !archived[documents] {
				archived[documents] = true
				filled[s.Name] = archive(t, documents, s.Name, storeOf(e, archivePath(s.Name)))
			}
			if !filled[s.Name] {
				continue // an archive has files
			}
			glob, err := files.ParseGlob("**/*")
			require.NoError(t, err)
			s.Bootstrap = &config.Bootstrap{Files: &config.Files{Path: archivePath(s.Name), Glob: glob}, Format: s.Format}
		}
	}
	return e
}

func archivePath(source string) string { return "s3://archive/" + source }

// archive writes the files, one of each partition, and lets the source begin behind them; false if there is none. A null record has no form in a file.
func archive(t *testing.T, s *memory.Source, name string, into store.Store) (filled bool) {
	start := offsets.Positions{}
	for id := range int32(archivePartitions) {
		documents := s.Documents(id)
		documents = documents[:(len(documents)+1)/2]
		if at := slices.IndexFunc(documents, func(d []byte) bool { return d == nil }); at >= 0 {
			documents = documents[:at]
		}
		if len(documents) == 0 {
			continue
		}
		require.NoError(t, into.Put(t.Context(), fmt.Sprintf("%d", id), append(bytes.Join(documents, []byte("\n")), '\n')))
		start[offsets.Partition{Topic: name, ID: id}] = int64(len(documents))
	}
	s.StartAt(start)
	return len(start) > 0
}

// coordinates are columns of a query that say where and when a row was read.
var coordinates = regexp.MustCompile(`\b_(topic|partition|offset|timestamp)\b`)

// places are where and when a row was read, in a dead letter.
var places = regexp.MustCompile(`"topic":"[^"]*","partition":\d+,"offset":\d+,"timestamp":"[^"]*",`)

// withoutPlaces are tables without the places of their rows.
func withoutPlaces(tables string) string { return places.ReplaceAllString(tables, "") }
