package committer

import "errors"

var (
	// ErrFenced: a newer writer of the same pipeline has taken over. Exit code 3.
	ErrFenced = errors.New("fenced by another writer")
	// ErrPositionLost: the table no longer matches our position (replaced, restored, overwritten,
	// or our txn or record is gone). Exit code 4.
	ErrPositionLost = errors.New("position lost")
	// ErrRefused: the table cannot be used as it is set up: another table, name or schema. Exit code 1.
	ErrRefused = errors.New("refused")
	// ErrOutcomeUnknown: a commit was sent and could not be asked about. The next start settles it.
	ErrOutcomeUnknown = errors.New("commit outcome unknown")

	// errDamaged: a record file is there and is not what was written.
	errDamaged = errors.New("record is damaged")
)
