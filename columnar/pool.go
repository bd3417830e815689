package columnar

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

const (
	poolAlign    = 64
	smallestPool = 10 // classes below 1 KiB are left to the Go heap
)

// Pool is an allocator that keeps freed buffers for the next batch, so that a steady
// stream neither zeroes nor collects them. Sizes are rounded up to powers of two.
// Contents of new buffers are undefined. It may be used from any goroutine.
type Pool struct {
	mu    sync.Mutex
	free  [40][][]byte
	kept  int64
	limit int64
}

var _ memory.Allocator = (*Pool)(nil)

// NewPool returns a pool that keeps at most limit bytes of free buffers.
func NewPool(limit int64) *Pool { return &Pool{limit: limit} }

// Allocate returns size bytes, aligned to 64.
func (p *Pool) Allocate(size int) []byte {
	class := bits.Len(uint(max(size, 1) - 1))
	if class < smallestPool || class >= len(p.free) {
		return aligned(size, size)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free[class]); n > 0 {
		b := p.free[class][n-1]
		p.free[class][n-1] = nil
		p.free[class] = p.free[class][:n-1]
		p.kept -= int64(cap(b))
		return b[:size]
	}
	return aligned(size, 1<<class)
}

// Reallocate grows or shrinks a buffer of the pool.
func (p *Pool) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := p.Allocate(size)
	copy(grown, b)
	p.Free(b)
	return grown
}

// Free gives a buffer back; the caller must not use it any more.
func (p *Pool) Free(b []byte) {
	class := bits.Len(uint(max(cap(b), 1) - 1))
	if cap(b) != 1<<class || class < smallestPool || class >= len(p.free) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept+int64(cap(b)) <= p.limit {
		p.kept += int64(cap(b))
		p.free[class] = append(p.free[class], b[:0])
	}
}

func aligned(size, capacity int) []byte {
	raw := make([]byte, capacity+poolAlign)
	shift := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (poolAlign - 1))
	return raw[shift : shift+size : shift+capacity]
}
