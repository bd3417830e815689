package offsets

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func part(id int32) Partition { return Partition{"t", id} }

// The case of Spark's KafkaMicroBatchSourceSuite "maxOffsetsPerTrigger": backlogs of
// 101, 11 and 1 messages and a limit of 10. The shares do not sum to the limit.
func TestPlanSharesTheLimitAsSpark(t *testing.T) {
	at := Positions{part(0): 100, part(1): 10, part(2): 1}
	ends := Positions{part(0): 201, part(1): 21, part(2): 2}
	for _, want := range []Positions{
		{part(0): 108, part(1): 11, part(2): 2},
		{part(0): 117, part(1): 12, part(2): 2},
		{part(0): 126, part(1): 13, part(2): 2},
		{part(0): 135, part(1): 14, part(2): 2},
	} {
		at = Plan(at, ends, 10)
		require.Equal(t, want, at)
	}
}

func TestPlanEdges(t *testing.T) {
	for name, c := range map[string]struct {
		from, ends Positions
		limit      int64
		want       Positions
	}{
		"no limit reads to the end":           {Positions{part(0): 5}, Positions{part(0): 9}, 0, Positions{part(0): 9}},
		"an end that went backwards":          {Positions{part(0): 5}, Positions{part(0): 2}, 10, Positions{part(0): 5}},
		"a partition without an end stays":    {Positions{part(0): 5, part(1): 3}, Positions{part(0): 9}, 10, Positions{part(0): 9, part(1): 3}},
		"nothing to read":                     {Positions{part(0): 5}, Positions{part(0): 5}, 10, Positions{part(0): 5}},
		"a limit wider than any log":          {Positions{part(0): 0}, Positions{part(0): math.MaxInt64}, math.MaxInt64, Positions{part(0): math.MaxInt64}},
		"a tiny share is one, not none":       {Positions{part(0): 0, part(1): 0}, Positions{part(0): 1000000, part(1): 1}, 10, Positions{part(0): 9, part(1): 1}},
		"no partitions at all":                {Positions{}, Positions{}, 10, Positions{}},
		"a partition only in ends is skipped": {Positions{}, Positions{part(0): 4}, 10, Positions{}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Plan(c.from, c.ends, c.limit)) })
	}
}

// Whatever the backlog: ranges lie between start and end, every backlog moves, and
// the sum passes the limit by less than one a partition.
func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, ends := Positions{}, Positions{}
		for i := range rapid.IntRange(1, 20).Draw(t, "partitions") {
			p := part(int32(i))
			from[p] = rapid.Int64Range(0, 1<<40).Draw(t, "from")
			ends[p] = from[p] + rapid.Int64Range(0, 1<<40).Draw(t, "backlog")
		}
		limit := rapid.Int64Range(1, 1<<41).Draw(t, "limit")
		until := Plan(from, ends, limit)
		sum := int64(0)
		for p := range from {
			require.GreaterOrEqual(t, until[p], from[p])
			require.LessOrEqual(t, until[p], ends[p])
			if ends[p] > from[p] {
				require.Greater(t, until[p], from[p], "a backlog that never moves starves")
			}
			sum += until[p] - from[p]
		}
		require.LessOrEqual(t, sum, limit+int64(len(from)))
	})
}

// Split pieces are disjoint, in order, cover their range and are not smaller than asked.
func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ranges []Range
		for i := range rapid.IntRange(1, 8).Draw(t, "partitions") {
			from := rapid.Int64Range(0, 1000).Draw(t, "from")
			ranges = append(ranges, Range{Source: "s", Partition: part(int32(i)), From: from, Until: from + rapid.Int64Range(1, 1<<40).Draw(t, "len")})
		}
		smallest := rapid.Int64Range(1, 10000).Draw(t, "smallest")
		pieces := Split(ranges, rapid.IntRange(1, 32).Draw(t, "parts"), smallest)
		i := 0
		for _, r := range ranges {
			for at := r.From; at < r.Until; i++ {
				require.Equal(t, r.Partition, pieces[i].Partition)
				require.Equal(t, at, pieces[i].From)
				require.Greater(t, pieces[i].Until, at)
				require.GreaterOrEqual(t, pieces[i].Len(), min(smallest, r.Len()))
				at = pieces[i].Until
			}
		}
		require.Len(t, pieces, i)
	})
}

func TestSplitKeepsWorkersBusy(t *testing.T) {
	hot := Range{Partition: part(0), From: 0, Until: 990_000}
	cold := Range{Partition: part(1), From: 0, Until: 10_000}
	require.Len(t, Split([]Range{hot, cold}, 4, 1000), 5)
}

func TestPositionsJSON(t *testing.T) {
	p := Positions{{"b", 10}: 3, {"b", 2}: 4, {"a\"", 0}: 5}
	b, err := json.Marshal(p)
	require.NoError(t, err)
	require.Equal(t, `{"a\"":{"0":5},"b":{"2":4,"10":3}}`, string(b))
	var back Positions
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, p, back)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"t":{"x":1}}`), &back), `partition "x" of topic "t" is not a number`)
}

func FuzzPositionsJSON(f *testing.F) {
	f.Add([]byte(`{"t":{"0":5,"10":3}}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p, back Positions
		if json.Unmarshal(b, &p) != nil {
			return
		}
		out, err := json.Marshal(p)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(out, &back))
		require.Equal(t, p, back)
	})
}
