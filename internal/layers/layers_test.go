// Package layers holds the import rule of the project: imports point one way, and this test says so.
package layers

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/lakewheel/lakewheel/"

// layers: a package may import only packages that its own line names, and those below them. Test imports are free.
var layers = map[string][]string{
	"columnar":   nil,
	"offsets":    nil,
	"planner":    {"columnar"},
	"lakehouse":  {"columnar"},
	"committer":  {"offsets", "lakehouse", "columnar"},
	"microbatch": {"columnar", "offsets", "planner", "committer", "lakehouse/store"},
}

// reachers are packages below one with a line that may import more than it.
var reachers = map[string][]string{
	"microbatch/source/files":               {"lakehouse"},
	"microbatch/source/delta":               {"lakehouse"},
	"microbatch/source/internal/sourcetest": {"lakehouse"},
}

// arrow may be imported here and nowhere else.
var arrow = []string{"columnar", "lakehouse/parquetfile", "microbatch/state"}

// banned imports have faults or clash at link time.
var banned = []string{"github.com/apache/arrow/go/v17/parquet", "github.com/apache/arrow/go/v17/arrow/flight", "github.com/apache/arrow/go/v17/arrow/compute", "github.com/apache/arrow-go/v18"}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module)
		for _, imported := range fields[1:] {
			checkImport(t, pkg, imported)
		}
	}
}

func checkImport(t *testing.T, pkg, imported string) {
	for _, b := range banned {
		require.False(t, strings.HasPrefix(imported, b), "%s imports %s, which is banned", pkg, imported)
	}
	if strings.HasPrefix(imported, "github.com/apache/arrow/") {
		require.True(t, under(pkg, arrow), "%s imports Arrow; only %v may", pkg, arrow)
	}
	own, ok := strings.CutPrefix(imported, module)
	allowed, ruled := layers[top(pkg)]
	if !ok || !ruled || top(own) == top(pkg) || top(own) == "internal" {
		return
	}
	require.True(t, under(own, allowed) || under(own, reachers[pkg]), "%s imports %s; it may import only %v", pkg, own, allowed)
}

func top(pkg string) string { first, _, _ := strings.Cut(pkg, "/"); return first }

func under(pkg string, roots []string) bool {
	for _, r := range roots {
		if pkg == r || strings.HasPrefix(pkg, r+"/") {
			return true
		}
	}
	return false
}
