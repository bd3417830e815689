//go:build integration

package spark

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar/compute/sparktest"
	"github.com/lakewheel/lakewheel/columnar/decode"
)

// TestInference compares the schema of random documents with that of spark.read.json.
func TestInference(t *testing.T) {
	r := random(t)
	sets := make([][]string, 60)
	for i := range sets {
		for range 1 + r.IntN(4) {
			sets[i] = append(sets[i], randomObject(r, 3))
		}
	}
	var want []string
	ask(t, &want, map[string]any{"do": "infer", "sets": sets})
	for i, set := range sets {
		var n decode.Inference
		for _, doc := range set {
			require.NoError(t, n.Add([]byte(doc)), doc)
		}
		if got := sparktest.TypeName(n.Type()); got != want[i] {
			t.Errorf("%s\n  got  %s\n  want %s", strings.Join(set, "\n"), got, want[i])
		}
	}
}

var scalars = []string{"null", "true", "1", "-7", "9223372036854775807", "9223372036854775808", "-12345678901234567890123456789012345678", "123456789012345678901234567890123456789", "1.5", "0.1e3", "1e400", "-0.0", `""`, `"é🎉"`, `"2024-02-29T12:00:00Z"`, `"2024-02-29"`, `"1"`}

func randomObject(r *rand.Rand, depth int) string {
	members := make([]string, 0, 4)
	for k := range 4 {
		if r.IntN(3) > 0 {
			name, _ := json.Marshal(pick(r, []string{"a", "b", "c", "é"}) + strconv.Itoa(k))
			members = append(members, string(name)+":"+randomValue(r, depth-1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func randomValue(r *rand.Rand, depth int) string {
	switch kind := r.IntN(6); {
	case kind == 0 && depth > 0:
		return randomObject(r, depth)
	case kind == 1 && depth > 0:
		items := make([]string, r.IntN(4))
		for i := range items {
			items[i] = randomValue(r, depth-1)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return pick(r, scalars)
}
