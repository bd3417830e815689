package committer

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// CompactionPolicy shapes the compaction that rides on commits.
type CompactionPolicy struct {
	// Files of a tier become one file of the next tier; 0: no compaction.
	Files int
	// Share of one processor that may be spent on it over time.
	Share float64
	// Inline writes merged files within a commit and not beside the batches: for runs that may have no next commit, and for tests.
	Inline bool
}

// pack are files of one partition that become one, oldest rows first.
type pack struct {
	in   []lakehouse.DataFile
	tier int                  // of the merged file
	out  []lakehouse.DataFile // none if there are no rows
}

// Bounds of one round of compaction: what is due beyond them waits for the next.
const (
	maxPacks      = 64
	maxMergeFiles = 4 // target file sizes of input
)

// planTiers chooses what is merged, like carrying in a number whose base is the number of files: a tier that is full becomes one file of the
// next tier, together with all that is newer, and with the next tier where that is full then. So files hold rows of a stretch of time, a
// row is written once a tier, and a tier holds fewer files than the base. Files of three quarters of the target and more are left alone, and so are files of
// other writers.
func planTiers(files []lakehouse.DataFile, name string, p CompactionPolicy, target int64) []pack {
	parts := map[string][]lakehouse.DataFile{}
	for _, f := range files {
		if f.Bytes < target/4*3 && bears(f.Path, name) {
			key := lakehouse.PartitionKey(f.Partition)
			parts[key] = append(parts[key], f)
		}
	}
	var out []pack
	for _, small := range parts {
		if len(small) >= p.Files {
			out = append(out, carry(small, p.Files, target)...)
		}
	}
	slices.SortFunc(out, func(a, b pack) int { // where most files are, first
		return cmp.Or(cmp.Compare(len(b.in), len(a.in)), strings.Compare(a.in[0].Path, b.in[0].Path))
	})
	return firstRound(out, target)
}

// carry plans the small files of one partition. Those of a higher tier hold older rows.
func carry(small []lakehouse.DataFile, base int, target int64) (out []pack) {
	top, ok := fullTier(small, base)
	if !ok {
		return nil
	}
	small = slices.DeleteFunc(small, func(f lakehouse.DataFile) bool { return tierOf(f.Path) > top })
	slices.SortFunc(small, func(a, b lakehouse.DataFile) int {
		return cmp.Or(cmp.Compare(tierOf(b.Path), tierOf(a.Path)), cmp.Compare(a.Time, b.Time), strings.Compare(a.Path, b.Path))
	})
	for len(small) > 0 {
		n, size := 0, int64(0)
		for n < len(small) && (n == 0 || size+small[n].Bytes <= target) {
			size += small[n].Bytes
			n++
		}
		if n >= base || n > 1 && size >= target/2 {
			out = append(out, pack{in: small[:n:n], tier: top + 1})
		}
		small = small[n:]
	}
	return out
}

// fullTier is the lowest tier that is full, or the last of the tiers above it that it fills.
func fullTier(files []lakehouse.DataFile, base int) (tier int, ok bool) {
	counts := map[int]int{}
	highest := 0
	for _, f := range files {
		t := tierOf(f.Path)
		counts[t]++
		highest = max(highest, t)
	}
	for ; tier <= highest; tier++ {
		if counts[tier] < base {
			continue
		}
		for counts[tier+1]+1 >= base {
			tier++
		}
		return tier, true
	}
	return 0, false
}

// firstRound is what one round does of a plan.
func firstRound(plan []pack, target int64) []pack {
	var size int64
	for i, m := range plan {
		size += bytesOf(m.in)
		if i > 0 && (i == maxPacks || size > maxMergeFiles*target) {
			return plan[:i]
		}
	}
	return plan
}

// tierOf reads the tier of a file from its name: 0 for one that a commit wrote. A file that `lakewheel compact` merged counts as one of the
// first tier.
func tierOf(file string) int {
	_, rest, merged := strings.Cut(path.Base(file), ".merged")
	if !merged {
		return 0
	}
	digits, _, _ := strings.Cut(rest, "-")
	tier, err := strconv.Atoi(digits)
	if err != nil || tier < 1 || tier > 99 {
		return 1
	}
	return tier
}

// tierPrefix begins the names of merged files of a tier.
func tierPrefix(name string, tier int) string { return mergedPrefix(name) + strconv.Itoa(tier) }
