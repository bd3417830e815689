package scenario

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cockroachdb/datadriven"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/committer"
)

// rewind takes the pipeline back to the end of a batch. The documents of its sources stay, so that the next run reads them again.
//
// Example: rewind to=3
func (e *Env) rewind(d *datadriven.TestData) (string, error) {
	to, err := strconv.ParseInt(argument(d, "to", ""), 10, 64)
	if err != nil {
		return "", fmt.Errorf("rewind to=%s is not a batch", argument(d, "to", ""))
	}
	opts, err := wire.CommitterOptions(e.p, e.world(""))
	if err != nil {
		return "", err
	}
	done, err := committer.Rewind(context.Background(), opts, committer.RewindOptions{ToBatch: to})
	if err != nil {
		return errorText(err), nil
	}
	e.restarted = true
	return fmt.Sprintf("rewound to batch %d, the next one is %d", to, done.Batch+1), nil
}
