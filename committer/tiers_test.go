package committer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// small lists files of pipeline p, oldest first, by tier and size in kilobytes: "0:4 1:30", with "/x" for a partition.
func small(text string) (out []lakehouse.DataFile) {
	for i, word := range strings.Fields(text) {
		word, day, _ := strings.Cut(word, "/")
		tier, size := 0, int64(0)
		_, err := fmt.Sscanf(word, "%d:%d", &tier, &size)
		if err != nil {
			panic(err)
		}
		prefix := "part-p-e1"
		if tier > 0 {
			prefix = tierPrefix("p", tier)
		}
		f := lakehouse.DataFile{Path: fmt.Sprintf("%s-%02d.parquet", prefix, 99-i), Bytes: size << 10, Time: int64(i)}
		if day != "" {
			f.Partition = map[string]*string{"day": &day}
		}
		out = append(out, f)
	}
	return out
}

// planned writes a plan as "numbers of the files -> tier", with numbers as in small.
func planned(plan []pack) string {
	var out []string
	for _, m := range plan {
		var in []string
		for _, f := range m.in {
			in = append(in, fmt.Sprint(f.Time))
		}
		out = append(out, fmt.Sprintf("%s -> %d", strings.Join(in, " "), m.tier))
	}
	return strings.Join(out, "; ")
}

// Three files of a tier become one, the target is 100 KiB.
func TestPlanTiers(t *testing.T) {
	for _, c := range []struct{ files, want, why string }{
		{"0:4 0:4", "", "no tier is full"},
		{"0:4 0:4 0:4", "0 1 2 -> 1", "a full one"},
		{"1:9 1:9 0:4 0:4 0:4", "0 1 2 3 4 -> 2", "it fills the next tier, too"},
		{"2:20 2:20 1:9 1:9 0:4 0:4 0:4", "0 1 2 3 4 5 6 -> 3", "and so on"},
		{"2:20 1:9 0:4 0:4 0:4", "2 3 4 -> 1", "no further than that"},
		{"2:20 1:9 1:9 1:9 0:4", "1 2 3 4 -> 2", "what is newer comes along"},
		{"0:80 0:4 0:4", "", "three quarters of the target are enough"},
		{"0:40 0:40 0:40 0:4 0:4", "2 3 4 -> 1; 0 1 -> 1", "no file grows beyond the target"},
		{"0:70 0:70 0:70", "", "what fits nowhere stays"},
		{"0:4/a 0:4/b 0:4/a 0:4/b", "", "each partition counts for itself"},
		{"0:4/a 0:4/b 0:4/a 0:4/b 0:4/b", "1 3 4 -> 1", "the one that is full"},
	} {
		require.Equal(t, c.want, planned(planTiers(small(c.files), "p", CompactionPolicy{Files: 3}, 100<<10)), "%s: %s", c.files, c.why)
	}
	require.Empty(t, planTiers(small("0:4 0:4 0:4"), "q", CompactionPolicy{Files: 3}, 100<<10), "files of others are left alone")
}

// Ten thousand commits of one file each, twelve files to a tier: never more than 50 files are live, and a row is written four times at most.
func TestTiersBoundFilesAndWork(t *testing.T) {
	var live []lakehouse.DataFile
	written, most := int64(0), 0
	for i := range int64(10_000) {
		live = append(live, lakehouse.DataFile{Path: fmt.Sprintf("part-p-e1-%05d.parquet", i), Bytes: 4 << 10, Time: i})
		written++
		most = max(most, len(live))
		for _, m := range planTiers(live, "p", CompactionPolicy{Files: 12}, 128<<20) {
			gone := map[string]bool{}
			for _, f := range m.in {
				gone[f.Path] = true
				written += f.Bytes / (4 << 10)
			}
			rest := live[:0]
			for _, f := range live {
				if !gone[f.Path] {
					rest = append(rest, f)
				}
			}
			live = append(rest, lakehouse.DataFile{Path: fmt.Sprintf("%s-%05d.parquet", tierPrefix("p", m.tier), i), Bytes: bytesOf(m.in), Time: i})
		}
	}
	require.LessOrEqual(t, most, 50)
	require.LessOrEqual(t, float64(written)/10_000, 4.0)
	t.Logf("at most %d files, each row written %.2f times", most, float64(written)/10_000)
}
