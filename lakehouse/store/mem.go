package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// Mem is a store in memory. It is a double for tests: it can fail, lose answers, and crash after a given
// write. The objects of a Mem are shared by all handles that Reopen makes of it.
type Mem struct {
	shared *memObjects

	mu      sync.Mutex
	ops     int
	writes  int
	crashAt int // writes that succeed before the crash; -1: never
	crashed bool
	faults  Faults
}

type memObjects struct {
	mu      sync.Mutex
	objects map[string]memObject
	serial  int
	late    []func()
	clock   func() int64
}

type memObject struct {
	body     []byte
	serial   int
	modified int64
}

var _ Store = (*Mem)(nil)

// NewMem returns an empty store.
func NewMem() *Mem {
	return &Mem{crashAt: -1, shared: &memObjects{objects: map[string]memObject{}, clock: func() int64 { return 0 }}}
}

// SetClock sets where modification times come from, in milliseconds; they are 0 without it.
func (m *Mem) SetClock(millis func() int64) {
	m.shared.mu.Lock()
	defer m.shared.mu.Unlock()
	m.shared.clock = millis
}

// Reopen returns a new handle on the same objects, without faults: what the next process sees.
func (m *Mem) Reopen() *Mem { return &Mem{crashAt: -1, shared: m.shared} }

// Clone returns a new store with a copy of the objects.
func (m *Mem) Clone() *Mem {
	m.shared.mu.Lock()
	defer m.shared.mu.Unlock()
	return &Mem{crashAt: -1, shared: &memObjects{objects: maps.Clone(m.shared.objects), serial: m.shared.serial, clock: m.shared.clock}}
}

// CrashAfter lets n more durable writes succeed; the next one, and everything after it, fails with ErrCrashed.
func (m *Mem) CrashAfter(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.crashAt = m.writes + n
}

// Crash ends the process of this handle now.
func (m *Mem) Crash() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.crashed = true
}

// Crashed reports whether the handle is dead.
func (m *Mem) Crashed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.crashed
}

// Inject sets the faults; nil removes them.
func (m *Mem) Inject(f Faults) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults, m.ops = f, 0
}

// Writes is the number of durable writes so far through this handle.
func (m *Mem) Writes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writes
}

// Ops is the number of operations since Inject.
func (m *Mem) Ops() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops
}

// String names the store.
func (*Mem) String() string { return "memory" }

// do counts an operation, meets it with faults, and applies it.
func (m *Mem) do(ctx context.Context, op Op, name string, apply func(o *memObjects) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if op != OpList || name != "" {
		if err := checkName(name); err != nil {
			return err
		}
	}
	outcome, fault, err := m.meet(op, name)
	if err != nil {
		return err
	}
	o := m.shared
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, late := range o.late {
		late()
	}
	o.late = nil
	return o.settle(outcome, fault, op, name, apply)
}

// settle applies an operation as its outcome says.
func (o *memObjects) settle(outcome Outcome, fault error, op Op, name string, apply func(o *memObjects) error) error {
	switch outcome {
	case Fail:
		return fmt.Errorf("%s %s: %w", op, name, fault)
	case LoseCall:
		return unknown(name, fault)
	case Late:
		o.late = append(o.late, func() { _ = apply(o) })
		return unknown(name, fault)
	case LoseReply:
		if err := apply(o); err != nil {
			return err
		}
		return unknown(name, fault)
	case Twice:
		_ = apply(o)
	}
	return apply(o)
}

func unknown(name string, fault error) error {
	if fault == nil {
		return fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	return fmt.Errorf("%s: %w: %w", name, ErrUnknown, fault)
}

func (m *Mem) meet(op Op, name string) (Outcome, error, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if op.writes() && m.crashAt >= 0 && m.writes >= m.crashAt {
		m.crashed = true
	}
	if m.crashed {
		return 0, nil, fmt.Errorf("%s %s: %w", op, name, ErrCrashed)
	}
	n := m.ops
	m.ops++
	if op.writes() {
		m.writes++
	}
	if m.faults == nil {
		return Normal, nil, nil
	}
	outcome, fault := m.faults(n, op, name)
	return outcome, fault, nil
}

func (o *memObjects) put(name string, body []byte) {
	o.serial++
	o.objects[name] = memObject{body: bytes.Clone(body), serial: o.serial, modified: o.clock()}
}

func (o *memObjects) info(name string) Info {
	obj := o.objects[name]
	return Info{Name: name, Size: int64(len(obj.body)), ETag: fmt.Sprint(obj.serial), Modified: obj.modified}
}

// PutIfAbsent creates an object.
func (m *Mem) PutIfAbsent(ctx context.Context, name string, body []byte) (in Info, err error) {
	err = m.do(ctx, OpPutIfAbsent, name, func(o *memObjects) error {
		if _, ok := o.objects[name]; ok {
			return fmt.Errorf("%s: %w", name, ErrExists)
		}
		o.put(name, body)
		in = o.info(name)
		return nil
	})
	return in, err
}

// Put writes an object.
func (m *Mem) Put(ctx context.Context, name string, body []byte) error {
	return m.do(ctx, OpPut, name, func(o *memObjects) error { o.put(name, body); return nil })
}

// Create opens a writer.
func (m *Mem) Create(ctx context.Context, name string) (Writer, error) {
	if err := errors.Join(ctx.Err(), checkName(name)); err != nil {
		return nil, err
	}
	return &memWriter{m: m, name: name}, nil
}

type memWriter struct {
	bytes.Buffer
	m    *Mem
	name string
}

// Close counts as one durable write.
func (w *memWriter) Close() error {
	return w.m.do(context.Background(), OpCreate, w.name, func(o *memObjects) error { o.put(w.name, w.Bytes()); return nil })
}

func (w *memWriter) Abort() {}

// Get reads an object.
func (m *Mem) Get(ctx context.Context, name string) (body []byte, in Info, err error) {
	err = m.do(ctx, OpGet, name, func(o *memObjects) error {
		obj, ok := o.objects[name]
		if !ok {
			return fmt.Errorf("%s: %w", name, ErrNotExist)
		}
		body, in = bytes.Clone(obj.body), o.info(name)
		return nil
	})
	return body, in, err
}

type memReader struct {
	*bytes.Reader
	etag string
}

func (r memReader) ETag() string { return r.etag }

func (memReader) Close() error { return nil }

// Open opens an object.
func (m *Mem) Open(ctx context.Context, name string) (r Reader, err error) {
	err = m.do(ctx, OpOpen, name, func(o *memObjects) error {
		obj, ok := o.objects[name]
		if !ok {
			return fmt.Errorf("%s: %w", name, ErrNotExist)
		}
		r = memReader{bytes.NewReader(obj.body), o.info(name).ETag}
		return nil
	})
	return r, err
}

// Stat describes an object.
func (m *Mem) Stat(ctx context.Context, name string) (in Info, err error) {
	err = m.do(ctx, OpStat, name, func(o *memObjects) error {
		if _, ok := o.objects[name]; !ok {
			return fmt.Errorf("%s: %w", name, ErrNotExist)
		}
		in = o.info(name)
		return nil
	})
	return in, err
}

// List returns the objects of a folder.
func (m *Mem) List(ctx context.Context, folder, startAfter string) (out []Info, err error) {
	err = m.do(ctx, OpList, folder, func(o *memObjects) error {
		for _, name := range slices.Sorted(maps.Keys(o.objects)) {
			if name == join(folder, path.Base(name)) && path.Base(name) > startAfter {
				out = append(out, o.info(name))
			}
		}
		return nil
	})
	return out, err
}

// Walk lists the objects of a folder and of those below it.
func (m *Mem) Walk(ctx context.Context, folder string, fn func(Info) error) error {
	var all []Info
	err := m.do(ctx, OpList, folder, func(o *memObjects) error {
		for _, name := range slices.Sorted(maps.Keys(o.objects)) {
			if strings.HasPrefix(name, join(folder, "")) {
				all = append(all, o.info(name))
			}
		}
		return nil
	})
	return each(all, err, fn)
}

// each calls fn with objects that were listed.
func each(all []Info, err error, fn func(Info) error) error {
	for i := 0; i < len(all) && err == nil; i++ {
		err = fn(all[i])
	}
	return err
}

// Rename gives an object another name.
func (m *Mem) Rename(ctx context.Context, from, to string) error {
	if err := checkName(from); err != nil {
		return err
	}
	return m.do(ctx, OpRename, to, func(o *memObjects) error {
		obj, there := o.objects[from]
		_, taken := o.objects[to]
		switch {
		case there && taken:
			return fmt.Errorf("%s: %w", to, ErrExists)
		case !there && !taken:
			return fmt.Errorf("%s: %w", from, ErrNotExist)
		case there:
			o.objects[to] = obj
			delete(o.objects, from)
		}
		return nil
	})
}

// Delete removes an object.
func (m *Mem) Delete(ctx context.Context, name string) error {
	return m.do(ctx, OpDelete, name, func(o *memObjects) error { delete(o.objects, name); return nil })
}
