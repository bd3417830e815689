// Package store keeps named objects: immutable data files, log entries created
// with put-if-absent, and a few hints that may be overwritten.
//
// # Model
//
// A [Store] is a flat set of objects under slash-separated names relative to its
// root. Creation is atomic and durable: an object is seen whole or not at all, and
// once a call returns nil the object survives a crash of process and machine.
//
// # Outcomes
//
// Only [Store.PutIfAbsent] decides anything, so its outcomes are kept apart:
//
//	nil          this call created the object
//	ErrExists    an object of that name is there; it may be our own, from an
//	             earlier try whose answer was lost: the caller reads it and compares
//	ErrUnknown   the object may or may not be there, now or later; the caller reads
//	             it back, and may only repeat the same body under the same name
//	other errors the object was certainly not created by this call
package store

import (
	"context"
	"errors"
	"io"
)

var (
	// ErrNotExist: there is no object of that name.
	ErrNotExist = errors.New("object does not exist")
	// ErrExists: PutIfAbsent found an object of that name.
	ErrExists = errors.New("object exists already")
	// ErrUnknown: the outcome of a write is not known.
	ErrUnknown = errors.New("outcome unknown")
)

// Info describes an object. ETag identifies its content and incarnation: an object
// that was deleted and written again, even with the same size, has another one
// wherever the medium can tell.
type Info struct {
	Name     string
	Size     int64
	ETag     string
	Modified int64 // milliseconds since 1970; 0 in the answer of a PutIfAbsent that does not tell it
}

// Store is a folder of objects. All methods may be called concurrently.
type Store interface {
	// PutIfAbsent creates name with body, if there is no such object. See the package comment for its outcomes.
	PutIfAbsent(ctx context.Context, name string, body []byte) (Info, error)
	// Put writes name with body, replacing what is there. For hints and for names that are unique by construction.
	Put(ctx context.Context, name string, body []byte) error
	// Create returns a writer of a new object under a name that is unique by construction.
	// The object appears, durable, when Close returns nil.
	Create(ctx context.Context, name string) (Writer, error)
	// Get reads a whole object. ErrNotExist if there is none.
	Get(ctx context.Context, name string) ([]byte, Info, error)
	// Open opens an object for random reads. ErrNotExist if there is none.
	Open(ctx context.Context, name string) (Reader, error)
	// Stat describes an object. ErrNotExist if there is none.
	Stat(ctx context.Context, name string) (Info, error)
	// List returns the objects directly in folder (""= the root) whose base names sort after startAfter, in name order, with full names.
	// A missing folder is an empty one.
	List(ctx context.Context, folder, startAfter string) ([]Info, error)
	// Walk calls fn with every object in folder (""= the root) and in the folders below it, in any order, with full names. An error of fn ends it.
	Walk(ctx context.Context, folder string, fn func(Info) error) error
	// Rename gives an object another name, which is unique by construction, and is durable when it returns nil. It may be repeated, also by
	// another process that has not seen the answer: nil if it was done before. ErrNotExist: there is no object under either name; ErrExists: another one has
	// the new name, and both are left as they are.
	Rename(ctx context.Context, from, to string) error
	// Delete removes an object; a missing one is no error.
	Delete(ctx context.Context, name string) error
	// String names the place for messages, without secrets: "/lake/events", "s3://bucket/events".
	String() string
}

// Writer writes one new object. Exactly one of Close and Abort ends it; Abort after Close does nothing.
type Writer interface {
	io.Writer
	Close() error
	Abort()
}

// Reader reads one object at any position.
type Reader interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Identified is a Reader that knows the ETag of what it reads, as Info has it.
type Identified interface {
	ETag() string
}
