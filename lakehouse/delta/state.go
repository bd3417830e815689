package delta

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// recordSuffix marks the second of the two txn actions of a commit: it carries the token.
const recordSuffix = "/record"

// head is what a writer must know of a table as of one version. It stays small: files are only counted.
type head struct {
	version  int64 // -1: nothing
	size     int64 // of the newest entry
	etag     string
	stamp    int64 // the newest entry's inCommitTimestamp in milliseconds since 1970, 0 if it is not known
	protocol *protocol
	meta     *metaData
	txns     map[string]txn
	domains  map[string]domainMetadata
	files    map[uint64]struct{} // hashes of the keys of the live files
	unread   bool                // files are those of the newest entries alone; there are others
}

func newHead() *head {
	return &head{version: -1, txns: map[string]txn{}, domains: map[string]domainMetadata{}, files: map[uint64]struct{}{}}
}

func (k fileKey) hash() uint64 { return xxh3.HashString(k.path + "\x00" + k.vector) }

// apply replays the actions of the next version.
func (h *head) apply(version int64, actions []action) {
	h.version, h.stamp = version, 0
	for i := range actions {
		a := &actions[i]
		switch {
		case a.CommitInfo != nil:
			h.stamp = stampOf(a.CommitInfo)
		case a.Protocol != nil:
			h.protocol = a.Protocol
		case a.MetaData != nil:
			h.meta = a.MetaData
		case a.Txn != nil:
			h.txns[a.Txn.AppID] = *a.Txn
		case a.DomainMetadata != nil:
			h.applyDomain(*a.DomainMetadata)
		case a.Add != nil:
			h.files[a.Add.key().hash()] = struct{}{}
		case a.Remove != nil:
			delete(h.files, a.Remove.key().hash())
		}
	}
}

func (h *head) read(in store.Info) { h.size, h.etag = in.Size, in.ETag }

func (h *head) at() int64 { return h.version }

// state is a table as of one version with its files, for readers and checkpoints. It is replayed when it is needed, and not kept.
type state struct {
	head
	live    map[fileKey]add
	removed map[fileKey]remove
}

func newState() *state {
	return &state{head: *newHead(), live: map[fileKey]add{}, removed: map[fileKey]remove{}}
}

func (s *state) apply(version int64, actions []action) {
	s.head.apply(version, actions)
	for i := range actions {
		switch a := &actions[i]; {
		case a.Add != nil:
			s.live[a.Add.key()] = *a.Add
			delete(s.removed, a.Add.key())
		case a.Remove != nil:
			delete(s.live, a.Remove.key())
			s.removed[a.Remove.key()] = *a.Remove
		}
	}
}

func (h *head) applyDomain(d domainMetadata) {
	if d.Removed {
		delete(h.domains, d.Domain)
		return
	}
	h.domains[d.Domain] = d
}

// snapshot summarises the head. A log without protocol or metadata is damaged.
func (h *head) snapshot() (lakehouse.Snapshot, error) {
	out := lakehouse.Snapshot{Version: h.version, EntrySize: h.size, EntryETag: h.etag, Txns: pairs(h.txns), Files: len(h.files)}
	if h.unread {
		out.Files = -1
	}
	if h.version < 0 {
		return out, nil
	}
	if h.protocol == nil || h.meta == nil {
		return out, fmt.Errorf("%w: version %d has no protocol or metaData", errDamaged, h.version)
	}
	out.ID, out.PartitionBy, out.Properties = h.meta.ID, h.meta.PartitionColumns, maps.Clone(h.meta.Configuration)
	out.Schema, _ = decodeSchema(h.meta.SchemaString)
	out.Layout, out.Added = layoutOf(h.meta.Configuration), addedIn(h.meta.Configuration)
	out.Unusable = unusable(h.protocol, h.meta)
	return out, nil
}

// pairs puts the two txn actions of each application together. One without the other is kept too: batch 5 with token 0 is a
// position that was lost, which is not the same as none.
func pairs(txns map[string]txn) map[string]lakehouse.Txn {
	out := map[string]lakehouse.Txn{}
	for app, t := range txns {
		if name, ok := strings.CutSuffix(app, recordSuffix); ok {
			pair := out[name]
			pair.Token = t.Version
			out[name] = pair
			continue
		}
		pair := out[app]
		pair.Batch = t.Version
		out[app] = pair
	}
	return out
}

// entry summarises a log entry for other writers.
func entry(version int64, actions []action) lakehouse.Entry {
	e := lakehouse.Entry{Version: version}
	txns := map[string]txn{}
	for _, a := range actions {
		switch {
		case a.CommitInfo != nil:
			describe(&e, a.CommitInfo)
		case a.Txn != nil:
			txns[a.Txn.AppID] = *a.Txn
		case a.Protocol != nil, a.MetaData != nil:
			e.MetadataChanged = true
		case a.Add != nil:
			e.Adds, e.DataChange = e.Adds+1, e.DataChange || a.Add.DataChange
			if !a.Add.DataChange {
				e.Moved.In = append(e.Moved.In, decodePath(a.Add.Path))
			}
		case a.Remove != nil:
			e.Removes, e.DataChange = append(e.Removes, decodePath(a.Remove.Path)), e.DataChange || a.Remove.DataChange
			if !a.Remove.DataChange {
				e.Moved.Out = append(e.Moved.Out, decodePath(a.Remove.Path))
			}
		}
	}
	e.Txns = pairs(txns)
	return e
}

// describe takes what commitInfo says about an entry; none of it need be there.
func describe(e *lakehouse.Entry, info map[string]any) {
	e.Info = maps.Clone(info)
	delete(e.Info, noteKey)
	e.Operation, _ = info["operation"].(string)
	if ms, ok := info["timestamp"].(json.Number); ok {
		e.Time, _ = ms.Int64()
	}
	if ms := stampOf(info); ms != 0 {
		e.Time = ms
	}
	if params, ok := info["operationParameters"].(map[string]any); ok {
		mode, _ := params["mode"].(string)
		e.Mode = strings.Trim(mode, `"`)
	}
}

// dataFile describes a live file.
func dataFile(a add) lakehouse.DataFile {
	f := lakehouse.DataFile{Path: decodePath(a.Path), Rows: -1, Bytes: a.Size, Partition: a.PartitionValues, Time: a.ModificationTime}
	var st struct{ NumRecords *int64 }
	if a.Stats != nil {
		f.Stats = *a.Stats
		if json.Unmarshal([]byte(f.Stats), &st) == nil && st.NumRecords != nil {
			f.Rows = *st.NumRecords
			if a.DeletionVector != nil {
				f.Rows -= a.DeletionVector.Cardinality
			}
		}
	}
	return f
}

// Paths stand URL-encoded in the log.
func encodePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

func decodePath(p string) string {
	if plain, err := url.PathUnescape(p); err == nil {
		return plain
	}
	return p
}
