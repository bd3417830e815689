package wire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/bootstrap"
	deltasource "github.com/lakewheel/lakewheel/microbatch/source/delta"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/kafka"
	"github.com/lakewheel/lakewheel/offsets"
)

// OpenSource opens a source of a pipeline for what a plan reads of it.
func (w World) OpenSource(ctx context.Context, p *config.Pipeline, s *config.Source, plan *exec.Pipeline) (source.Source, error) {
	switch {
	case s.Files != nil, s.Delta != nil:
		return w.openFiles(p, s, plan)
	case s.Bootstrap == nil:
		return w.openRecords(ctx, s, plan)
	}
	archive := *s
	archive.Name, archive.Files, archive.Delta, archive.Format = offsets.ArchiveOf(s.Name), s.Bootstrap.Files, s.Bootstrap.Delta, s.Bootstrap.Format
	first, err := w.openFiles(p, &archive, plan)
	if err != nil {
		return nil, err
	}
	then, err := w.openRecords(ctx, s, plan)
	if err != nil {
		return nil, errors.Join(err, first.Close())
	}
	return bootstrap.New(s.Name, first, then, w.Log), nil
}

// openRecords opens a source of records.
func (w World) openRecords(ctx context.Context, s *config.Source, plan *exec.Pipeline) (source.Source, error) {
	switch {
	case w.Source != nil:
		return w.Source(ctx, s, plan.NeedsKey())
	case s.Kafka == nil:
		return nil, fmt.Errorf("source %s is memory, which only lakewheel test can feed", s.Name)
	}
	c := *s.Kafka
	c.WithKey, c.Budget = plan.NeedsKey(), w.Memory
	return kafka.Open(ctx, c, w.Clock.Sleep)
}

// openFiles opens a source of files, or of a table, which ends if it is an archive.
func (w World) openFiles(p *config.Pipeline, s *config.Source, plan *exec.Pipeline) (*files.Source, error) {
	c := files.Config{Name: s.Name, Once: s.Bootstrap != nil, Now: w.Clock.Now, Log: w.Log}
	where := prune.NewCondition(plan.Reads(), plan.Where())
	if d := s.Delta; d != nil {
		objects, err := w.OpenStore(p.S3, d.Path)
		if err != nil {
			return nil, err
		}
		order := ""
		if s.EventTime != nil {
			order = s.EventTime.Column
		}
		c.Feed = deltasource.NewFeed(deltasource.Config{Name: s.Name, Table: delta.Open(objects, w.NewID), Start: d.Start, Order: order, SkipChanges: d.SkipChanges,
			Declared: s.Schema, Columns: plan.Reads(), TakesNew: d.TakesNew, Where: where, Once: c.Once, Log: w.Log})
		c.Kind, c.MaxFiles, c.MaxBytes, c.Interval, c.SkipLoss = "delta", d.MaxFiles, d.MaxBytes, d.Interval, d.SkipLoss
		return files.New(c), nil
	}
	f := s.Files
	if err := checkFolder(s.Name, f.Path); err != nil {
		return nil, err
	}
	objects, err := w.OpenStore(p.S3, f.Path)
	if err != nil {
		return nil, err
	}
	c.Feed = &files.Folder{Format: fileFormat(s, plan, where), Objects: objects, Glob: f.Glob, MinAge: f.MinAge, Now: w.Clock.Now}
	c.Kind, c.MaxFiles, c.MaxBytes, c.Interval, c.SkipLoss = "files", f.MaxFiles, f.MaxBytes, f.Interval, f.SkipLoss
	return files.New(c), nil
}

// TableSchema is the schema of the Delta table in a place.
func (w World) TableSchema(ctx context.Context) config.Tables {
	return func(path string, c store.S3Config) (*columnar.Schema, error) {
		objects, err := w.OpenStore(c, path)
		if err != nil {
			return nil, err
		}
		snap, err := delta.Open(objects, w.NewID).Snapshot(ctx)
		switch {
		case err != nil:
			return nil, err
		case snap.Version < 0:
			return nil, fmt.Errorf("there is no Delta table in %s: correct path, or make the table first", path)
		case snap.Schema == nil:
			return nil, snap.Unusable
		}
		return snap.Schema, nil
	}
}

// checkFolder refuses a folder that is not there: it would be read as an empty one for ever. A prefix of a bucket is never there by itself.
func checkFolder(name, path string) error {
	if store.IsS3(path) {
		return nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("source %s: the folder %s does not exist: correct path, or make the folder", name, path)
	case err != nil:
		return fmt.Errorf("source %s: %w: give this user the right to read it", name, err)
	case !st.IsDir():
		return fmt.Errorf("source %s: %s is a file: give its folder as path, and its name as glob", name, path)
	}
	return nil
}

// fileFormat reads the files of a source.
func fileFormat(s *config.Source, plan *exec.Pipeline, where *prune.Condition) files.Format {
	if s.Format == "parquet" {
		return files.Parquet{Declared: s.Schema, Columns: plan.Reads(), Where: where}
	}
	text := files.Text{Options: s.CSV, Multiline: s.Multiline, Large: make(chan struct{}, 1)}
	if s.Header {
		text.Header = columnNames(s.Schema)
	}
	return text
}

// columnNames are those that a header names: all that stand in a record.
func columnNames(s *columnar.Schema) []string {
	var out []string
	for _, f := range s.Fields {
		if f.Name != exec.CorruptField {
			out = append(out, f.Name)
		}
	}
	return out
}

// describe names a source for progress.
func describe(s *config.Source) string {
	switch {
	case s.Kafka != nil:
		return fmt.Sprintf("Kafka%v", append(append([]string{}, s.Kafka.Topics...), nonEmpty(s.Kafka.Pattern)...))
	case s.Files != nil:
		return "Files[" + s.Files.Path + "]"
	case s.Delta != nil:
		return "DeltaSource[" + s.Delta.Path + "]"
	}
	return "Memory[" + s.Name + "]"
}
