package committer

import (
	"fmt"
	"path"

	"github.com/lakewheel/lakewheel/internal/strictjson"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/offsets"
)

// Format is the version of the record file. docs/formats/record.md describes it byte for byte.
const Format = 1

// Record says everything a commit means beyond its rows. It is immutable.
type Record struct {
	Format int   `json:"format"`
	Token  int64 `json:"token"`
	// Parent is the token of the commit before it, 0 for a first commit.
	Parent     int64  `json:"parent"`
	QueryID    string `json:"query_id"`
	Pipeline   string `json:"pipeline"`
	FirstBatch int64  `json:"first_batch"`
	LastBatch  int64  `json:"last_batch"` // -1: an epoch was taken before any batch
	Epoch      int64  `json:"epoch"`
	Writer     string `json:"writer"`
	// Sources by name: identity, and per partition the first offset ever read and the next one.
	Sources map[string]offsets.Progress `json:"sources"`
	// Watermarks of the inputs that declare one, milliseconds since 1970.
	Watermarks map[string]int64 `json:"watermarks"`
	// Active says when each input, or each partition of one, that can become idle last had something to read, in batch time.
	Active map[string]int64 `json:"active,omitempty"`
	// Watermark is the global one, milliseconds since 1970, floored, never below 0.
	Watermark Watermark `json:"watermark"`
	// NoDataDue: the last batch left nothing to read and raised the watermark, so that a batch without data comes next.
	NoDataDue bool `json:"no_data_due,omitempty"`
	// BatchTime is the time the last batch ran with, milliseconds since 1970.
	BatchTime int64 `json:"batch_time"`
	// State files of the stateful operators; to be loaded exactly as named.
	State []StateFile `json:"state"`
	// Operators describes those that the state is of, from the sink down.
	Operators []Operator `json:"operators,omitempty"`
	// Side lists staged side-table files that the commit makes due.
	Side []SideFiles `json:"side"`
	// Plan is the fingerprint of the physical plan.
	Plan string `json:"plan"`
	// Columns are, of columns that can tell which rows are of a range, all the ways in which they came about so far: a query may have changed. NoColumn is
	// the way of rows of before the query had such a column; nil: an older process wrote the record.
	Columns map[string][]string `json:"columns,omitzero"`
	// Settings are those that a restart must not change silently.
	Settings map[string]string `json:"settings"`
}

// NoColumn is the way of a column that the query did not have yet.
const NoColumn = "absent"

// standAt makes a record say what another one says of where the pipeline stands: all but the batches.
func (r *Record) standAt(o *Record) {
	r.Sources, r.Watermarks, r.Active, r.Watermark, r.NoDataDue, r.BatchTime = o.Sources, o.Watermarks, o.Active, o.Watermark, o.NoDataDue, o.BatchTime
	r.State, r.Operators, r.Plan, r.Columns, r.Settings = o.State, o.Operators, o.Plan, o.Columns, o.Settings
}

// Watermark is the global watermark around a batch.
type Watermark struct {
	RanWith int64 `json:"ran_with"` // in force while the last batch ran: the next late filter
	Next    int64 `json:"next"`     // in force from the next batch on
}

// StateFile names one durable file of an operator's state.
type StateFile struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// SideFiles are the staged files of one side table.
type SideFiles struct {
	Kind  string               `json:"kind"` // "dead_letter", "late"
	Table string               `json:"table"`
	Files []lakehouse.DataFile `json:"files"`
	// Remove are files that go out of the side table: a rewind undoes their batches.
	Remove []lakehouse.DataFile `json:"remove,omitempty"`
}

func appID(name string) string { return "lakewheel/" + name }

func recordsFolder(name string) string { return path.Join("_lakewheel", name, "records") }

func recordName(name string, token int64) string {
	return path.Join(recordsFolder(name), fmt.Sprintf("%d.json", token))
}

// decodeRecord reads a record file; a newer format or unknown fields are refused, never guessed.
func decodeRecord(name string, b []byte) (*Record, error) {
	r := new(Record)
	if err := strictjson.Decode(name, b, Format, r); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if r.Token <= 0 || r.FirstBatch < -1 || r.LastBatch < r.FirstBatch || r.Epoch < 1 || r.Pipeline == "" {
		return nil, fmt.Errorf("%w: %s: token %d, batches %d to %d, epoch %d, pipeline %q", errDamaged, name, r.Token, r.FirstBatch, r.LastBatch, r.Epoch, r.Pipeline)
	}
	return r, nil
}
