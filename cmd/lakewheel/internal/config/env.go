package config

import (
	"fmt"
	"strings"
)

// expand puts environment variables into a scalar: ${NAME}, ${NAME:-default}, and $${ for a literal ${. It works on parsed
// scalars, so that a value can never change the structure of the file.
func expand(text string, env func(string) (string, bool)) (string, error) {
	var out strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		if i > 0 && text[i-1] == '$' {
			out.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		out.WriteString(text[:i])
		name, rest, ok := strings.Cut(text[i+2:], "}")
		if !ok {
			return "", fmt.Errorf("${ without }; write $${ for a literal ${")
		}
		value, err := lookup(name, env)
		if err != nil {
			return "", err
		}
		out.WriteString(value)
		text = rest
	}
}

func lookup(expr string, env func(string) (string, bool)) (string, error) {
	name, otherwise, hasDefault := strings.Cut(expr, ":-")
	value, ok := env(name)
	switch {
	case ok && (value != "" || !hasDefault):
		return value, nil
	case hasDefault:
		return otherwise, nil
	}
	return "", fmt.Errorf("environment variable %s is not set; set it, or give a default: ${%s:-...}", name, name)
}
