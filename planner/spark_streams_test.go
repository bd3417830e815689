package planner

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// stream is a query over streams with what Spark made of it: columns and types, or the condition with which it refuses it.
type stream struct {
	Seed    int
	Query   string
	Mode    string
	Sources map[string]struct {
		Schema    string
		Watermark *struct{ Column, Delay string }
		Dedup     *struct {
			Keys   []string
			Within bool `json:"within_watermark"`
		}
	}
	Columns, Types []string
	Error          string
}

func (s stream) catalog(t *testing.T) Catalog {
	cat := Catalog{}
	for name, source := range s.Sources {
		schema, err := ParseSchema(source.Schema)
		require.NoError(t, err)
		table := Table{Schema: schema}
		if w := source.Watermark; w != nil {
			words, err := compute.IntervalWords(w.Delay)
			require.NoError(t, err)
			length, err := compute.IntervalMicros(words)
			require.NoError(t, err)
			us, err := strconv.ParseInt(compute.Fold(length).String(), 10, 64)
			require.NoError(t, err)
			table.EventTime = &EventTime{Column: w.Column, Delay: us}
		}
		if d := source.Dedup; d != nil {
			table.Dedup = &DedupRule{Keys: d.Keys, Within: d.Within}
		}
		cat[name] = table
	}
	return cat
}

// Queries over streams have the columns and the types that Spark 4.0.1 gives them, or its condition.
func TestSparkStreams(t *testing.T) {
	file, err := os.Open("testdata/streams/queries.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s stream
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		t.Run(strconv.Itoa(s.Seed), func(t *testing.T) { s.check(t) })
	}
}

func (s stream) check(t *testing.T) {
	cat := s.catalog(t)
	p, err := Plan(s.Query, cat, Options{Mode: parseMode(t, s.Mode), Spark: true})
	s.verify(t, cat, p, err)
}

// verify compares what became of the query with what Spark made of it.
func (s stream) verify(t *testing.T, cat Catalog, p *Planned, err error) {
	require.Equal(t, s.Error, conditionOf(err), "%v", err)
	if s.Error != "" {
		return
	}
	require.NoError(t, err)
	checkPlanned(t, s.Query, cat, parseMode(t, s.Mode), p)
	for i, f := range p.Physical.Schema().Fields {
		require.Equal(t, s.Columns[i], f.Name)
		require.Equal(t, s.Types[i], simpleString(f.Type))
	}
	require.Len(t, s.Columns, p.Physical.Schema().Len())
}

// conditionOf is the condition of the first fault, "" if there is none.
func conditionOf(err error) string {
	var fault *Error
	if errors.As(err, &fault) {
		return fault.Condition
	}
	return ""
}

// simpleString is a type as Spark prints it in short.
func simpleString(t columnar.Type) string {
	return strings.NewReplacer(": ", ":", ", ", ",").Replace(strings.ToLower(t.String()))
}
