package delta

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// recordSuffix marks the second of the two txn actions of a commit: it carries the token.
const recordSuffix = "/record"

// state is a table as of one version, as replay finds it.
type state struct {
	version  int64 // -1: nothing
	size     int64 // of the newest entry
	etag     string
	protocol *protocol
	meta     *metaData
	txns     map[string]txn
	domains  map[string]domainMetadata
	files    map[string]add
	removed  map[string]remove
}

func newState() *state {
	return &state{version: -1, txns: map[string]txn{}, domains: map[string]domainMetadata{}, files: map[string]add{}, removed: map[string]remove{}}
}

// apply replays the actions of the next version.
func (s *state) apply(version int64, actions []action) {
	s.version = version
	for _, a := range actions {
		switch {
		case a.Protocol != nil:
			s.protocol = a.Protocol
		case a.MetaData != nil:
			s.meta = a.MetaData
		case a.Txn != nil:
			s.txns[a.Txn.AppID] = *a.Txn
		case a.DomainMetadata != nil:
			s.applyDomain(*a.DomainMetadata)
		case a.Add != nil:
			s.files[a.Add.Path] = *a.Add
			delete(s.removed, a.Add.Path)
		case a.Remove != nil:
			delete(s.files, a.Remove.Path)
			s.removed[a.Remove.Path] = *a.Remove
		}
	}
}

func (s *state) applyDomain(d domainMetadata) {
	if d.Removed {
		delete(s.domains, d.Domain)
		return
	}
	s.domains[d.Domain] = d
}

// snapshot summarises the state. A log without protocol or metadata is damaged.
func (s *state) snapshot() (lakehouse.Snapshot, error) {
	out := lakehouse.Snapshot{Version: s.version, EntrySize: s.size, EntryETag: s.etag, Txns: pairs(s.txns), Files: len(s.files)}
	if s.version < 0 {
		return out, nil
	}
	if s.protocol == nil || s.meta == nil {
		return out, fmt.Errorf("%w: version %d has no protocol or metaData", errDamaged, s.version)
	}
	out.ID, out.PartitionBy, out.Properties = s.meta.ID, s.meta.PartitionColumns, maps.Clone(s.meta.Configuration)
	out.Unusable = unusable(s.protocol, s.meta)
	schema, _, err := decodeSchema(s.meta.SchemaString)
	out.Schema = schema
	return out, err
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
	e := lakehouse.Entry{Version: version, Txns: map[string]lakehouse.Txn{}}
	txns := map[string]txn{}
	for _, a := range actions {
		switch {
		case a.CommitInfo != nil:
			e.Info = a.CommitInfo
			e.Operation, _ = a.CommitInfo["operation"].(string)
			if ms, ok := a.CommitInfo["timestamp"].(float64); ok {
				e.Time = int64(ms)
			}
			if params, ok := a.CommitInfo["operationParameters"].(map[string]any); ok {
				mode, _ := params["mode"].(string)
				e.Mode = strings.Trim(mode, `"`)
			}
		case a.Txn != nil:
			txns[a.Txn.AppID] = *a.Txn
		case a.Protocol != nil, a.MetaData != nil:
			e.MetadataChanged = true
		case a.Add != nil:
			e.Adds, e.DataChange = e.Adds+1, e.DataChange || a.Add.DataChange
		case a.Remove != nil:
			e.Removes, e.DataChange = append(e.Removes, a.Remove.Path), e.DataChange || a.Remove.DataChange
		}
	}
	e.Txns = pairs(txns)
	return e
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
