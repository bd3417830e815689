package files

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Entry is a file that is to be read, with its place among the offsets of the source.
type Entry struct {
	store.Info
	Start int64  // its first offset; it has Size of them
	Note  string // what its feed has to know to read it
	Next  int64  // where its feed goes on behind it, if it follows

	listed int64 // the listing that saw it last
	gone   error // why it cannot be read any more
}

// End is the offset behind the file.
func (e *Entry) End() int64 { return e.Start + e.Size }

// lost reports whether the file should be read and cannot be.
func (e *Entry) lost() bool { return e.gone != nil && e.Name != "" }

// digest is what a name is known by once its file was read.
type digest [16]byte

func digestOf(name string) digest { return xxh3.HashString128(name).Bytes() }

// contentOf tells versions of a file apart.
func contentOf(in store.Info) uint64 {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(in.Size))
	return xxh3.HashString(string(size[:]) + in.ETag)
}

// fact is what stays of a file.
type fact struct {
	name    digest
	content uint64
	run     int32 // of additions in which it was found; 0: by a restore
}

// ledger knows the files that were found, in order. It is not safe for concurrent use.
type ledger struct {
	// follows: the feed never gives a file twice, so that nothing need be kept of those that were read.
	follows bool
	facts   []fact
	base    int            // how many facts are dropped
	at      map[digest]int // number of the newest fact of a name; nil if follows
	pending []*Entry       // not wholly read, in order
	places  []int          // numbers of their facts
	end     int64          // behind the last file
	run     int32          // of the additions to come
	next    int64          // where a feed that follows goes on; -1: at its start
}

func newLedger(follows bool) *ledger {
	l := &ledger{follows: follows, next: -1}
	if !follows {
		l.at = map[digest]int{}
	}
	return l
}

// standing says what the ledger knows of a file.
type standing int

const (
	unknown standing = iota
	known            // as it is
	waiting          // to be read, and it has changed since it was found
	torn             // read in part, and it has changed since
	changed          // after it was read
)

// look compares a file with the ledger. It also returns its entry, if it is still to be read.
func (l *ledger) look(in store.Info, position int64) (standing, *Entry) {
	at, ok := l.at[digestOf(in.Name)]
	if !ok {
		return unknown, nil
	}
	e := l.entry(at)
	switch {
	case l.facts[at-l.base].content == contentOf(in):
		return known, e
	case e == nil:
		return changed, nil
	case e.Start >= position:
		return waiting, e
	}
	return torn, e
}

// entry is the pending file of a fact, nil if it was read.
func (l *ledger) entry(fact int) *Entry {
	if i, ok := slices.BinarySearch(l.places, fact); ok {
		return l.pending[i]
	}
	return nil
}

// add notes a file at the end. If it waits already, its old place is void from now on.
func (l *ledger) add(f Found) {
	in, name := f.Info, digestOf(f.Name)
	if at, ok := l.at[name]; ok {
		l.void(at)
	}
	l.put(fact{name, contentOf(in), l.run}, &Entry{Info: in, Start: l.end, Note: f.Note, Next: f.Next})
}

// void makes the place of a pending file one that nothing is read from.
func (l *ledger) void(fact int) {
	if e := l.entry(fact); e != nil {
		e.Name = ""
	}
}

func (l *ledger) put(f fact, e *Entry) {
	number := l.base + len(l.facts)
	l.facts = append(l.facts, f)
	if !l.follows {
		l.at[f.name] = number
	}
	if e == nil {
		return
	}
	l.end = e.End()
	if e.Size > 0 {
		l.pending, l.places = append(l.pending, e), append(l.places, number)
	}
}

// accept takes the present state of a file that was read for the one that was read, so that it is reported once.
func (l *ledger) accept(in store.Info) { l.put(fact{digestOf(in.Name), contentOf(in), l.run}, nil) }

// forget drops the names of files that lie before a position.
func (l *ledger) forget(position int64) {
	n := sort.Search(len(l.pending), func(i int) bool { return l.pending[i].End() > position })
	clear(l.pending[:n])
	l.pending, l.places = l.pending[n:], l.places[n:]
	if !l.follows {
		return
	}
	keep := l.base + len(l.facts)
	if len(l.places) > 0 {
		keep = l.places[0]
	}
	l.facts, l.base = l.facts[keep-l.base:], keep
}

// between lists the pending files that have offsets in [from, until), but those that are void.
func (l *ledger) between(from, until int64) ([]*Entry, error) {
	var out []*Entry
	i := sort.Search(len(l.pending), func(i int) bool { return l.pending[i].End() > from })
	if i == len(l.pending) || l.pending[i].Start > from {
		return nil, fmt.Errorf("the ledger does not know the offsets [%d,%d)", from, until)
	}
	for ; i < len(l.pending) && l.pending[i].Start < until; i++ {
		if l.pending[i].Name != "" {
			out = append(out, l.pending[i])
		}
	}
	return out, nil
}

// turn ends a run of additions and returns its number.
func (l *ledger) turn() int64 {
	if n := len(l.facts); n > 0 && l.facts[n-1].run == l.run {
		l.run++
	}
	return int64(l.run - 1)
}

// since is the position in facts of the first that was found after a run.
func (l *ledger) since(run int64) int {
	return sort.Search(len(l.facts), func(i int) bool { return int64(l.facts[i].run) > run })
}
