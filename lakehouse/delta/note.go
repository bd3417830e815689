package delta

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Entries that this package writes carry a note: the head of the table as of their version. A start reads the newest entries back to one
// that has a note, which mostly is the newest, and no checkpoint and no more entries. A table without notes is replayed.

// noteKey is where the note stands in commitInfo.
const noteKey = "lakewheelHead"

// note is a head without its files.
type note struct {
	Version  int64            `json:"version"`
	Protocol *protocol        `json:"protocol"`
	MetaData *metaData        `json:"metaData"`
	Txns     []txn            `json:"txns"`
	Domains  []domainMetadata `json:"domains,omitempty"`
}

const (
	// smallNote is what a note may take in each entry, in bytes; a larger one, of a table with very many columns, stands in every noteEvery-th.
	smallNote = 4 << 10
	noteEvery = 16
	// maxNoted bounds how many entries are read back before the log is replayed.
	maxNoted = noteEvery + 4
)

// noteAfter is the note for an entry with those actions after a base, nil if it has none. The first entry needs none, and a table without files has
// none: whether there are any matters then.
func (t *Table) noteAfter(ctx context.Context, base int64, actions []action) (*note, error) {
	if base < 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.knowLocked(ctx, base); err != nil {
		return nil, err
	}
	h := &head{protocol: t.known.protocol, meta: t.known.meta, txns: maps.Clone(t.known.txns), domains: maps.Clone(t.known.domains), files: map[uint64]struct{}{}}
	h.apply(base+1, actions)
	if len(h.files) == 0 && !t.known.holdsFiles() {
		return nil, nil
	}
	n := &note{Version: h.version, Protocol: h.protocol, MetaData: h.meta}
	for _, app := range slices.Sorted(maps.Keys(h.txns)) {
		n.Txns = append(n.Txns, h.txns[app])
	}
	for _, name := range slices.Sorted(maps.Keys(h.domains)) {
		n.Domains = append(n.Domains, h.domains[name])
	}
	text, err := json.Marshal(n)
	if err != nil || len(text) > smallNote && n.Version%noteEvery != 0 {
		return nil, err
	}
	return n, nil
}

// holdsFiles reports whether files are live, as far as it is known: a head from a note had some.
func (h *head) holdsFiles() bool { return h.unread || len(h.files) > 0 }

// noteIn reads the note of an entry, nil if it has none that can be used.
func noteIn(version int64, actions []action) *note {
	for _, a := range actions {
		if a.CommitInfo == nil || a.CommitInfo[noteKey] == nil {
			continue
		}
		text, err := json.Marshal(a.CommitInfo[noteKey])
		n := &note{}
		if err != nil || json.Unmarshal(text, n) != nil || n.Version != version || n.Protocol == nil || n.MetaData == nil {
			return nil
		}
		return n
	}
	return nil
}

func (n *note) head() *head {
	h := newHead()
	h.version, h.protocol, h.meta, h.unread = n.Version, n.Protocol, n.MetaData, true
	for _, t := range n.Txns {
		h.txns[t.AppID] = t
	}
	for _, d := range n.Domains {
		h.domains[d.Domain] = d
	}
	return h
}

// readEntry is an entry as it was read.
type readEntry struct {
	in      store.Info
	actions []action
}

// noted finds the newest version by the notes of its entries: the head, the newest entry and the version of the newest checkpoint, -1 if there is none. The
// head is nil if the log has to be replayed.
func (t *Table) noted(ctx context.Context) (h *head, newest *lakehouse.Entry, checkpoint int64, err error) {
	from, err := t.hint(ctx)
	if err != nil {
		return nil, nil, -1, err
	}
	l, err := t.list(ctx, from)
	if err != nil || len(l.entries) == 0 {
		return nil, nil, -1, err
	}
	checkpoint = -1
	if n := len(l.checkpoints); n > 0 {
		checkpoint = l.checkpoints[n-1].version
	}
	last := l.entries[len(l.entries)-1]
	var since []readEntry // newest first
	for v := last; v >= 0 && last-v < maxNoted && h == nil; v-- {
		e, err := t.readEntry(ctx, v)
		switch {
		case errors.Is(err, store.ErrNotExist), errors.Is(err, errDamaged):
			return nil, nil, -1, nil
		case err != nil:
			return nil, nil, -1, err
		}
		since = append(since, e)
		if n := noteIn(v, e.actions); n != nil {
			h = n.head()
		}
	}
	if h == nil {
		return nil, nil, -1, nil
	}
	for _, e := range slices.Backward(since[:len(since)-1]) {
		h.apply(h.version+1, e.actions)
	}
	h.stamp = stampIn(since[0].actions)
	h.read(since[0].in)
	e := entry(last, since[0].actions)
	return h, &e, checkpoint, nil
}

func (t *Table) readEntry(ctx context.Context, version int64) (e readEntry, err error) {
	body, in, err := t.objects.Get(ctx, entryName(version))
	if err != nil {
		return e, err
	}
	actions, err := parseEntry(in.Name, body)
	return readEntry{in, actions}, err
}

func stampIn(actions []action) (ms int64) {
	for _, a := range actions {
		if a.CommitInfo != nil {
			ms = stampOf(a.CommitInfo)
		}
	}
	return ms
}
