package files

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/state"
	"github.com/lakewheel/lakewheel/offsets"
)

type feed struct{ Feed }

func (feed) Follows() bool         { return false }
func (feed) Divisible(string) bool { return true }
func (feed) SmallestTask() int64   { return 1 }

// What a restart reads from the files of the commits, which tiers merge, is the ledger as it was.
func TestLedgersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(Config{Name: "s", Feed: feed{}})
		require.NoError(t, s.Restore(nil, offsets.Progress{}))
		log := state.NewLog(nil)
		kept := map[string]*columnar.Batch{}
		position, sizes := int64(0), map[string]int64{}
		for commit := range rapid.IntRange(1, 20).Draw(t, "commits") {
			for range rapid.IntRange(0, 4).Draw(t, "files") {
				name := fmt.Sprintf("f%d", rapid.IntRange(0, 30).Draw(t, "name"))
				in := store.Info{Name: name, Size: rapid.Int64Range(0, 9).Draw(t, "size"), ETag: fmt.Sprint(commit)}
				switch standing, _ := s.ledger.look(in, position); standing {
				case unknown, waiting:
					s.ledger.add(Found{Info: in})
					sizes[name] = in.Size
				case changed:
					s.ledger.accept(in)
				}
			}
			position = rapid.Int64Range(position, s.ledger.end).Draw(t, "position")
			run := s.Turn()
			after, keep := log.Next()
			if rows := s.KeptSince(after); rows != nil {
				name := fmt.Sprint(commit)
				kept[name] = rows
				log.Add(name, after, keep, run)
			} else {
				log.Saved(run)
			}
			s.ledger.forget(position)
		}
		var rows []*columnar.Batch
		for _, name := range log.Names() {
			rows = append(rows, kept[name])
		}
		back := New(Config{Name: "s", Feed: feed{}})
		p := offsets.Partition{Topic: "s"}
		require.NoError(t, back.Restore(rows, offsets.Progress{Partitions: offsets.Marks{p: {Next: position}}}))
		require.Equal(t, s.ledger.end, back.ledger.end)
		require.Len(t, back.ledger.facts, len(s.ledger.facts))
		require.Equal(t, shown(s, position), shown(back, position))
		for name := range sizes {
			at := s.ledger.at[digestOf(name)]
			require.Equal(t, s.ledger.facts[at].content, back.ledger.facts[back.ledger.at[digestOf(name)]].content)
		}
	})
}

// shown are the files that are still to be read.
func shown(s *Source, position int64) (out []string) {
	if position == s.ledger.end {
		return nil
	}
	list, err := s.ledger.between(position, s.ledger.end)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range list {
		out = append(out, fmt.Sprint(e.Name, e.Start, e.Size, e.ETag))
	}
	return out
}

// Batches end between files where they can.
func TestCuts(t *testing.T) {
	l := newLedger(false)
	for i, size := range []int64{10, 10, 100, 10} { // at 0, 10, 20, 120
		l.add(Found{Info: store.Info{Name: fmt.Sprint(i), Size: size}})
	}
	anywhere, nowhere := func(string) bool { return true }, func(string) bool { return false }
	for name, c := range map[string]struct {
		at, bytes, files int64
		divisible        func(string) bool
		want             int64
	}{
		"no bounds":                           {0, 1 << 60, 0, anywhere, 130},
		"one file":                            {0, 1 << 60, 1, anywhere, 10},
		"two files":                           {10, 1 << 60, 2, anywhere, 120},
		"bytes that are whole files":          {0, 20, 0, anywhere, 20},
		"a file that fits is not cut":         {0, 15, 0, anywhere, 10},
		"one that does not fit is":            {0, 50, 0, anywhere, 50},
		"from its middle to its end":          {50, 75, 0, anywhere, 120},
		"a small file is not begun":           {100, 25, 0, anywhere, 120},
		"what cannot be cut comes alone":      {20, 50, 0, nowhere, 120},
		"and not behind others":               {0, 50, 0, nowhere, 20},
		"less than a row is still a position": {0, 1, 0, anywhere, 1},
	} {
		require.Equal(t, c.want, l.cut(c.at, l.end, c.bytes, c.files, c.divisible), name)
	}
}

// A feed that follows leaves nothing behind.
func TestFollowersForget(t *testing.T) {
	l := newLedger(true)
	l.run = 1
	for i := range 1000 {
		l.add(Found{Info: store.Info{Name: fmt.Sprint(i % 10), Size: 10}, Next: int64(i)})
		l.forget(l.end - 20)
		require.LessOrEqual(t, len(l.facts), 3)
	}
	require.Equal(t, 2, l.rows(0).Rows())
}
