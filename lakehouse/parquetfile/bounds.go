package parquetfile

import (
	"math"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// bounds are a lower and an upper bound of the values of a page, not necessarily values.
type bounds struct {
	low, high parquet.Value
	ok        bool
	nan       bool // there is a NaN, and the bounds are infinite: NaN lies outside of every order
}

// boundsOf looks for the bounds of dense values, at least one. The encoder asks a page for them twice, so they are kept.
func boundsOf(dense parquet.Page) bounds {
	data := dense.Data()
	switch dense.Type().Kind() {
	case parquet.Float:
		return floatBounds(data.Float(), parquet.FloatValue)
	case parquet.Double:
		return floatBounds(data.Double(), parquet.DoubleValue)
	case parquet.FixedLenByteArray:
		low, high := signedBounds(data.FixedLenByteArray())
		return bounds{low: parquet.FixedLenByteArrayValue(low), high: parquet.FixedLenByteArrayValue(high), ok: true}
	}
	low, high, ok := dense.Bounds()
	return shortened(bounds{low: low, high: high, ok: ok})
}

// floatBounds follows the Parquet rules: a zero is -0 below and +0 above. They ask to leave NaN out of the bounds, but to
// Spark NaN is the largest number, and bounds without it would hide it from a reader.
func floatBounds[F float32 | float64](values []F, value func(F) parquet.Value) bounds {
	low, high := values[0], values[0]
	nan := false
	for _, v := range values {
		nan = nan || v != v
		low, high = min(low, v), max(high, v)
	}
	if nan {
		low, high = F(math.Inf(-1)), F(math.Inf(1))
	}
	if low == 0 {
		low = F(math.Copysign(0, -1))
	}
	if high == 0 {
		high = 0
	}
	return bounds{low: value(low), high: value(high), ok: true, nan: nan}
}

// maxBound is the longest text or binary bound that is kept whole: statistics sit in the footer, and a
// column of documents must not put its largest one there.
const maxBound = 64

// shortened cuts long bounds: a prefix is a lower bound, and a prefix with its last character raised is an upper one.
func shortened(b bounds) bounds {
	if !b.ok || b.low.Kind() != parquet.ByteArray {
		return b
	}
	if v := b.low.ByteArray(); len(v) > maxBound {
		b.low = parquet.ByteArrayValue(prefix(v))
	}
	if v := b.high.ByteArray(); len(v) > maxBound {
		if up, ok := Raise(prefix(v)); ok {
			b.high = parquet.ByteArrayValue(up)
		}
	}
	return b
}

// prefix cuts b to maxBound bytes, between characters if it is UTF-8.
func prefix(b []byte) []byte {
	n := maxBound
	for n > maxBound-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// Raise returns a short text above every text that begins with p, by bytes and by code points. False: there is none.
func Raise(p []byte) ([]byte, bool) {
	for len(p) > 0 {
		r, size := utf8.DecodeLastRune(p)
		if r == utf8.RuneError && size <= 1 { // not UTF-8: raise the byte
			if p[len(p)-1] < 0xff {
				return append(append([]byte(nil), p[:len(p)-1]...), p[len(p)-1]+1), true
			}
		} else if next := r + 1; next <= utf8.MaxRune {
			if next >= 0xd800 && next < 0xe000 {
				next = 0xe000
			}
			return utf8.AppendRune(append([]byte(nil), p[:len(p)-size]...), next), true
		}
		p = p[:len(p)-size]
	}
	return nil, false
}
