package compute

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepeats: a known text is not tested again, what was not sure is, and a column whose
// values do not repeat is tested as if nothing were remembered.
func TestRepeats(t *testing.T) {
	var r repeats
	asked := 0
	test := func(text []byte) (bool, bool) { asked++; return text[0] == 'a', text[0] != '?' }
	for range 3 {
		require.EqualValues(t, 1, r.ask([]byte("ab"), test))
		require.EqualValues(t, 0, r.ask([]byte("ba"), test))
		require.EqualValues(t, 0, r.ask([]byte("?"), test))
	}
	require.Equal(t, 2+3, asked)
	r, asked = repeats{}, 0
	for i := range 5_000 {
		r.ask([]byte{'a', byte(i), byte(i >> 8)}, test)
	}
	require.Equal(t, 5_000, asked)
	require.LessOrEqual(t, r.asked, repeatTrial)
}
