package files

import (
	"context"
	"fmt"
	"time"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Format reads files.
type Format interface {
	// Open reads the part of a file that belongs to its bytes [from, until). It takes the file over if it returns no error.
	Open(in store.Reader, e *Entry, from, until int64) (Rows, error)
	// Sample is that of a Feed. It takes the file over.
	Sample(ctx context.Context, in store.Reader, e *Entry) (Sample, error)
	// Divisible and SmallestTask are those of a Feed.
	Divisible(name string) bool
	SmallestTask() int64
}

// Folder is the feed of a folder of a file system or a prefix of a bucket.
type Folder struct {
	Format
	Objects store.Store
	Glob    Glob
	// MinAge leaves files alone that changed less than so long ago: they may still be written.
	MinAge time.Duration
	Now    func() time.Time
}

var _ Feed = (*Folder)(nil)

// Find lists the files.
func (f *Folder) Find(ctx context.Context, _ int64, found func(Found)) (int64, error) {
	newest := f.Now().Add(-f.MinAge).UnixMilli()
	err := f.Objects.Walk(ctx, "", func(in store.Info) error {
		if (f.MinAge == 0 || in.Modified <= newest) && !Hidden(in.Name) && f.Glob.Match(in.Name) {
			found(Found{Info: in})
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("list %s: %w", f.Objects, err)
	}
	return 0, nil
}

// Follows is false: each listing has all files.
func (*Folder) Follows() bool { return false }

// Open opens a file if it still is the one that was listed.
func (f *Folder) Open(ctx context.Context, e *Entry, from, until int64) (Rows, error) {
	in, err := f.Objects.Open(ctx, e.Name)
	if err != nil {
		return nil, err
	}
	if id, ok := in.(store.Identified); in.Size() != e.Size || ok && id.ETag() != e.ETag {
		_ = in.Close()
		return nil, fmt.Errorf("%w: it had %d bytes and has %d", errChanged, e.Size, in.Size())
	}
	rows, err := f.Format.Open(in, e, from, until)
	if err != nil {
		_ = in.Close()
	}
	return rows, err
}

// Sample looks at a file.
func (f *Folder) Sample(ctx context.Context, e *Entry) (Sample, error) {
	in, err := f.Objects.Open(ctx, e.Name)
	if err != nil {
		return Sample{}, err
	}
	return f.Format.Sample(ctx, in, e)
}

// String is the place.
func (f *Folder) String() string { return f.Objects.String() }
