package words

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"page", "page", 0}, {"pge", "page", 1}, {"paeg", "page", 1}, {"limitz", "limits", 1}, {"upper", "lower", 3}, {"", "abc", 3}, {"x", strings.Repeat("y", 200), maxLength}} {
		require.Equal(t, c.want, Distance(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, Distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
