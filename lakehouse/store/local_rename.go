package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Rename gives an object a second name by link(2), which replaces nothing, syncs the folder of the new name, and only then removes the old one.
// Whoever finds the old name gone knows that the new one is durable.
func (l *Local) Rename(ctx context.Context, from, to string) error {
	old, err := l.path(from)
	if err != nil {
		return err
	}
	file, err := l.path(to)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.linkAs(old, file); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(file)); err != nil {
		return advise(err)
	}
	if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return advise(err)
	}
	return nil
}

// linkAs gives a file a second name. One that has it already, or had it alone, is no error.
func (l *Local) linkAs(old, file string) error {
	dir := filepath.Dir(file)
	if err := l.folder(dir); err != nil {
		return advise(err)
	}
	err := os.Link(old, file)
	if errors.Is(err, fs.ErrNotExist) && makeDirs(dir) == nil { // the folder may have been removed since it was made
		err = os.Link(old, file)
	}
	if err == nil {
		return nil
	}
	before, oldErr := os.Lstat(old)
	there, newErr := os.Lstat(file)
	switch {
	case oldErr == nil && newErr == nil && os.SameFile(before, there):
		return nil
	case oldErr == nil && newErr == nil:
		return fmt.Errorf("%s: %w", file, ErrExists)
	case errors.Is(oldErr, fs.ErrNotExist) && newErr == nil:
		return nil
	case errors.Is(oldErr, fs.ErrNotExist):
		return notExist(old, oldErr)
	}
	return advise(err)
}
