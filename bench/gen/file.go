package main

import (
	"bufio"
	"errors"
	"os"
)

// writeFile writes the events as NDJSON.
func writeFile(o options) error {
	f, err := os.Create(o.file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for i := range o.n {
		e := newEvent(o.seed, i)
		line = append(e.appendJSON(line[:0], o.millis(i, e)), '\n')
		if _, err := w.Write(line); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}
