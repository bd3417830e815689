package files

import (
	"errors"
	"fmt"

	"github.com/lakewheel/lakewheel/microbatch/source"
)

var (
	errVanished = errors.New("the file has vanished since it was listed")
	errChanged  = errors.New("the file has changed since it was listed")
)

// loss says that a file cannot be read as it was listed.
func (s *Source) loss(e *Entry, why error) error {
	return fmt.Errorf("%w: source %s, file %s in %s, offsets [%d,%d): %w; nothing of it was committed: restore it, or go on without it with on_data_loss: skip",
		source.ErrDataLoss, s.c.Name, e.Name, s.c.Feed, e.Start, e.End(), why)
}
