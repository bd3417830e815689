package committer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// Facts is what a start reads before it decides anything.
type Facts struct {
	Table    string // for messages
	Name     string // of this pipeline
	Previous string // previous_name, or ""
	Append   bool   // sink.existing: append
	// AcceptLoss goes on without rows that another writer took, and as fresh where no commit of ours is left.
	AcceptLoss bool

	Version int64 // newest version, -1: no table
	Live    int   // live data files, -1: not known
	// Occupied says what lies in the table's place where there is no table, "" if nothing does.
	Occupied string
	Apps     map[string]lakehouse.Txn // every application id in the table

	// Record is the one that our txn (or that of Previous) names; nil: missing.
	Record *Record
	// RecordErr says why a record that should be there could not be used.
	RecordErr error
	// Proof is the token of any record of ours that has a parent, 0 if none: it proves an
	// earlier commit. It is looked for only where the table holds no txn of ours.
	Proof int64
	// Successor is the name under which the same query has gone on since our newest commit, "" if none: this pipeline was renamed.
	Successor string
	// Taken is the newest entry after our last commit that took our rows without our offsets, nil if none.
	Taken *lakehouse.Entry
}

// Kind of a Decision.
type Kind int

// The decisions of a start.
const (
	Fresh    Kind = iota // nothing was ever committed: begin with batch 0
	Continue             // roll the newest record forward, then go on after it
	Refuse               // stop with Err
)

// Decision is what a start does.
type Decision struct {
	Kind Kind
	// Record to continue from; nil when Fresh.
	Record *Record
	Err    error
	// Accepted: a loss was accepted, which is to be said in the table at once.
	Accepted bool
}

// Resolve decides a start from facts. It does no I/O.
//
//	our txn, its record there             -> continue after it
//	our txn, its record gone              -> refuse: position lost
//	our query goes on under another name  -> refuse: it would read everything since the rename twice
//	our rows taken since by another       -> refuse: position lost, unless accepted
//	no txn, previous_name has one         -> as if it were ours, under the new name
//	no txn, previous_name has none        -> refuse, naming the pipelines found
//	no txn, a record with a parent        -> refuse: position lost (a parent proves an earlier commit)
//	no txn, an empty place or table       -> fresh
//	no txn, sink.existing: append         -> fresh on top of what is there
//	no txn, a table or files              -> refuse, naming what was found
func Resolve(f Facts) Decision {
	if _, ours := f.Apps[appID(f.Name)]; ours {
		return resume(f, f.Name)
	}
	if f.Previous != "" {
		return adopt(f)
	}
	if f.Proof != 0 && !f.AcceptLoss {
		return refuse(ErrPositionLost, "%s holds no txn of pipeline %s, but record %d proves an earlier commit: the table was replaced or its log was cut; restore it, or start over with --accept-loss", f.Table, f.Name, f.Proof)
	}
	if f.Version < 0 && f.Occupied == "" || f.Append || f.Version >= 0 && f.Live == 0 && len(pipelines(f.Apps)) == 0 {
		return Decision{Kind: Fresh, Accepted: f.Proof != 0}
	}
	if f.Occupied != "" {
		return refuse(ErrRefused, "%s holds %s; to add to it say sink.existing: append, after a change of name say previous_name", f.Table, f.Occupied)
	}
	return refuse(ErrRefused, "%s exists, and no commit in it is of pipeline %s (%s); to add to it say sink.existing: append, after a change of name say previous_name", f.Table, f.Name, found(f.Apps))
}

// resume goes on after the newest commit of a name, this pipeline's or its previous one.
func resume(f Facts, name string) Decision {
	txn := f.Apps[appID(name)]
	switch {
	case f.Record == nil:
		return refuse(ErrPositionLost, "the record %d of batch %d of pipeline %s is missing or unusable in %s (%w); restore the folder _lakewheel", txn.Token, txn.Batch, name, f.Table, orMissing(f.RecordErr))
	case f.Record.Token != txn.Token || f.Record.LastBatch != txn.Batch:
		return refuse(ErrPositionLost, "the record of batch %d of pipeline %s in %s speaks of batch %d: restore the folder _lakewheel", txn.Batch, name, f.Table, f.Record.LastBatch)
	case f.Successor != "":
		return refuse(ErrRefused, "pipeline %s of %s was renamed and goes on as %s; run that one", name, f.Table, f.Successor)
	case f.Taken != nil && !f.AcceptLoss:
		return refuse(ErrPositionLost, "%s", takenMessage(f.Table, *f.Taken))
	}
	return Decision{Kind: Continue, Record: f.Record, Accepted: f.Taken != nil}
}

func adopt(f Facts) Decision {
	if _, ok := f.Apps[appID(f.Previous)]; !ok {
		return refuse(ErrRefused, "previous_name is %s, but %s holds no commit of it (%s)", f.Previous, f.Table, found(f.Apps))
	}
	return resume(f, f.Previous)
}

func refuse(kind error, format string, args ...any) Decision {
	return Decision{Kind: Refuse, Err: fmt.Errorf("%w: %w", kind, fmt.Errorf(format, args...))}
}

var errMissing = fmt.Errorf("no such object")

func orMissing(err error) error {
	if err == nil {
		return errMissing
	}
	return err
}

// pipelines are the names of pipelines among application ids. An id with a further part is of something that a pipeline does beside its commits.
func pipelines(apps map[string]lakehouse.Txn) []string {
	var names []string
	for app := range apps {
		if name, ok := strings.CutPrefix(app, "lakewheel/"); ok && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func found(apps map[string]lakehouse.Txn) string {
	names := pipelines(apps)
	if len(names) == 0 {
		return "it holds no pipeline's commits"
	}
	return "it holds commits of " + strings.Join(names, ", ")
}

// takesRows reports whether a foreign entry takes rows of ours without our offsets. A DELETE, UPDATE
// or MERGE is the user's wish about rows; these put the whole table elsewhere.
func takesRows(e lakehouse.Entry) bool {
	op := strings.ToUpper(e.Operation)
	if strings.Contains(op, "RESTORE") || strings.Contains(op, "REPLACE") {
		return true
	}
	return e.DataChange && len(e.Removes) > 0 && strings.EqualFold(e.Mode, "Overwrite")
}

func takenMessage(table string, e lakehouse.Entry) string {
	return fmt.Sprintf("version %d of %s (%s) took rows but not the offsets they came from; take it back with lakewheel rewind --discard-foreign, or go on without those rows with --accept-loss", e.Version, table, e.Operation)
}
