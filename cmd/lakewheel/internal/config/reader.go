package config

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// reader goes through the tree of a file and collects faults.
type reader struct {
	file   string
	text   string
	env    func(string) (string, bool)
	faults Faults
}

func (r *reader) faultAt(line, column int, format string, args ...any) {
	r.faults = append(r.faults, Fault{r.file, line, column, fmt.Sprintf(format, args...)})
}

func (r *reader) fault(n ast.Node, format string, args ...any) {
	line, column := 1, 1
	if t := n.GetToken(); t != nil && t.Position != nil {
		line, column = t.Position.Line, t.Position.Column
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		p := m.Values[0].Key.GetToken().Position
		line, column = p.Line, p.Column
	}
	r.faultAt(line, column, format, args...)
}

// pair is a key with its value.
type pair struct {
	key   ast.Node
	name  string
	value ast.Node
}

// pairs are the entries of a mapping; anything else is a fault.
func (r *reader) pairs(n ast.Node, what string) []pair {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	case *ast.NullNode:
		return nil
	default:
		r.fault(n, "%s: expected keys with values", what)
		return nil
	}
	out := make([]pair, 0, len(values))
	for _, v := range values {
		out = append(out, pair{v.Key, v.Key.GetToken().Value, v.Value})
	}
	return out
}

// fields reads a mapping whose keys are known. A key that is not is a fault that names the nearest.
func (r *reader) fields(n ast.Node, what string, known map[string]func(ast.Node)) {
	seen := map[string]bool{}
	for _, p := range r.pairs(n, what) {
		read, ok := known[p.name]
		switch {
		case !ok:
			r.unknown(p.key, what, p.name, keys(known))
		case seen[p.name]:
			r.fault(p.key, "%s: %s is there twice", what, p.name)
		default:
			seen[p.name] = true
			read(p.value)
		}
	}
}

func keys(known map[string]func(ast.Node)) []string {
	var out []string
	for k := range known {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (r *reader) unknown(n ast.Node, what, name string, known []string) {
	r.fault(n, "%s: unknown key %s%s", what, name, suggestion(name, known))
}

// scalar is a single value with environment variables put in.
func (r *reader) scalar(n ast.Node, what string) (string, bool) {
	raw := ""
	switch s := n.(type) {
	case *ast.StringNode:
		raw = s.Value
	case *ast.LiteralNode:
		raw = s.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		raw = n.GetToken().Value
	default:
		r.fault(n, "%s: expected one value", what)
		return "", false
	}
	text, err := expand(raw, r.env)
	if err != nil {
		r.fault(n, "%s: %v", what, err)
		return "", false
	}
	return text, true
}

func (r *reader) string(to *string, what string) func(ast.Node) {
	return func(n ast.Node) {
		if text, ok := r.scalar(n, what); ok {
			*to = text
		}
	}
}

// secret is a string, or file:PATH for the content of a file without its last line break.
func (r *reader) secret(to *string, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		if path, isFile := strings.CutPrefix(text, "file:"); ok && isFile {
			b, err := os.ReadFile(path)
			if err != nil {
				r.fault(n, "%s: %v", what, err)
				return
			}
			text = strings.TrimRight(string(b), "\r\n")
		}
		*to = text
	}
}

// byte reads one character of ASCII.
func (r *reader) byte(to *byte, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		switch {
		case !ok:
		case text == `\t`:
			*to = '\t'
		case len(text) != 1 || text[0] >= 0x80 || text == "\n" || text == "\r":
			r.fault(n, "%s: %q is not one character of ASCII", what, text)
		default:
			*to = text[0]
		}
	}
}

func (r *reader) strings(to *[]string, what string) func(ast.Node) {
	return func(n ast.Node) {
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			r.fault(n, "%s: expected a list", what)
			return
		}
		for _, item := range list.Values {
			if text, ok := r.scalar(item, what); ok {
				*to = append(*to, text)
			}
		}
	}
}

// choice reads one word of a list.
func choice[T any](r *reader, to *T, what string, words map[string]T) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		if !ok {
			return
		}
		v, known := words[text]
		if !known {
			var list []string
			for w := range words {
				list = append(list, w)
			}
			slices.Sort(list)
			r.fault(n, "%s: %q is not one of %s", what, text, strings.Join(list, ", "))
			return
		}
		*to = v
	}
}

// texts adds the keys of a mapping and their values, texts.
func (r *reader) texts(to map[string]string, what string) func(ast.Node) {
	return func(n ast.Node) {
		for _, p := range r.pairs(n, what) {
			if v, ok := r.scalar(p.value, what+"."+p.name); ok {
				to[p.name] = v
			}
		}
	}
}

func (r *reader) whole(to *int64, what string, least int64) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		if !ok {
			return
		}
		v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
		if err != nil || v < least {
			r.fault(n, "%s: expected a whole number, at least %d, got %q", what, least, text)
			return
		}
		*to = v
	}
}

func (r *reader) ratio(to *float64, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		if !ok {
			return
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
			r.fault(n, "%s: expected a number from 0 to 1, got %q", what, text)
			return
		}
		*to = v
	}
}

func (r *reader) bool(to *bool, what string) func(ast.Node) {
	return choice(r, to, what, map[string]bool{"true": true, "false": false})
}

func (r *reader) duration(to *time.Duration, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		if !ok {
			return
		}
		d, err := ParseDuration(text)
		if err != nil || d < 0 {
			r.fault(n, "%s: expected a duration such as 1s or 10 seconds, got %q", what, text)
			return
		}
		*to = d
	}
}

func (r *reader) time(to *time.Time, what string) func(ast.Node) {
	return func(n ast.Node) {
		text, _ := r.scalar(n, what)
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			r.fault(n, "%s: expected a time such as 2026-01-01T00:00:00Z, got %q", what, text)
		}
		*to = t
	}
}

// positive is a duration above 0.
func (r *reader) positive(to *time.Duration, what string) func(ast.Node) {
	return func(n ast.Node) {
		d := time.Duration(-1)
		r.duration(&d, what)(n)
		switch {
		case d == 0:
			r.fault(n, "%s: it is longer than 0; leave it out for none", what)
		case d > 0:
			*to = d
		}
	}
}

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}

func (r *reader) size(to *int64, what string, least int64) func(ast.Node) {
	return func(n ast.Node) {
		text, ok := r.scalar(n, what)
		if !ok {
			return
		}
		v, err := ParseSize(text)
		if err != nil || v < least {
			r.fault(n, "%s: expected a size such as 128MiB, at least %d bytes, got %q", what, least, text)
			return
		}
		*to = v
	}
}

// ParseSize reads a size in bytes, such as 128MiB or 1GB.
func ParseSize(text string) (int64, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err == nil && v > math.MaxInt64/u.bytes {
			err = fmt.Errorf("too large")
		}
		return v * u.bytes, err
	}
	return 0, fmt.Errorf("no size")
}
