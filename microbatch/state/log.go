package state

// Log knows the files that hold the state of one operator, oldest first.
type Log struct {
	files []entry
	saved int64 // the run up to which they hold everything
}

// entry is a file with what the runs after one have changed, up to those of the file before.
type entry struct {
	name  string
	after int64
	level int // it holds 2^level commits; base for one that a restore found
}

const (
	base = -1
	// mostFiles bounds the files of one operator that a record names.
	mostFiles = 24
	// A file that holds more than a half of all rows holds all of them instead.
	wholeShare = 2
)

// NewLog continues from the files that a restore has read; runs are counted from 0 again.
func NewLog(files []string) *Log {
	l := &Log{}
	for _, f := range files {
		l.files = append(l.files, entry{name: f, level: base})
	}
	return l
}

// Rewriting returns a log whose next file holds everything: what a restore has read is not in the form of files to come.
func Rewriting() *Log { return &Log{saved: -1} }

// Names lists the files, oldest first.
func (l *Log) Names() []string {
	out := make([]string, len(l.files))
	for i, f := range l.files {
		out[i] = f.name
	}
	return out
}

// Next plans the file of a commit: it has to hold what changed after a run, -1 for everything, and takes the place of the
// files from position keep on.
func (l *Log) Next() (after int64, keep int) {
	after, keep = l.saved, len(l.files)
	for level := 0; keep > 0 && l.files[keep-1].level == level; level++ {
		keep--
		after = l.files[keep].after
	}
	if keep+1 > mostFiles {
		return -1, 0
	}
	return after, keep
}

// Add notes the file that was written as Next planned, or with everything.
func (l *Log) Add(name string, after int64, keep int, run int64) {
	level := 0
	if after < 0 {
		keep, level = 0, base
	}
	for _, f := range l.files[keep:] {
		level = max(level, f.level+1)
	}
	l.files = append(l.files[:keep], entry{name, after, level})
	l.saved = run
}

// Saved notes that a commit had nothing to write up to a run.
func (l *Log) Saved(run int64) { l.saved = run }

// Drop forgets all files: the state is empty.
func (l *Log) Drop(run int64) { l.files, l.saved = nil, run }

// Whole reports whether rows that changed are so many of all that the file may as well hold everything.
func Whole(changed, all int64) bool { return changed*wholeShare >= all }
