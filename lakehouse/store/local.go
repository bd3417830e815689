package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/uuid"
)

// Local is a folder of a local file system with hard links (ext4, xfs, btrfs, apfs, ntfs).
//
// # How an object appears
//
//  1. Its bytes go to a temporary file beside it, whose name begins with a dot.
//  2. fsync of that file.
//  3. link(2) to the final name: atomic, and EEXIST if the name is taken (rename(2) for names that may be replaced).
//  4. fsync of the folder, and of those above that were made for it.
//  5. The temporary name is removed.
//
// A crash before 3 leaves a temporary file, which nobody reads.
type Local struct {
	root string
}

var _ Store = (*Local)(nil)

// tempPrefix begins the names of temporary files.
const tempPrefix = ".tmp-"

// NewLocal returns the store of a folder, which need not exist yet.
func NewLocal(root string) (*Local, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", root, err)
	}
	return &Local{root: abs}, nil
}

// String returns the folder.
func (l *Local) String() string { return l.root }

func (l *Local) path(name string) (string, error) {
	if !fs.ValidPath(name) || name == "." {
		return "", fmt.Errorf("object name %q is not a relative path", name)
	}
	return filepath.Join(l.root, filepath.FromSlash(name)), nil
}

// PutIfAbsent creates an object by link(2).
func (l *Local) PutIfAbsent(ctx context.Context, name string, body []byte) (Info, error) {
	file, err := l.path(name)
	if err != nil {
		return Info{}, err
	}
	temp, err := l.writeTemp(ctx, file, body)
	if err != nil {
		return Info{}, err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, file); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return Info{}, fmt.Errorf("%s: %w", file, ErrExists)
		}
		return Info{}, plain(err)
	}
	if err := syncDir(filepath.Dir(file)); err != nil {
		return Info{}, fmt.Errorf("%s: %w: %w", file, ErrUnknown, plain(err))
	}
	in, err := l.Stat(ctx, name)
	if err != nil { // the object is there, and what it is now cannot be told
		return in, fmt.Errorf("%s: %w: %w", file, ErrUnknown, err)
	}
	return in, nil
}

// Put writes or replaces an object by rename(2).
func (l *Local) Put(ctx context.Context, name string, body []byte) error {
	file, err := l.path(name)
	if err != nil {
		return err
	}
	temp, err := l.writeTemp(ctx, file, body)
	if err != nil {
		return err
	}
	return publish(temp, file)
}

func publish(temp, file string) error {
	if err := os.Rename(temp, file); err != nil {
		return errors.Join(plain(err), os.Remove(temp))
	}
	return plain(syncDir(filepath.Dir(file)))
}

func (l *Local) writeTemp(ctx context.Context, file string, body []byte) (string, error) {
	w, err := l.create(ctx, file)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(body); err != nil {
		w.Abort()
		return "", err
	}
	if err := w.sync(); err != nil {
		w.Abort()
		return "", err
	}
	return w.f.Name(), nil
}

// Create opens a writer; the object appears when it is closed.
func (l *Local) Create(ctx context.Context, name string) (Writer, error) {
	file, err := l.path(name)
	if err != nil {
		return nil, err
	}
	return l.create(ctx, file)
}

func (l *Local) create(ctx context.Context, file string) (*localWriter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	if err := makeDirs(dir); err != nil {
		return nil, plain(err)
	}
	temp := filepath.Join(dir, tempPrefix+uuid.NewString())
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, plain(err)
	}
	return &localWriter{f: f, file: file}, nil
}

// makeDirs makes a folder and those above it, durable.
func makeDirs(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// plain says a full disk and a folder without permission in words that tell what to do.
func plain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space, then start again", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: give this user the right to write there", err)
	}
	return err
}

type localWriter struct {
	f    *os.File
	file string
	done bool
}

func (w *localWriter) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	return n, plain(err)
}

// sync makes the temporary file durable. A failed fsync is never tried again on the same file: the kernel may have
// dropped the pages.
func (w *localWriter) sync() error {
	if err := w.f.Sync(); err != nil {
		return plain(err)
	}
	w.done = true
	return plain(w.f.Close())
}

// Close makes the object appear.
func (w *localWriter) Close() error {
	if err := w.sync(); err != nil {
		w.Abort()
		return err
	}
	return publish(w.f.Name(), w.file)
}

// Abort removes what was written. After Close it does nothing.
func (w *localWriter) Abort() {
	if w.done {
		return
	}
	w.done = true
	_ = w.f.Close()
	_ = os.Remove(w.f.Name())
}

// Get reads a whole object.
func (l *Local) Get(ctx context.Context, name string) ([]byte, Info, error) {
	r, err := l.open(ctx, name)
	if err != nil {
		return nil, Info{}, err
	}
	defer r.Close()
	body := make([]byte, r.size)
	if _, err := io.ReadFull(r.File, body); err != nil {
		return nil, Info{}, fmt.Errorf("read %s: %w", r.Name(), err)
	}
	st, err := r.Stat()
	if err != nil {
		return nil, Info{}, err
	}
	return body, info(name, st), nil
}

type localReader struct {
	*os.File
	size int64
}

func (r *localReader) Size() int64 { return r.size }

// Open opens an object.
func (l *Local) Open(ctx context.Context, name string) (Reader, error) {
	r, err := l.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (l *Local) open(ctx context.Context, name string) (*localReader, error) {
	file, err := l.path(name)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, notExist(file, err)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s: %w", file, ErrNotExist)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &localReader{File: f, size: st.Size()}, nil
}

func notExist(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s: %w", file, ErrNotExist)
	}
	return plain(err)
}

// Stat describes an object.
func (l *Local) Stat(_ context.Context, name string) (Info, error) {
	file, err := l.path(name)
	if err != nil {
		return Info{}, err
	}
	st, err := os.Stat(file)
	if err != nil {
		return Info{}, notExist(file, err)
	}
	return info(name, st), nil
}

// info makes the ETag of inode, change of content and size: a file that was put in its place has another inode.
func info(name string, st fs.FileInfo) Info {
	inode := uint64(0)
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		inode = sys.Ino
	}
	return Info{Name: name, Size: st.Size(), Modified: st.ModTime().UnixMilli(),
		ETag: fmt.Sprintf("%x-%x-%x", inode, st.ModTime().UnixNano(), st.Size())}
}

// List returns the objects of a folder.
func (l *Local) List(ctx context.Context, folder, startAfter string) ([]Info, error) {
	dir := l.root
	if folder != "" {
		var err error
		if dir, err = l.path(folder); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, plain(err)
	}
	var out []Info
	for _, e := range entries {
		if e.IsDir() || e.Name() <= startAfter || strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, info(join(folder, e.Name()), st))
	}
	return out, nil
}

func join(folder, base string) string {
	if folder == "" {
		return base
	}
	return folder + "/" + base
}

// Delete removes an object.
func (l *Local) Delete(_ context.Context, name string) error {
	file, err := l.path(name)
	if err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plain(err)
	}
	return nil
}
