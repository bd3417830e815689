package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// tableFault says why no table can have a path, "" if one can: a local folder, or s3://bucket/prefix.
func tableFault(path string) string {
	switch {
	case store.IsS3(path):
		if _, _, err := store.ParseS3(path); err != nil {
			return err.Error()
		}
	case strings.Contains(path, "://"):
		return path + " is neither a local folder nor s3://bucket/prefix"
	}
	return ""
}

// NewTable checks the path of another table for the rows of the pipeline. It may not lie in one of the pipeline's, nor around it: a vacuum of the outer one
// would take the files of the inner one for garbage.
func (p *Pipeline) NewTable(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	if fault := tableFault(path); fault != "" {
		return errors.New(fault)
	}
	for _, own := range []string{p.Sink.Path, p.DeadLetter, p.Late} {
		if own != "" && overlap(own, path) {
			return fmt.Errorf("%s and %s, a table of the pipeline, lie in each other: give a folder of its own", path, own)
		}
	}
	for _, s := range p.Sources {
		if s.reads(path) {
			return fmt.Errorf("source %s reads the files in %s: it would take the new table for its input; give another folder", s.Name, path)
		}
	}
	return nil
}
