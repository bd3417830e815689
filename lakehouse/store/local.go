package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
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

	mu      sync.Mutex
	durable map[string]bool // folders whose names this process has seen on the disk
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
	return &Local{root: abs, durable: map[string]bool{}}, nil
}

// String returns the folder.
func (l *Local) String() string { return l.root }

func (l *Local) path(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	return filepath.Join(l.root, filepath.FromSlash(name)), nil
}

// PutIfAbsent creates an object by link(2).
func (l *Local) PutIfAbsent(ctx context.Context, name string, body []byte) (Info, error) {
	file, err := l.path(name)
	if err != nil {
		return Info{}, err
	}
	temp, st, err := l.writeTemp(ctx, file, body)
	if err != nil {
		return Info{}, err
	}
	defer os.Remove(temp)
	if err := link(temp, file); err != nil {
		return Info{}, err
	}
	if err := syncDir(filepath.Dir(file)); err != nil {
		return Info{}, fmt.Errorf("%s: %w: its folder could not be synced: %w", file, ErrUnknown, err)
	}
	return info(name, st), nil
}

// link gives a file its final name. A network file system may report a failure after it has done the work; the
// second name on the file tells.
func link(temp, file string) error {
	err := os.Link(temp, file)
	if err == nil || twoNames(temp) {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", file, ErrExists)
	}
	return advise(err)
}

func twoNames(file string) bool {
	var st syscall.Stat_t
	return syscall.Stat(file, &st) == nil && st.Nlink == 2
}

// Put writes or replaces an object by rename(2).
func (l *Local) Put(ctx context.Context, name string, body []byte) error {
	file, err := l.path(name)
	if err != nil {
		return err
	}
	temp, _, err := l.writeTemp(ctx, file, body)
	if err != nil {
		return err
	}
	return publish(temp, file)
}

func publish(temp, file string) error {
	if err := os.Rename(temp, file); err != nil {
		return errors.Join(advise(err), os.Remove(temp))
	}
	return advise(syncDir(filepath.Dir(file)))
}

// writeTemp writes a durable file beside the final name and describes it: another name changes nothing of that.
func (l *Local) writeTemp(ctx context.Context, file string, body []byte) (string, fs.FileInfo, error) {
	w, err := l.create(ctx, file)
	if err != nil {
		return "", nil, err
	}
	defer w.Abort()
	if _, err := w.Write(body); err != nil {
		return "", nil, err
	}
	st, err := w.f.Stat()
	if err != nil {
		return "", nil, advise(err)
	}
	if err := w.sync(); err != nil {
		return "", nil, err
	}
	return w.f.Name(), st, nil
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
	if err := l.folder(dir); err != nil {
		return nil, advise(err)
	}
	temp := filepath.Join(dir, tempPrefix+uuid.NewString())
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrNotExist) { // the folder was removed since it was made
		if err = makeDirs(dir); err == nil {
			f, err = os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		}
	}
	if err != nil {
		return nil, advise(err)
	}
	return &localWriter{f: f, file: file}, nil
}

// folder makes a folder of the store durable once per process. One that is there already may have been made a
// moment ago, by somebody who has not synced it yet, so the names up to the root are synced all the same.
func (l *Local) folder(dir string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.durable[dir] {
		return nil
	}
	if err := makeDirs(dir); err != nil {
		return err
	}
	for d := dir; d != l.root; d = filepath.Dir(d) {
		if err := syncDir(filepath.Dir(d)); err != nil {
			return err
		}
	}
	if err := syncDir(filepath.Dir(l.root)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	l.durable[dir] = true
	return nil
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

// advise adds to a full disk and a folder without permission what to do.
func advise(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space, then start again", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: give this user the right to use it", err)
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
	return n, advise(err)
}

// sync makes the temporary file durable. A failed fsync is never tried again on the same file: the kernel may have
// dropped the pages.
func (w *localWriter) sync() error {
	if err := w.f.Sync(); err != nil {
		return advise(err)
	}
	w.done = true
	return advise(w.f.Close())
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
	etag string
}

// ETag is that of the open file, whatever has its name now.
func (r *localReader) ETag() string { return r.etag }

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
	return &localReader{File: f, size: st.Size(), etag: info(name, st).ETag}, nil
}

func notExist(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s: %w", file, ErrNotExist)
	}
	return advise(err)
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
		return nil, advise(err)
	}
	return infos(folder, startAfter, entries)
}

// Walk goes through a folder and those below it. What is removed meanwhile may be missing.
func (l *Local) Walk(ctx context.Context, folder string, fn func(Info) error) error {
	dir := l.root
	if folder != "" {
		var err error
		if dir, err = l.path(folder); err != nil {
			return err
		}
	}
	real, err := filepath.EvalSymlinks(dir) // the walk itself does not follow a link, not even the first
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return advise(err)
	}
	return filepath.WalkDir(real, func(file string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return advise(err)
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() || strings.HasPrefix(e.Name(), tempPrefix):
			return nil
		}
		st, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
			return nil
		}
		if err != nil {
			return advise(err)
		}
		name, err := filepath.Rel(real, file)
		if err != nil {
			return err
		}
		return fn(info(path.Join(folder, filepath.ToSlash(name)), st))
	})
}

func infos(folder, startAfter string, entries []fs.DirEntry) ([]Info, error) {
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

// Delete removes an object.
func (l *Local) Delete(_ context.Context, name string) error {
	file, err := l.path(name)
	if err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return advise(err)
	}
	return nil
}
