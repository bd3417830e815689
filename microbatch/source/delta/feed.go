package delta

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
)

// StartKind says where a first start begins.
type StartKind int

// The kinds of a start.
const (
	Newest   StartKind = iota // with all rows of the newest version
	Earliest                  // with all rows of the oldest version that can be read
	Latest                    // with what the next version adds
	AtVersion
	AtTime // with all rows of the newest version at or before a time
)

// Start is where a first start begins.
type Start struct {
	Kind    StartKind
	Version int64
	Time    time.Time
}

// Config describes a table that is read.
type Config struct {
	Name  string // of the source
	Table *delta.Table
	Start Start
	// Order is the column of the event time: files of one version are read in its order, so that few rows are late. "": there is none.
	Order string
	// SkipChanges leaves out versions that delete or change rows (on_change: skip).
	SkipChanges bool
	// Declared is the schema of the source, Columns those of its columns that are read.
	Declared, Columns *columnar.Schema
	// TakesNew: the query would take a column that comes to the table, and the schema is that of its newest version at the start. One that comes ends the run.
	TakesNew bool
	// Where, over Columns, denies row groups of which the query wants nothing; it may be nil.
	Where *prune.Condition
	// Once: the first version alone is read.
	Once bool
	Log  *slog.Logger
}

// Feed finds the files of a table.
type Feed struct {
	c Config

	mu     sync.Mutex // guards what follows
	stream *delta.Stream
	layout *delta.FileLayout
	id     string
	had    map[string]bool // columns that the newest version had
	known  int64           // the newest version at the first look, with whose columns the query was planned; -1: before it
}

var (
	_ files.Feed  = (*Feed)(nil)
	_ files.Table = (*Feed)(nil)
)

// NewFeed returns the feed of a table.
func NewFeed(c Config) *Feed {
	return &Feed{c: c, stream: c.Table.Stream(c.Order), had: map[string]bool{}, known: -1}
}

// Follows is true: the log gives each file once.
func (*Feed) Follows() bool { return true }

// Divisible is true: a row group can be read on its own.
func (*Feed) Divisible(string) bool { return true }

// SmallestTask is about a row group of a small file.
func (*Feed) SmallestTask() int64 { return files.Parquet{}.SmallestTask() }

// String is the place of the table.
func (f *Feed) String() string { return f.c.Table.String() }

// ID is that of the table.
func (f *Feed) ID() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.id
}

// Missing asks the table.
func (f *Feed) Missing(ctx context.Context, list []*files.Entry) ([]*files.Entry, error) {
	named := make([]lakehouse.DataFile, len(list))
	for i, e := range list {
		named[i].Path = e.Name
	}
	missing, err := f.c.Table.Missing(ctx, named)
	return slices.DeleteFunc(slices.Clone(list), func(e *files.Entry) bool { _, is := slices.BinarySearch(missing, e.Name); return !is }), err
}

// Find gives the files of the versions from one on, which it returns the next one of. At -1 it gives those of the start.
func (f *Feed) Find(ctx context.Context, at int64, found func(files.Found)) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := at < 0
	at, err := f.begin(ctx, at, found)
	for err == nil && !f.c.Once {
		step, ok, nextErr := f.stream.Next(ctx, at)
		if err = nextErr; err != nil || !ok {
			break
		}
		if err = f.take(step, found); err == nil {
			at++
		}
	}
	if err == nil {
		f.layout, err = f.stream.Layout(ctx, at-1)
	}
	if err == nil {
		f.id = f.layout.ID
	}
	return at, f.explain(err, first)
}

// explain says what a version that cannot be read means.
func (f *Feed) explain(err error, first bool) error {
	switch cleaned := errors.Is(err, delta.ErrCleaned); {
	case cleaned && first:
		return fmt.Errorf("%w: begin with start: earliest, which has all rows of then", err)
	case cleaned:
		return fmt.Errorf("%w: %w: rows that were not read are only in the table as a whole now; read them under another name of the source, which begins with the whole table", source.ErrDataLoss, err)
	case errors.Is(err, delta.ErrReplaced):
		return fmt.Errorf("%w: %w: restore it, or give the source another name, under which it is read from the beginning", source.ErrDataLoss, err)
	}
	return err
}

// begin gives the files of the start, if this is one. At the first look it learns with which version the query was planned.
func (f *Feed) begin(ctx context.Context, at int64, found func(files.Found)) (int64, error) {
	if at >= 0 {
		if f.known >= 0 || !f.c.TakesNew {
			return at, nil
		}
		var err error
		_, f.known, err = f.stream.Reach(ctx)
		return at, err
	}
	version, err := f.first(ctx)
	if err != nil {
		return at, err
	}
	begin := f.stream.Begin
	if f.c.Start.Kind == Latest {
		begin = f.stream.BeginAfter
	}
	step, err := begin(ctx, version)
	if err != nil {
		return at, err
	}
	return version + 1, f.take(step, found)
}

// first is the version of the start.
func (f *Feed) first(ctx context.Context) (int64, error) {
	oldest, newest, err := f.stream.Reach(ctx)
	f.known = newest
	switch s := f.c.Start; {
	case err != nil:
		return -1, err
	case newest < 0:
		return -1, fmt.Errorf("there is no Delta table in %s: correct path, or make the table first", f)
	case s.Kind == Earliest:
		return oldest, nil
	case s.Kind == AtTime:
		version, err := f.stream.VersionAt(ctx, s.Time.UnixMilli())
		if err != nil {
			err = fmt.Errorf("start.time %s: %w", s.Time.UTC().Format(time.RFC3339), err)
		}
		return version, err
	case s.Kind == AtVersion && s.Version > newest:
		return -1, fmt.Errorf("start.version: the newest version of %s is %d, there is no version %d yet", f, newest, s.Version)
	case s.Kind == AtVersion:
		return s.Version, nil
	}
	return newest, nil
}

// take gives the files of a version, unless it cannot be a part of a stream.
func (f *Feed) take(step delta.Step, found func(files.Found)) error {
	if err := f.checkNew(step); err != nil {
		return err
	}
	if err := f.checkSchema(step); err != nil {
		return err
	}
	switch {
	case step.Removed == 0:
	case !f.c.SkipChanges:
		return fmt.Errorf("version %d of %s deleted or changed rows (%s), and a stream only takes rows in: leave such versions out with on_change: skip, or read the table as a whole", step.Version, f, step.Operation)
	default:
		f.c.Log.Warn("a version that deleted or changed rows is left out (on_change: skip)", "source", f.c.Name, "table", f.String(), "version", step.Version, "operation", step.Operation)
		return nil
	}
	for _, a := range step.Added {
		found(files.Found{Info: store.Info{Name: a.Path, Size: max(1, a.Bytes), Modified: a.Modified}, Note: a.Text, Next: step.Version + 1})
	}
	return nil
}

// checkNew ends a run that would take in the rows of a version without a column that came with it.
func (f *Feed) checkNew(step delta.Step) error {
	if !f.c.TakesNew || step.Version <= f.known {
		return nil
	}
	for _, has := range step.Schema.Fields {
		if f.c.Declared.Index(has.Name) < 0 {
			return fmt.Errorf("version %d of %s came with column %s, which the query takes by its *: start again, and it is there", step.Version, f, has.Name)
		}
	}
	return nil
}

// checkSchema refuses a version that does not have the columns that the query was planned with. Those that come with a later version are NULL before it.
func (f *Feed) checkSchema(step delta.Step) error {
	for _, want := range f.c.Declared.Fields {
		at := step.Schema.Index(want.Name)
		switch {
		case at < 0 && f.had[want.Name]:
			return fmt.Errorf("version %d of %s has no column %s any more: take it out of the query, then start again", step.Version, f, want.Name)
		case at >= 0 && step.Schema.Fields[at].Type != want.Type:
			return fmt.Errorf("version %d of %s has column %s as %s, and the query was planned with %s: look at the query, then start again", step.Version, f, want.Name, step.Schema.Fields[at].Type, want.Type)
		}
		f.had[want.Name] = at >= 0
	}
	return nil
}

// layoutOf is what files are read by. A source that looks for no versions any more reads by the newest one.
func (f *Feed) layoutOf(ctx context.Context) (*delta.FileLayout, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.layout != nil {
		return f.layout, nil
	}
	_, newest, err := f.stream.Reach(ctx)
	if err != nil {
		return nil, err
	}
	f.layout, err = f.stream.Layout(ctx, newest)
	return f.layout, err
}

// Sample asks the footer of a file.
func (f *Feed) Sample(ctx context.Context, e *files.Entry) (files.Sample, error) {
	layout, err := f.layoutOf(ctx)
	if err != nil {
		return files.Sample{}, err
	}
	file, err := layout.Open(ctx, e.Note, f.c.Columns)
	if err != nil {
		return files.Sample{}, err
	}
	return files.SampleOf(file.File, e), file.Close()
}

// Open opens the row groups of a file whose first byte is one of [from, until).
func (f *Feed) Open(ctx context.Context, e *files.Entry, from, until int64) (files.Rows, error) {
	layout, err := f.layoutOf(ctx)
	if err != nil {
		return nil, err
	}
	file, err := layout.Open(ctx, e.Note, f.c.Columns)
	if err != nil {
		return nil, err
	}
	files.Select(file.File, from, until, f.c.Where)
	return files.NewColumnRows(file, e), nil
}
