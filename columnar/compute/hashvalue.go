package compute

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lakewheel/lakewheel/columnar"
)

// hashInput reads the values of a vector in the form in which they are hashed.
type hashInput struct {
	*vector
	form    hashForm
	parts   []*hashInput
	scratch [16]byte
}

func newHashInput(v *vector) *hashInput {
	h := &hashInput{vector: v, form: hashedAs(v.typ)}
	for _, kid := range v.kids {
		h.parts = append(h.parts, newHashInput(kid))
	}
	return h
}

// skips reports whether a row does not count.
func (h *hashInput) skips(row int32) bool { return h.form == hashNothing || h.isNull(row) }

// short is a value of up to 32 bits. -0.0 counts as 0.0, and all NaN are one.
func (h *hashInput) short(row int32) int32 {
	i := row & h.mask()
	switch h.typ.Kind {
	case columnar.BooleanKind:
		return int32(h.data[i])
	case columnar.TinyIntKind:
		return int32(slice[int8](h.vector)[i])
	case columnar.SmallIntKind:
		return int32(slice[int16](h.vector)[i])
	case columnar.FloatKind:
		x := slice[float32](h.vector)[i]
		switch {
		case x == 0:
			return 0
		case x != x:
			return 0x7fc00000
		}
		return int32(math.Float32bits(x))
	}
	return slice[int32](h.vector)[i]
}

// long is a value of 64 bits.
func (h *hashInput) long(row int32) int64 {
	i := row & h.mask()
	switch h.typ.Kind {
	case columnar.DoubleKind:
		x := slice[float64](h.vector)[i]
		switch {
		case x == 0:
			return 0
		case x != x:
			return 0x7ff8000000000000
		}
		return int64(math.Float64bits(x))
	case columnar.DecimalKind:
		return int64(slice[decimalValue](h.vector)[i].LowBits())
	}
	return slice[int64](h.vector)[i]
}

// text is a STRING, a BINARY, or the shortest two's complement of a DECIMAL, highest byte first.
func (h *hashInput) text(row int32) []byte {
	if h.typ.Kind != columnar.DecimalKind {
		return h.bytesAt(row)
	}
	d := slice[decimalValue](h.vector)[row&h.mask()]
	binary.BigEndian.PutUint64(h.scratch[:], uint64(d.HighBits()))
	binary.BigEndian.PutUint64(h.scratch[8:], d.LowBits())
	b := h.scratch[:]
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}

// algorithm hashes one value with the hash of those before it as the seed.
type algorithm struct {
	short func(seed uint64, v int32) uint64
	long  func(seed uint64, v int64) uint64
	text  func(seed uint64, b []byte) uint64
}

var (
	murmur = algorithm{
		func(seed uint64, v int32) uint64 { return uint64(murmurEnd(murmurMix(uint32(seed), uint32(v)), 4)) },
		func(seed uint64, v int64) uint64 {
			return uint64(murmurEnd(murmurMix(murmurMix(uint32(seed), uint32(v)), uint32(v>>32)), 8))
		},
		func(seed uint64, b []byte) uint64 { return uint64(murmurBytes(uint32(seed), b)) },
	}
	xxHash = algorithm{
		func(seed uint64, v int32) uint64 { return xxEnd(xxWord(seed+xxPrime5+4, uint64(uint32(v)))) },
		func(seed uint64, v int64) uint64 { return xxEnd(xxLong(seed+xxPrime5+8, uint64(v))) },
		xxBytes,
	}
)

// value goes through the parts of an ARRAY or STRUCT. What is NULL leaves the seed as it is.
func (a *algorithm) value(seed uint64, in *hashInput, row int32) uint64 {
	if in.skips(row) {
		return seed
	}
	switch in.form {
	case hashInt:
		return a.short(seed, in.short(row))
	case hashLong:
		return a.long(seed, in.long(row))
	case hashBytes:
		return a.text(seed, in.text(row))
	}
	if in.typ.Kind == columnar.StructKind {
		for _, part := range in.parts {
			seed = a.value(seed, part, row)
		}
		return seed
	}
	from, until := in.rangeAt(row)
	for k := from; k < until; k++ {
		seed = a.value(seed, in.parts[0], k)
	}
	return seed
}

func hashMurmur(f *frame) { hashRows[int32](f, &murmur) }

func hashXX(f *frame) { hashRows[int64](f, &xxHash) }

func hashRows[T int32 | int64](f *frame, a *algorithm) {
	out := slice[T](f.out)
	for _, i := range f.rows {
		out[i] = hashSeed
	}
	for _, arg := range f.args {
		in := newHashInput(arg)
		for _, i := range f.rows {
			out[i] = T(a.value(uint64(out[i]), in, i))
		}
	}
}

func murmurMix(h, k uint32) uint32 {
	k *= 0xcc9e2d51
	k = bits.RotateLeft32(k, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func murmurEnd(h, length uint32) uint32 {
	h ^= length
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// murmurBytes takes each byte after the last whole word as a signed word of its own: that
// is Spark's variant.
func murmurBytes(h uint32, b []byte) uint32 {
	length := uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = murmurMix(h, binary.LittleEndian.Uint32(b))
	}
	for _, c := range b {
		h = murmurMix(h, uint32(int8(c)))
	}
	return murmurEnd(h, length)
}

// The primes of XXH64.
const (
	xxPrime1 uint64 = 0x9e3779b185ebca87
	xxPrime2 uint64 = 0xc2b2ae3d27d4eb4f
	xxPrime3 uint64 = 0x165667b19e3779f9
	xxPrime4 uint64 = 0x85ebca77c2b2ae63
	xxPrime5 uint64 = 0x27d4eb2f165667c5
)

func xxRound(acc, lane uint64) uint64 {
	return bits.RotateLeft64(acc+lane*xxPrime2, 31) * xxPrime1
}

func xxLong(h, v uint64) uint64 {
	return bits.RotateLeft64(h^xxRound(0, v), 27)*xxPrime1 + xxPrime4
}

func xxWord(h, v uint64) uint64 {
	return bits.RotateLeft64(h^v*xxPrime1, 23)*xxPrime2 + xxPrime3
}

func xxEnd(h uint64) uint64 {
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}

func xxBytes(seed uint64, b []byte) uint64 {
	length := uint64(len(b))
	h := seed + xxPrime5
	if len(b) >= 32 {
		h, b = xxBlocks(seed, b)
	}
	h += length
	for ; len(b) >= 8; b = b[8:] {
		h = xxLong(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) >= 4 {
		h = xxWord(h, uint64(binary.LittleEndian.Uint32(b)))
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*xxPrime5, 11) * xxPrime1
	}
	return xxEnd(h)
}

// xxBlocks folds blocks of 32 bytes and returns what is left.
func xxBlocks(seed uint64, b []byte) (uint64, []byte) {
	one, two := xxPrime1, xxPrime2
	lanes := [4]uint64{seed + one + two, seed + two, seed, seed - one}
	for ; len(b) >= 32; b = b[32:] {
		for k := range lanes {
			lanes[k] = xxRound(lanes[k], binary.LittleEndian.Uint64(b[8*k:]))
		}
	}
	h := bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) + bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
	for _, lane := range lanes {
		h = (h^xxRound(0, lane))*xxPrime1 + xxPrime4
	}
	return h, b
}
