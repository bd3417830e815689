package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// CheckCreation says what keeps a table from being made like that, nil if nothing does. It asks nobody.
func CheckCreation(c lakehouse.Creation) error {
	if problems := badProperties(c.Properties); len(problems) > 0 {
		return fmt.Errorf("%s", strings.Join(problems, ", "))
	}
	if why := switchedOn(c.Properties); len(why) > 0 {
		return fmt.Errorf("a table with %s cannot be written here: leave it out", strings.Join(why, ", "))
	}
	_, err := ground{}.metaActions(lakehouse.Change{Create: &c})
	return err
}

// Properties of Delta that are read here, by what their values have to be.
var (
	intervals = []string{"delta.logRetentionDuration", "delta.deletedFileRetentionDuration"}
	flags     = []string{"delta.appendOnly", "delta.enableExpiredLogCleanup", "delta.enableInCommitTimestamps"}
)

// badProperties names the properties with values that would silently mean something else.
func badProperties(properties map[string]string) (out []string) {
	for key, value := range properties {
		good, want := true, ""
		switch {
		case slices.Contains(intervals, key):
			good, want = duration(value, -1) != -1, "an interval such as interval 7 days"
		case slices.Contains(flags, key):
			good, want = strings.EqualFold(value, "true") || strings.EqualFold(value, "false"), "true or false"
		case key == "delta.checkpointInterval":
			n, err := strconv.Atoi(value)
			good, want = err == nil && n > 0, "a number of commits, at least 1"
		case key == "delta.targetFileSize":
			good, want = targetFileSize(properties) > 0, "a size such as 128mb"
		}
		if !good {
			out = append(out, fmt.Sprintf("property %s is %q; expected %s", key, value, want))
		}
	}
	slices.Sort(out)
	return out
}
