package parquetfile

import (
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// pageRows is the number of rows of a data page.
const pageRows = 32 << 10

// page is a dense page of values with the nulls around them.
type page struct {
	parquet.Page // the values that are not null
	rows, nulls  int64
	levels       []byte // a definition level per row; nil for a required column
	min, max     parquet.Value
	bounded      bool
	nan          bool
}

func (p *page) NumRows() int64           { return p.rows }
func (p *page) NumValues() int64         { return p.rows }
func (p *page) NumNulls() int64          { return p.nulls }
func (p *page) DefinitionLevels() []byte { return p.levels }
func (p *page) Bounds() (parquet.Value, parquet.Value, bool) {
	return p.min, p.max, p.bounded
}

// newPage wraps dense values. The bounds are looked for once: the encoder asks for them twice.
func newPage(dense parquet.Page, rows, nulls int, levels []byte) *page {
	p := &page{Page: dense, rows: int64(rows), nulls: int64(nulls), levels: levels}
	if nulls < rows && dense.Type().Kind() != parquet.FixedLenByteArray { // see unbounded
		p.min, p.max, p.bounded = dense.Bounds()
		p.shorten()
	}
	return p
}

// maxBound is the longest text or binary bound that is kept whole: statistics sit in the footer, and a
// column of documents must not put its largest one there.
const maxBound = 64

// shorten cuts long bounds: a prefix is a lower bound, and a prefix with its last character raised is an upper one.
func (p *page) shorten() {
	if p.min.Kind() != parquet.ByteArray || !p.bounded {
		return
	}
	if b := p.min.ByteArray(); len(b) > maxBound {
		p.min = parquet.ByteArrayValue(prefix(b))
	}
	if b := p.max.ByteArray(); len(b) > maxBound {
		if up, ok := raise(prefix(b)); ok {
			p.max = parquet.ByteArrayValue(up)
		}
	}
}

// prefix cuts b to maxBound bytes, between characters if it is UTF-8.
func prefix(b []byte) []byte {
	n := maxBound
	for n > maxBound-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// raise returns a short text above every text that begins with p. False: there is none.
func raise(p []byte) ([]byte, bool) {
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
