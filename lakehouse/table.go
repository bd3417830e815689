// Package lakehouse names what the engine asks of a table format, so that one
// exactly-once protocol serves all of them.
//
// # Model
//
// A [Table] is a log of versions. One atomic commit adds and removes data files
// and carries, for an application id, two integers: the batch and the token of the
// record that belongs to it. A [Snapshot] is the table as of one version. Data
// files are staged first through a [Writer]: durable, under their final names,
// and invisible until a commit names them.
//
// The packages below implement it: delta and parquetdir. store holds the objects and parquetfile
// writes and reads the data files.
package lakehouse

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

var (
	// ErrConflict: certainly not applied; another entry holds the version.
	ErrConflict = errors.New("another commit holds this version")
	// ErrUnknown: perhaps applied, now or later. Ask with Table.Next; repeat only the same change on the same base.
	ErrUnknown = errors.New("commit outcome unknown")
	// ErrReplaced: the base entry is gone or is not the one that was read: the table was
	// dropped, replaced or cleaned under us. Nothing was written.
	ErrReplaced = errors.New("table was replaced")
	// ErrUnsupported wraps a refusal: the table needs a feature this engine does not have.
	ErrUnsupported = errors.New("table feature not supported")
)

// Txn is what a commit says about one application: the newest batch and the token of its record.
type Txn struct {
	Batch, Token int64
}

// DataFile is one staged or live data file.
type DataFile struct {
	Path  string // relative to the table root, as stored (slash-separated, not URL-encoded)
	Rows  int64
	Bytes int64
	// Stats is the format's statistics text (for Delta: the JSON string of `add.stats`), fixed when the file is staged.
	Stats string
	// Partition values by column name; nil for an unpartitioned table. A nil pointer is NULL.
	Partition map[string]*string
	// Staged is where the file lies until it is published, for a format whose readers look at names alone; "" for one that stages under the final name.
	Staged string `json:",omitempty"`
	// Time of the commit that added it, milliseconds since 1970; 0: not known. It is the log's affair, and not stored elsewhere.
	Time int64 `json:"-"`
}

// PartitionKey tells partitions apart by their values; the empty text and NULL are the same.
func PartitionKey(values map[string]*string) string {
	var parts []string
	for name, text := range values {
		if text != nil && *text != "" {
			parts = append(parts, strconv.Quote(name)+"="+strconv.Quote(*text)+"/")
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// Change is one commit. The same Change on the same base always makes the same log
// entry, byte for byte: all times and ids are in it.
type Change struct {
	App        string // application id; "" for a commit without a Txn
	Txn        Txn
	Time       int64 // commit time, milliseconds since 1970
	Add        []DataFile
	Remove     []DataFile
	DataChange bool              // whether Add and Remove change rows
	Rearranged Rearranged        // rides on the change
	Operation  string            // for DESCRIBE HISTORY, e.g. "STREAMING UPDATE"
	Parameters map[string]string // operation parameters, for people
	Info       map[string]any    // further commitInfo fields, for people (offsets, watermark)
	// Create makes the table (base version -1), or gives one without files another schema.
	Create *Creation
	// Schema, if it is not nil, is that of the table from this commit on: that of the base with columns added, as Evolve gives it.
	Schema *columnar.Schema
	// Layout, if it is not nil, is that of the table from this commit on. Files that are there stay as they are.
	Layout *Layout
}

// Rearranged are files whose rows lie in others from a commit on: what the rows are stays as it is. No file is in Change.Remove, too.
type Rearranged struct {
	Remove, Add []DataFile
}

// Creation is the metadata of a new table.
type Creation struct {
	ID          string // UUID
	Name        string
	Schema      *columnar.Schema
	PartitionBy []string
	Properties  map[string]string
}

// Snapshot is a table as of one version. It is immutable.
type Snapshot struct {
	Version int64 // -1: there is no table
	// EntrySize and EntryETag identify the newest log entry as it was read: the base check compares them.
	EntrySize   int64
	EntryETag   string
	ID          string
	Schema      *columnar.Schema
	PartitionBy []string
	Properties  map[string]string
	Added       []string       // columns that came to it by a change of its schema
	Layout      Layout         // that its files are wished to have
	Txns        map[string]Txn // by application id (Batch and Token both present)
	Files       int            // live data files; -1 when the files were not read
	// Occupied says, where there is no table, what lies in its place all the same: other pipelines' tables, data files. "" if nothing does.
	Occupied string
	// Unusable says why the table cannot be written (a type or feature that is not supported), nil if it can.
	Unusable error
}

// Entry is what one log entry did, as far as other writers care.
type Entry struct {
	Version         int64
	Txns            map[string]Txn // application ids that this entry names
	Operation       string
	Mode            string   // operationParameters.mode, e.g. "Overwrite"
	MetadataChanged bool     // schema, partitioning, properties or protocol
	Removes         []string // all files, also those that were only rearranged
	Moved           Moved    // the files that were only rearranged
	DataChange      bool     // adds or removes rows (not a pure rearrangement)
	Adds            int
	Time            int64          // milliseconds since 1970
	Info            map[string]any // commitInfo, for people
}

// Moved are the paths of files whose rows lie in others since an entry, the rows being what they were.
type Moved struct{ Out, In []string }

// WriteOptions shape the data files of one Writer.
type WriteOptions struct {
	// Prefix begins each file's base name; a unique part and the suffix follow. It names pipeline and epoch.
	Prefix string
	// PartitionBy are the partition columns, in the spelling of the schema. Each file then holds rows of one combination of their values.
	PartitionBy []string
	// TargetFileSize in bytes: a file is ended when it has grown beyond it.
	TargetFileSize int64
	// Layout of the files, where it says something; otherwise that of the table.
	Layout Layout
}

// Writer collects the rows of one commit.
type Writer interface {
	// Write adds rows to a lane. Rows of a lane keep their order; the files hold the lanes in
	// ascending order, whatever the order of calls was. Calls with different lanes may be
	// concurrent. The batch is borrowed for the call.
	Write(ctx context.Context, lane int64, b *columnar.Batch) error
	// Finish ends the files and makes them durable. Rows reports what it wrote. No rows, no file.
	Finish(ctx context.Context) ([]DataFile, error)
	// Abort drops everything not finished. After Finish it does nothing.
	Abort()
}

// TimeTraveller is a Table whose older versions can be read.
type TimeTraveller interface {
	// At returns the snapshot of a version.
	At(ctx context.Context, version int64) (Snapshot, error)
	// Missing lists those of some data files, by path, that are not there any more.
	Missing(ctx context.Context, files []DataFile) ([]string, error)
}

// Compactor is a Table whose small files can be made larger ones.
type Compactor interface {
	// MergeFiles writes the rows of live files of one partition, in their order, into a new file whose base name begins with prefix, and reports it;
	// without rows there is none. It is durable, and nothing names it yet.
	MergeFiles(ctx context.Context, base Snapshot, files []DataFile, prefix string) ([]DataFile, error)
	// TargetFileSize is what files are merged up to: what the table says, or else the default given.
	TargetFileSize(base Snapshot, otherwise int64) int64
}

// Table is one table of one format. Its methods may be called concurrently, but a
// table has one committing goroutine.
type Table interface {
	// Snapshot reads the newest version. Version is -1 if there is no table.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Next reads the entry after base, if there is one, and returns the snapshot with it applied;
	// ok is false when base is still the newest.
	Next(ctx context.Context, base Snapshot) (next Snapshot, e Entry, ok bool, err error)
	// History returns the newest limit entries up to s, newest first; fewer when the log is shorter or was cleaned.
	History(ctx context.Context, s Snapshot, limit int) ([]Entry, error)
	// Verify checks that base's entry is still the one that was read: ErrReplaced if not.
	Verify(ctx context.Context, base Snapshot) error
	// Files returns the live data files of a snapshot.
	Files(ctx context.Context, s Snapshot) ([]DataFile, error)
	// Stage returns a writer of new data files with the schema.
	Stage(ctx context.Context, schema *columnar.Schema, opts WriteOptions) (Writer, error)
	// Commit applies c as version base.Version+1: nil, ErrConflict, ErrUnknown, or another error (certainly not applied).
	Commit(ctx context.Context, base Snapshot, c Change) (Snapshot, error)
	// Maintain does what a format wants after commits (checkpoints, log clean-up). Failure is never fatal.
	Maintain(ctx context.Context, s Snapshot, now int64) error
	// String names the place for messages.
	String() string
}

// Publisher is a Table whose readers see the files of a commit only after a further step.
type Publisher interface {
	// Publish makes the files of the newest entry of s visible, all of them when it returns nil. It may be repeated, also by another process; what
	// was done before costs little. An entry is published before the next one is put. ErrUnknown: perhaps done; ask again.
	Publish(ctx context.Context, s Snapshot) error
}
