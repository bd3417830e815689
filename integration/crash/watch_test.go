//go:build integration

package crash

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// watched is what a reader saw that looked at a table all the time.
type watched struct {
	Seen [][3]int64 // version, rows, distinct values
	Odd  []string
}

// watch lets delta-rs and DuckDB read a table over and over. The function it returns ends that, and asserts that each version was whole: it looked the same
// each time, held no row twice, and at least the rows of the versions before it.
func watch(t *testing.T, table, column string) (end func() watched) {
	t.Helper()
	cmd := exec.Command(python, "../readers/readers.py", "watch", table, column)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() (w watched) {
		t.Helper()
		require.NoError(t, stdin.Close())
		require.NoError(t, cmd.Wait(), "%s", &stderr)
		require.NoError(t, json.Unmarshal(out.Bytes(), &w), "%s", &out)
		require.Empty(t, w.Odd)
		rows := int64(0)
		for _, look := range w.Seen {
			require.Equal(t, look[1], look[2], "rows and distinct rows of version %d", look[0])
			require.GreaterOrEqual(t, look[1], rows, "rows of version %d", look[0])
			rows = look[1]
		}
		require.NotEmpty(t, w.Seen)
		t.Logf("%d versions were looked at", len(w.Seen))
		return w
	}
}
