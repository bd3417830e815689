package columnar

import (
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Heap is the Go heap without the clearing of what it hands out, which would cost as much as many a kernel. Who makes a
// column writes every byte of it that can be read; tests with the build tag poison find who does not.
var Heap memory.Allocator = heap{}

// heap follows memory.GoAllocator: blocks begin at multiples of 64 bytes, and the collector frees them.
type heap struct{}

const alignment = 64

func (heap) Allocate(size int) []byte {
	raw := uncleared(size + alignment)
	shift := -int(uintptr(unsafe.Pointer(unsafe.SliceData(raw)))) & (alignment - 1)
	return raw[shift : shift+size : shift+size]
}

func (h heap) Reallocate(size int, b []byte) []byte {
	if cap(b) >= size {
		return b[:size]
	}
	grown := h.Allocate(size)
	copy(grown, b)
	return grown
}

func (heap) Free([]byte) {}

// uncleared allocates n > 0 bytes. strings.Builder is the one public way to memory that the runtime has not cleared: it
// grows to a block that the text it ends with, of one byte here, shares.
func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	raw := unsafe.Slice(unsafe.StringData(b.String()), n)
	poison(raw)
	return raw
}
