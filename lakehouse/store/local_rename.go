package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Rename is rename(2), one step: a process that dies leaves the object under one of its names, and never under both. Then the folders are synced. Names are unique
// by construction; something else under the new one is refused all the same.
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
	if err := l.move(old, file); err != nil {
		return err
	}
	for _, dir := range []string{filepath.Dir(file), filepath.Dir(old)} {
		if err := syncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return advise(err)
		}
	}
	return nil
}

// move renames a file. One that has the new name already is no error.
func (l *Local) move(old, file string) error {
	dir := filepath.Dir(file)
	if err := l.folder(dir); err != nil {
		return advise(err)
	}
	before, oldErr := os.Lstat(old)
	there, newErr := os.Lstat(file)
	switch {
	case errors.Is(oldErr, fs.ErrNotExist) && newErr == nil:
		return nil
	case errors.Is(oldErr, fs.ErrNotExist):
		return notExist(old, oldErr)
	case oldErr != nil:
		return advise(oldErr)
	case newErr == nil && os.SameFile(before, there):
		return advise(os.Remove(old)) // rename(2) does nothing between two names of one file
	case newErr == nil:
		return fmt.Errorf("%s: %w", file, ErrExists)
	}
	err := os.Rename(old, file)
	if errors.Is(err, fs.ErrNotExist) && makeDirs(dir) == nil { // the folder may have been removed since it was made
		err = os.Rename(old, file)
	}
	return advise(err)
}
