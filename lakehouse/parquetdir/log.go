package parquetdir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Names in the folder of a table.
const (
	root   = "_lakewheel"
	suffix = ".parquet" // of data files, and of nothing below root
)

func logFolder(name string) string    { return path.Join(root, name, "log") }
func stagedFolder(name string) string { return path.Join(root, name, "staged") }
func hintName(name string) string     { return path.Join(logFolder(name), "newest.json") }
func noteName(name string) string     { return path.Join(logFolder(name), "elsewhere.json") }

func entryName(name string, number int64) string {
	return fmt.Sprintf("%s/%020d.json", logFolder(name), number)
}

// hint is an entry that was the newest not long ago.
type hint struct {
	Format int   `json:"format"`
	Number int64 `json:"number"`
}

// note says, under a name that a pipeline got later, in whose log it goes on.
type note struct {
	Format int    `json:"format"`
	Log    string `json:"log"` // the name that the pipeline had when the log began
}

// read reads an entry.
func (t *Table) read(ctx context.Context, log string, number int64) (known, error) {
	name := entryName(log, number)
	body, in, err := t.objects.Get(ctx, name)
	if err != nil {
		return known{}, err
	}
	e, err := parseEntry(name, number, body)
	return known{e, in.Size, in.ETag}, err
}

// newest reads the newest entry of a log, nothing if it has none.
//
//  1. The hint says from where the folder is listed.
//  2. No number may be missing in what is listed: that would be a log that someone has cut.
//  3. A hint that names an entry that is not there is as good as none.
func (t *Table) newest(ctx context.Context, log string) (place, error) {
	p := place{log: log}
	var err error
	if p.hinted, err = t.hint(ctx, log); err != nil {
		return p, err
	}
	last, err := t.last(ctx, log, p.hinted)
	if err == nil && last < 0 && p.hinted >= 0 {
		p.hinted = -1
		last, err = t.last(ctx, log, -1)
	}
	if err != nil || last < 0 {
		return p, err
	}
	p.known, err = t.read(ctx, log, last)
	return p, err
}

// last lists the numbers of a log from one on, which must be there, -1 for all of them. -1 if there is none.
func (t *Table) last(ctx context.Context, log string, from int64) (int64, error) {
	list, err := t.objects.List(ctx, logFolder(log), fmt.Sprintf("%020d", max(0, from)))
	if err != nil {
		return -1, err
	}
	last := int64(-1)
	for _, in := range list {
		n, ok := lakehouse.EntryNumber(in.Name)
		switch {
		case !ok:
			continue
		case last < 0 && from >= 0 && n != from:
			return -1, nil
		case last >= 0 && n != last+1:
			return -1, fmt.Errorf("%w: entry %d is missing, and %d is there: restore %s", errDamaged, last+1, n, entryName(log, last+1))
		}
		last = n
	}
	return last, nil
}

// hint is the number that the hint names, -1 if there is none to go by.
func (t *Table) hint(ctx context.Context, log string) (int64, error) {
	body, _, err := t.objects.Get(ctx, hintName(log))
	if errors.Is(err, store.ErrNotExist) {
		return -1, nil
	}
	var h hint
	if err != nil {
		return -1, err
	}
	if json.Unmarshal(body, &h) != nil || h.Format != format || h.Number < 0 {
		return -1, nil
	}
	return h.Number, nil
}

// place is a log and its newest entry, none if it has not begun.
type place struct {
	log string
	known
	hinted int64 // the number that the hint names, -1 if there is none
}

// find looks for the log under the pipeline's name, and then under its previous one. Without any, it is going to begin under the pipeline's name.
func (t *Table) find(ctx context.Context) (place, error) {
	for _, name := range []string{t.name, t.previous} {
		p, err := t.findOf(ctx, name)
		if err != nil || p.entry != nil {
			return p, err
		}
	}
	return place{log: t.name, hinted: -1}, nil
}

// findOf looks for the log that a pipeline of some name writes: its own, or the one that it had before a change of name.
func (t *Table) findOf(ctx context.Context, name string) (place, error) {
	if name == "" {
		return place{}, nil
	}
	p, err := t.newest(ctx, name)
	if err != nil || p.entry != nil {
		return p, err
	}
	log, err := t.noted(ctx, name)
	if err != nil || log == "" {
		return place{}, err
	}
	return t.newest(ctx, log)
}

// noted is the log that the note under a name points to, "" if there is no note.
func (t *Table) noted(ctx context.Context, name string) (string, error) {
	body, _, err := t.objects.Get(ctx, noteName(name))
	if errors.Is(err, store.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var n note
	if err := decode(noteName(name), body, &n); err != nil {
		return "", err
	}
	if !fs.ValidPath(n.Log) || strings.Contains(n.Log, "/") {
		return "", fmt.Errorf("%w: %s points to %q", errDamaged, noteName(name), n.Log)
	}
	return n.Log, nil
}
