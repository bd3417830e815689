package kafka

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

var (
	p0 = offsets.Partition{Topic: "t", ID: 0}
	p1 = offsets.Partition{Topic: "t", ID: 1}
)

// oneTopic is topic t with the id and so many partitions, each log being [start,high) and readable up to end.
func oneTopic(id byte, partitions int32, start, end, high int64) facts {
	f := facts{
		topics: map[string]topic{"t": {id: [16]byte{id}, partitions: map[int32]leader{}}},
		starts: offsets.Positions{}, ends: offsets.Positions{}, highs: offsets.Positions{}, epochEnds: offsets.Positions{},
	}
	for i := range partitions {
		p := offsets.Partition{Topic: "t", ID: i}
		f.topics["t"].partitions[i] = leader{1, 3}
		f.starts[p], f.ends[p], f.highs[p] = start, end, high
	}
	return f
}

func with(f facts, change func(*facts)) facts {
	change(&f)
	return f
}

func knownAt(id string, next int64) offsets.Progress {
	return offsets.Progress{Kind: "kafka", Identity: map[string]string{"t": id}, Partitions: offsets.Marks{p0: {First: 2, Next: next, LeaderEpoch: 3}}}
}

var idOne, idTwo = topic{id: [16]byte{1}}.identity(), topic{id: [16]byte{2}}.identity()

// Progress knows partition 0 up to 10 throughout.
func TestCheck(t *testing.T) {
	none := oneTopic(1, 1, 0, 20, 20)
	gone := offsets.Mark{First: -1}
	for _, c := range []struct {
		name  string
		known string
		f     facts
		kind  lossKind // "": nothing is lost
		until int64
		after offsets.Mark
	}{
		{"sound", idOne, none, "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"at the end", idOne, oneTopic(1, 1, 0, 10, 10), "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"at the start", idOne, oneTopic(1, 1, 10, 20, 20), "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"stable offset below what is read", idOne, oneTopic(1, 1, 0, 5, 20), "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"brokers without ids", "", none, "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"ids that went away", idOne, oneTopic(0, 1, 0, 20, 20), "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"aged out", idOne, oneTopic(1, 1, 15, 20, 20), belowStart, 15, offsets.Mark{First: 2, Next: 15, LeaderEpoch: 3}},
		{"all aged out", idOne, oneTopic(1, 1, 20, 20, 20), belowStart, 20, offsets.Mark{First: 2, Next: 20, LeaderEpoch: 3}},
		{"ends below", idOne, oneTopic(1, 1, 0, 7, 7), pastEnd, 10, offsets.Mark{First: 2, Next: 7, LeaderEpoch: -1}},
		{"truncated and grown again", idOne, with(none, func(f *facts) { f.epochEnds = offsets.Positions{p0: 6} }), truncated, 10, offsets.Mark{First: 2, Next: 6, LeaderEpoch: -1}},
		{"epoch ends at what is read", idOne, with(none, func(f *facts) { f.epochEnds = offsets.Positions{p0: 10} }), "", 0, offsets.Mark{First: 2, Next: 10, LeaderEpoch: 3}},
		{"recreated", idTwo, oneTopic(1, 1, 4, 20, 20), recreated, 10, offsets.Mark{First: 4, Next: 4, LeaderEpoch: -1}},
		{"deleted", idOne, facts{topics: map[string]topic{}}, recreated, 10, gone},
		{"fewer partitions", idOne, with(oneTopic(1, 2, 0, 20, 20), func(f *facts) { delete(f.topics["t"].partitions, 0) }), vanished, 10, gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, losses := check(Config{Name: "in"}, knownAt(c.known, 10), c.f)
			mark, ok := a.Progress.Partitions[p0]
			if !ok {
				mark = gone
			}
			require.Equal(t, c.after, mark)
			if c.kind == "" {
				require.Empty(t, losses)
				require.Empty(t, a.Holes)
				return
			}
			require.Len(t, losses, 1)
			require.Equal(t, c.kind, losses[0].Kind)
			require.Equal(t, []offsets.Range{{Source: "in", Partition: p0, From: 10, Until: c.until}}, a.Holes)
			require.ErrorIs(t, losses[0], source.ErrDataLoss)
			require.Contains(t, losses[0].Error(), "source in, topic t, partition 0")
		})
	}
}

func TestCheckIdentity(t *testing.T) {
	for _, c := range []struct {
		name, known string
		f           facts
		want        map[string]string
	}{
		{"kept", idOne, oneTopic(1, 1, 0, 20, 20), map[string]string{"t": idOne}},
		{"kept when the broker does not say", idOne, oneTopic(0, 1, 0, 20, 20), map[string]string{"t": idOne}},
		{"learnt", "", oneTopic(1, 1, 0, 20, 20), map[string]string{"t": idOne}},
		{"replaced", idTwo, oneTopic(1, 1, 0, 20, 20), map[string]string{"t": idOne}},
		{"forgotten", idOne, facts{}, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := knownAt(c.known, 10)
			a, _ := check(Config{}, known, c.f)
			require.Equal(t, c.want, a.Progress.Identity)
			require.Equal(t, knownAt(c.known, 10), known, "what was known is left alone")
		})
	}
}

func TestCheckAddedPartitionsStartAtTheEarliest(t *testing.T) {
	f := oneTopic(1, 2, 0, 20, 20)
	f.starts[p1] = 5
	a, losses := check(Config{Start: Start{Kind: Latest}}, knownAt(idOne, 10), f)
	require.Empty(t, losses)
	require.Equal(t, offsets.Mark{First: 5, Next: 5, LeaderEpoch: -1}, a.Progress.Partitions[p1])
	require.Equal(t, f.ends, a.Ends)
	require.Equal(t, f.highs, a.Latest)
}

func TestCheckNamesLossesInOrder(t *testing.T) {
	known := knownAt(idOne, 10)
	known.Partitions[p1] = offsets.Mark{Next: 30}
	_, losses := check(Config{}, known, oneTopic(1, 2, 12, 20, 20))
	require.Len(t, losses, 2)
	require.Equal(t, p0, losses[0].Partition)
	require.Equal(t, p1, losses[1].Partition)
	require.Equal(t, pastEnd, losses[1].Kind)
}

// The logs are [4,30), readable up to 20, with one partition unless said otherwise.
func TestFirstStart(t *testing.T) {
	for _, c := range []struct {
		name  string
		start Start
		time  int64 // the first offset at the start time
		want  int64
		err   string
	}{
		{name: "earliest", want: 4},
		{name: "latest is as far as can be read", start: Start{Kind: Latest}, want: 20},
		{name: "by time", start: Start{Kind: AtTime}, time: 12, want: 12},
		{name: "by time, in an open transaction", start: Start{Kind: AtTime}, time: 25, want: 20},
		{name: "by time, nothing after it", start: Start{Kind: AtTime}, time: 30, want: 20},
		{name: "by time, before the log", start: Start{Kind: AtTime}, time: 0, want: 4},
		{name: "offset", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 7}}, want: 7},
		{name: "offset at the end", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 30}}, want: 30},
		{name: "offset -1", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: -1}}, want: 20},
		{name: "offset -2", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: -2}}, want: 4},
		{name: "below the log", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 3}}, err: "offset 3 of topic t, partition 0 is outside its log [4,30]"},
		{name: "beyond the log", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 31}}, err: "offset 31 of topic t, partition 0 is outside its log [4,30]"},
		{name: "not named", start: Start{Kind: AtOffsets}, err: "start.offsets must name every partition (-1 latest, -2 earliest): missing [t-0], not in the topic []"},
		{name: "not there", start: Start{Kind: AtOffsets, Offsets: offsets.Positions{p0: 7, p1: 7}}, err: "missing [], not in the topic [t-1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := firstStart(Config{Name: "in", Start: c.start}, oneTopic(1, 1, 4, 20, 30), offsets.Positions{p0: c.time})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, offsets.Progress{Kind: "kafka", Identity: map[string]string{"t": idOne}, Partitions: offsets.Marks{p0: {First: c.want, Next: c.want, LeaderEpoch: -1}}}, a.Progress)
		})
	}
}

// A source whose archive was read goes on without it; one whose archive was not does not, nor does one of another kind.
func TestArchives(t *testing.T) {
	c := Config{Name: "in"}
	require.NoError(t, checkKnown(c, offsets.Progress{Identity: map[string]string{"t": "id", "in/archive": offsets.Finished}}))
	require.EqualError(t, checkKnown(c, offsets.Progress{Identity: map[string]string{"t": "id", "in/archive": "/lake/old"}}),
		"source in: its archive, /lake/old, was not read to its end: put bootstrap back into the settings of the source")
	require.EqualError(t, checkKnown(c, offsets.Progress{Kind: "files"}),
		"source in was read from files before, and is Kafka now: restore it, or give the source another name and the pipeline another table")
}
