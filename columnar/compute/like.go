package compute

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/lakewheel/lakewheel/columnar"
)

// pattern is a LIKE pattern cut at its %: the pieces occur in s in this order, the
// first at the start and the last at the end.
type pattern struct {
	pieces [][]token
	plain  [][]byte // the pieces as bytes where they hold no _, else nil
	heads  [][]byte // what stands before the first _ of a piece
}

// token is a character, or any one.
type token struct {
	r   rune
	any bool
}

// bindIlike compares in small letters.
func bindIlike(_ string, args []Expr) (Expr, error) {
	list := append([]Expr{}, args...)
	for i := range 2 {
		e, err := bindMapped(appendLower, 'A', 'Z')("lower", args[i:i+1])
		if err != nil {
			return nil, err
		}
		list[i] = e
	}
	return bindLike("like", list)
}

func bindLike(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.String, columnar.String, columnar.String)
	if err != nil {
		return nil, err
	}
	escape := '\\'
	if len(list) == 3 {
		text, ok := textLiteral(list[2])
		if !ok || utf8.RuneCountInString(text) != 1 {
			return nil, &TypeError{"INVALID_ESCAPE_CHAR", fmt.Sprintf("ESCAPE should be a string literal of one character, got %s.", list[2])}
		}
		escape, _ = utf8.DecodeRuneInString(text)
	}
	run := func(f *frame) { likeRows(f, escape) }
	return &call{name: name, args: list, typ: columnar.Boolean, run: run}, nil
}

// likeRows compiles a pattern again only where it differs from that of the row before.
func likeRows(f *frame, escape rune) {
	if f.args[1].one {
		likeConstant(f, escape)
		return
	}
	var last []byte
	var p *pattern
	var bad error
	for _, i := range f.rows {
		text := f.args[1].bytesAt(i)
		if p == nil && bad == nil || !bytes.Equal(text, last) {
			p, bad = compilePattern(text, escape)
			last = text
		}
		if bad != nil {
			f.fail(i, bad)
			continue
		}
		f.out.data[i] = bit(p.match(f.args[0].bytesAt(i)))
	}
}

func likeConstant(f *frame, escape rune) {
	p, bad := compilePattern(f.args[1].bytesAt(0), escape)
	if bad != nil {
		for _, i := range f.rows {
			f.fail(i, bad)
		}
		return
	}
	if test := p.simple(); test != nil {
		for _, i := range f.rows {
			f.out.data[i] = bit(test(f.args[0].bytesAt(i)))
		}
		return
	}
	var r repeats
	test := func(text []byte) (yes, sure bool) { return p.match(text), true }
	for _, i := range f.rows {
		f.out.data[i] = r.ask(f.args[0].bytesAt(i), test)
	}
}

// simple is the test of a pattern that says how a text begins, ends, or what it holds, and nothing else: it costs no
// more than remembering. nil for every other pattern.
func (p *pattern) simple() func(text []byte) bool {
	if slices.ContainsFunc(p.plain, func(piece []byte) bool { return piece == nil }) {
		return nil
	}
	first, last := p.plain[0], p.plain[len(p.plain)-1]
	switch n := len(p.plain); {
	case n == 1:
		return func(text []byte) bool { return string(text) == string(first) }
	case n == 2 && len(last) == 0:
		return func(text []byte) bool { return len(text) >= len(first) && string(text[:len(first)]) == string(first) }
	case n == 2:
		return p.match
	case n == 3 && len(first) == 0 && len(last) == 0:
		return func(text []byte) bool { return bytes.Contains(text, p.plain[1]) }
	}
	return nil
}

func compilePattern(text []byte, escape rune) (*pattern, error) {
	p := &pattern{pieces: [][]token{nil}}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		at += size
		last := len(p.pieces) - 1
		switch {
		case r == escape:
			next, size := utf8.DecodeRune(text[at:])
			if size == 0 || next != '%' && next != '_' && next != escape {
				condition := "INVALID_FORMAT.ESC_IN_THE_MIDDLE"
				if size == 0 {
					condition = "INVALID_FORMAT.ESC_AT_THE_END"
				}
				return nil, &EvalError{condition, fmt.Sprintf("The LIKE pattern '%s' has an escape character that precedes none of %%, _ and itself.", clipped(text))}
			}
			at += size
			p.pieces[last] = append(p.pieces[last], token{r: next})
		case r == '%':
			p.pieces = append(p.pieces, nil)
		default:
			p.pieces[last] = append(p.pieces[last], token{r: r, any: r == '_'})
		}
	}
	p.plain, p.heads = make([][]byte, len(p.pieces)), make([][]byte, len(p.pieces))
	for i, piece := range p.pieces {
		p.heads[i] = leading(piece)
		if k := slices.IndexFunc(piece, func(t token) bool { return t.any }); k < 0 {
			p.plain[i] = p.heads[i]
		}
	}
	return p, nil
}

func leading(piece []token) []byte {
	out := []byte{}
	for _, t := range piece {
		if t.any {
			break
		}
		out = utf8.AppendRune(out, t.r)
	}
	return out
}

// match takes the first place for every piece but the last, which stands at the end.
func (p *pattern) match(s []byte) bool {
	n, ok := p.prefix(0, s)
	if !ok {
		return false
	}
	s = s[n:]
	last := len(p.pieces) - 1
	if last == 0 {
		return len(s) == 0
	}
	for i := 1; i < last; i++ {
		if s, ok = p.find(i, s); !ok {
			return false
		}
	}
	return p.suffix(last, s)
}

func (p *pattern) prefix(i int, s []byte) (int, bool) {
	if plain := p.plain[i]; plain != nil {
		return len(plain), bytes.HasPrefix(s, plain)
	}
	at := 0
	for _, t := range p.pieces[i] {
		r, size := utf8.DecodeRune(s[at:])
		if size == 0 || !t.any && r != t.r {
			return 0, false
		}
		at += size
	}
	return at, true
}

// find returns what follows the first occurrence of a piece.
func (p *pattern) find(i int, s []byte) ([]byte, bool) {
	if plain := p.plain[i]; plain != nil {
		k := bytes.Index(s, plain)
		return s[max(k, 0)+len(plain)*int(bit(k >= 0)):], k >= 0
	}
	for {
		k := bytes.Index(s, p.heads[i])
		if k < 0 {
			return nil, false
		}
		s = s[k:]
		if n, ok := p.prefix(i, s); ok {
			return s[n:], true
		}
		if len(s) == 0 {
			return nil, false
		}
		_, size := utf8.DecodeRune(s)
		s = s[size:]
	}
}

func (p *pattern) suffix(i int, s []byte) bool {
	if plain := p.plain[i]; plain != nil {
		return bytes.HasSuffix(s, plain)
	}
	for at, k := len(s), len(p.pieces[i])-1; ; k-- {
		if k < 0 {
			return true
		}
		r, size := utf8.DecodeLastRune(s[:at])
		if t := p.pieces[i][k]; size == 0 || !t.any && r != t.r {
			return false
		}
		at -= size
	}
}
