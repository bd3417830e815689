package store

import (
	"errors"
	"path"
)

// ErrCrashed: the process of a test is dead; every operation fails until the store is reopened.
var ErrCrashed = errors.New("crashed")

// Op is one kind of operation on a Mem, as faults see it.
type Op string

// The operations.
const (
	OpPutIfAbsent Op = "put-if-absent"
	OpPut         Op = "put"
	OpCreate      Op = "create" // the moment a writer is closed
	OpGet         Op = "get"
	OpOpen        Op = "open"
	OpStat        Op = "stat"
	OpList        Op = "list"
	OpDelete      Op = "delete"
	OpRename      Op = "rename" // its name is the new one
)

func (o Op) writes() bool {
	return o == OpPutIfAbsent || o == OpPut || o == OpCreate || o == OpDelete || o == OpRename
}

// Outcome of an operation that a fault meets.
type Outcome int

// The outcomes.
const (
	Normal    Outcome = iota
	Fail              // not applied; the caller gets the error of the fault
	LoseReply         // applied; the caller gets ErrUnknown
	LoseCall          // not applied; the caller gets ErrUnknown
	Late              // applied before the next operation; the caller gets ErrUnknown now
	Twice             // applied, then sent again by a hidden retry: the caller of PutIfAbsent gets ErrExists for its own object
)

// Faults decides the outcome of the n-th operation (from 0) of a Mem. It is called under the store's lock.
type Faults func(n int, op Op, name string) (Outcome, error)

// Fault meets operations of a Mem that fit all of its conditions.
type Fault struct {
	Op      Op     // "" fits every operation
	Writes  bool   // only operations that write
	Name    string // pattern of path.Match over the object's name, "" fits every name
	Nth     int    // which of the fitting operations, from 0
	Every   bool   // the Nth and all after it
	Outcome Outcome
	Err     error // what Fail returns; with the other outcomes the cause behind ErrUnknown, or nil
}

func (f *Fault) fits(op Op, name string) bool {
	if f.Op != "" && f.Op != op || f.Writes && !op.writes() {
		return false
	}
	ok, err := path.Match(f.Name, name)
	return f.Name == "" || ok && err == nil
}

// Meet makes Faults of single ones: the first that is due decides.
func Meet(faults ...Fault) Faults {
	seen := make([]int, len(faults))
	return func(_ int, op Op, name string) (Outcome, error) {
		outcome, cause, met := Normal, error(nil), false
		for i := range faults {
			f := &faults[i]
			if !f.fits(op, name) {
				continue
			}
			nth := seen[i]
			seen[i]++
			if due := nth == f.Nth || f.Every && nth > f.Nth; due && !met {
				outcome, cause, met = f.Outcome, f.Err, true
			}
		}
		return outcome, cause
	}
}

// FailAt fails the i-th operation from now, which is not applied.
func (m *Mem) FailAt(i int, err error) { m.Inject(Meet(Fault{Nth: i, Outcome: Fail, Err: err})) }

// FailAppliedAt applies the i-th operation from now and loses its answer: the caller gets ErrUnknown, wrapping err.
func (m *Mem) FailAppliedAt(i int, err error) {
	m.Inject(Meet(Fault{Nth: i, Outcome: LoseReply, Err: err}))
}

// FailWrites fails every write from now on, as a full disk does.
func (m *Mem) FailWrites(err error) {
	m.Inject(Meet(Fault{Writes: true, Every: true, Outcome: Fail, Err: err}))
}
