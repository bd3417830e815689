package lakehouse

import (
	"time"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// VacuumOptions say what is garbage.
type VacuumOptions struct {
	// Retain: files that a version of this time names, and those that are younger, stay. Negative: as the table says. Less than that, or than
	// an hour, is refused unless Unsafe.
	Retain time.Duration
	Unsafe bool
	Keep   map[string]bool // further files that stay, by path
	Now    time.Time
}

// Garbage are files that may be removed.
type Garbage struct {
	Version int64
	Retain  time.Duration
	Files   []store.Info // by name
}
