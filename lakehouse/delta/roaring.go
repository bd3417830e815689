package delta

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

var errVector = errors.New("the deletion vector is damaged")

// rowSet is a set of row numbers of one file, one bit a row.
type rowSet []uint64

func newRowSet(rows int64) rowSet { return make(rowSet, (rows+63)/64) }

func (s rowSet) has(row int64) bool { return row>>6 < int64(len(s)) && s[row>>6]>>(row&63)&1 != 0 }

// add adds the rows from one to before another. False: they are not rows of the file.
func (s rowSet) add(from, until uint64) bool {
	if until > uint64(len(s))*64 || from >= until {
		return false
	}
	for from < until {
		word, low := from>>6, from&63
		n := min(64-low, until-from)
		s[word] |= (^uint64(0) >> (64 - n)) << low
		from += n
	}
	return true
}

func (s rowSet) count() (n int64) {
	for _, w := range s {
		n += int64(bits.OnesCount64(w))
	}
	return n
}

// little reads little-endian numbers off the front of bytes. Once there are too few, all that follows is 0 and short is set.
type little struct {
	rest  []byte
	short bool
}

func (l *little) take(n int) []byte {
	if n > len(l.rest) {
		l.short, l.rest = true, nil
		return make([]byte, min(n, 8))
	}
	out := l.rest[:n]
	l.rest = l.rest[n:]
	return out
}

func (l *little) u16() uint64 { return uint64(binary.LittleEndian.Uint16(l.take(2))) }
func (l *little) u32() uint64 { return uint64(binary.LittleEndian.Uint32(l.take(4))) }
func (l *little) u64() uint64 { return binary.LittleEndian.Uint64(l.take(8)) }

// The formats of Roaring bitmaps that Delta uses.
const (
	vectorMagic    = 1681511377 // a list of 32-bit bitmaps with their high words
	noRunsCookie   = 12346
	runsCookie     = 12347
	bitmapBytes    = 8 << 10
	arrayMax       = 4 << 10 // a container with more values is a bitmap
	offsetsFromRun = 4       // with runs, so many containers have a table of offsets
)

// parseVector adds the rows of a deletion vector to a set, whose size bounds them.
func parseVector(body []byte, into rowSet) error {
	l := &little{rest: body}
	if magic := l.u32(); magic != vectorMagic {
		return fmt.Errorf("%w: format %d is not known", errVector, magic)
	}
	for n := l.u64(); n > 0 && !l.short; n-- {
		high := l.u32() << 32
		if err := parseBitmap(l, high, into); err != nil {
			return err
		}
	}
	if l.short {
		return fmt.Errorf("%w: it is too short", errVector)
	}
	return nil
}

// parseBitmap reads a 32-bit bitmap: containers of the numbers that share their upper 16 bits.
func parseBitmap(l *little, high uint64, into rowSet) error {
	cookie := l.u32()
	var isRun []byte
	var containers int
	switch {
	case cookie == noRunsCookie:
		containers = int(l.u32())
	case cookie&0xffff == runsCookie:
		containers = int(cookie>>16) + 1
		isRun = l.take((containers + 7) / 8)
	default:
		return fmt.Errorf("%w: cookie %d is not known", errVector, cookie)
	}
	if containers > 1<<16 {
		return fmt.Errorf("%w: %d containers", errVector, containers)
	}
	header := &little{rest: l.take(4 * containers)}
	if isRun == nil || containers >= offsetsFromRun {
		l.take(4 * containers)
	}
	for i := range containers {
		if l.short {
			return nil
		}
		base, size := high|header.u16()<<16, int(header.u16())+1
		ok := true
		switch {
		case isRun != nil && isRun[i/8]>>(i%8)&1 != 0:
			ok = parseRuns(l, base, into)
		case size > arrayMax:
			ok = parseBits(l.take(bitmapBytes), base, into)
		default:
			ok = parseArray(&little{rest: l.take(2 * size)}, size, base, into)
		}
		if !ok && !l.short {
			return fmt.Errorf("%w: it names rows that the file does not have", errVector)
		}
	}
	return nil
}

func parseRuns(l *little, base uint64, into rowSet) bool {
	for n := l.u16(); n > 0 && !l.short; n-- {
		start, more := l.u16(), l.u16()
		if !into.add(base+start, base+start+more+1) {
			return false
		}
	}
	return true
}

func parseArray(l *little, size int, base uint64, into rowSet) bool {
	for range size {
		v := base + l.u16()
		if l.short || !into.add(v, v+1) {
			return false
		}
	}
	return true
}

func parseBits(words []byte, base uint64, into rowSet) bool {
	l := &little{rest: words}
	for at := base; len(l.rest) > 0; at += 64 {
		word := l.u64()
		switch first := at >> 6; {
		case word == 0:
		case first >= uint64(len(into)):
			return false
		default:
			into[first] |= word
		}
	}
	return true
}
