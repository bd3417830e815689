package files

import (
	"fmt"
	"path"
	"strings"
)

// Glob is a pattern of names: * ? [a-z] within a part between slashes, ** for any number of parts.
type Glob []string

// ParseGlob reads a pattern.
func ParseGlob(text string) (Glob, error) {
	g := Glob(strings.Split(text, "/"))
	for _, part := range g {
		switch {
		case part == "":
			return nil, fmt.Errorf("%q has an empty part between slashes", text)
		case part == "." || part == "..":
			return nil, fmt.Errorf("%q has the part %s, which no name below the path has: correct path", text, part)
		case strings.ContainsAny(part, "{}"):
			return nil, fmt.Errorf("%q has braces, which are no alternatives here: [ab] stands for one letter, and a source of its own for other names", text)
		case strings.TrimSpace(part) != part:
			return nil, fmt.Errorf("%q has blanks around a part", text)
		}
		if _, err := path.Match(part, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern: %w", text, err)
		}
	}
	return g, nil
}

// Match reports whether a name is of the pattern.
func (g Glob) Match(name string) bool { return match(g, strings.Split(name, "/")) }

func match(g Glob, parts []string) bool {
	for len(g) > 0 {
		if g[0] == "**" {
			for i := range len(parts) + 1 {
				if match(g[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(g[0], parts[0]); !ok || err != nil {
			return false
		}
		g, parts = g[1:], parts[1:]
	}
	return len(parts) == 0
}

// Hidden reports whether other engines leave a name alone as well: a part begins with a dot or an underscore, and is no
// folder of a partition.
func Hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if (part[0] == '.' || part[0] == '_') && !strings.Contains(part, "=") {
			return true
		}
	}
	return false
}
