package parquetdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/internal/strictjson"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
)

// format is the version of log entries and of what else lies in the log's folder.
const format = 1

// maxEntryBytes bounds an entry that is read.
const maxEntryBytes = 256 << 20

var errDamaged = errors.New("the log is damaged")

// entry is one commit: what it did, and the table as of it.
type entry struct {
	Format     int               `json:"format"`
	Number     int64             `json:"number"`
	Time       int64             `json:"time"` // milliseconds since 1970
	Operation  string            `json:"operation"`
	Parameters map[string]string `json:"parameters,omitempty"`
	// App is the application id that the commit is of, "" if it is of none.
	App        string `json:"app,omitempty"`
	DataChange bool   `json:"data_change"`
	// NewMetadata: Table is not that of the entry before.
	NewMetadata bool           `json:"new_metadata,omitempty"`
	Add         []added        `json:"add,omitempty"`
	Info        map[string]any `json:"info,omitempty"`

	Table metadata `json:"table"`
	// Txns are the newest of each application id.
	Txns map[string]txn `json:"txns"`
	// Files is how many were added since the log began.
	Files int `json:"files"`
}

type txn struct {
	Batch int64 `json:"batch"`
	Token int64 `json:"token"`
}

// added is a data file: staged, and from the entry on due under its path.
type added struct {
	Path      string             `json:"path"`
	Staged    string             `json:"staged"`
	Rows      int64              `json:"rows"`
	Bytes     int64              `json:"bytes"`
	Partition map[string]*string `json:"partition,omitempty"`
}

type metadata struct {
	ID          string            `json:"id"`
	Name        string            `json:"name,omitempty"`
	Schema      json.RawMessage   `json:"schema"` // as Spark's StructType
	PartitionBy []string          `json:"partition_by,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"`

	columns *columnar.Schema // decoded
}

func (e *entry) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

// parseEntry reads an entry. A newer format, unknown fields, and names that lead elsewhere are refused, never guessed: what an entry says is done to files.
func parseEntry(name string, number int64, body []byte) (*entry, error) {
	e := &entry{}
	if err := decode(name, body, e); err != nil {
		return nil, err
	}
	if e.Number != number || e.Files < 0 || e.Table.ID == "" {
		return nil, fmt.Errorf("%w: %s holds entry %d of table %q", errDamaged, name, e.Number, e.Table.ID)
	}
	for _, a := range e.Add {
		if err := a.check(); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errDamaged, name, err)
		}
	}
	var err error
	if e.Table.columns, err = delta.DecodeSchema(string(e.Table.Schema)); err != nil {
		return nil, fmt.Errorf("%w: %s: schema: %w", errDamaged, name, err)
	}
	return e, nil
}

// decode reads a JSON object with a format in it.
func decode(name string, body []byte, into any) error {
	if len(body) > maxEntryBytes {
		return fmt.Errorf("%w: %s has %d bytes", errDamaged, name, len(body))
	}
	if err := strictjson.Decode(name, body, format, into); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// check refuses paths that no commit of ours has.
func (a *added) check() error {
	switch {
	case !fs.ValidPath(a.Path) || hidden(a.Path) || path.Ext(a.Path) != suffix:
		return fmt.Errorf("%q is no path of a data file", a.Path)
	case !fs.ValidPath(a.Staged) || !strings.HasPrefix(a.Staged, root+"/") || path.Ext(a.Staged) == suffix:
		return fmt.Errorf("%q is no path of a staged file", a.Staged)
	case a.Rows < 0 || a.Bytes < 0:
		return fmt.Errorf("%s has %d rows and %d bytes", a.Path, a.Rows, a.Bytes)
	}
	return nil
}

// hidden reports whether readers of folders pass over a path: a name in it begins with a point or, unless it is the folder of a partition, with "_".
func hidden(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") && !strings.Contains(part, "=") {
			return true
		}
	}
	return false
}

// snapshot is the table as of the entry; size and ETag are those of its object.
func (e *entry) snapshot(size int64, etag string) lakehouse.Snapshot {
	s := lakehouse.Snapshot{Version: e.Number, EntrySize: size, EntryETag: etag, ID: e.Table.ID, Schema: e.Table.columns,
		PartitionBy: e.Table.PartitionBy, Properties: maps.Clone(e.Table.Properties), Txns: map[string]lakehouse.Txn{}, Files: e.Files}
	for app, t := range e.Txns {
		s.Txns[app] = lakehouse.Txn(t)
	}
	return s
}

// summary is what other writers want to know of the entry.
func (e *entry) summary() lakehouse.Entry {
	out := lakehouse.Entry{Version: e.Number, Txns: map[string]lakehouse.Txn{}, Operation: e.Operation, MetadataChanged: e.NewMetadata,
		DataChange: e.DataChange && len(e.Add) > 0, Adds: len(e.Add), Time: e.Time, Info: e.Info}
	if e.App != "" {
		out.Txns[e.App] = lakehouse.Txn(e.Txns[e.App])
	}
	return out
}

func (a *added) dataFile() lakehouse.DataFile {
	return lakehouse.DataFile{Path: a.Path, Staged: a.Staged, Rows: a.Rows, Bytes: a.Bytes, Partition: a.Partition}
}
