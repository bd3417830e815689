package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// maxSlots bounds the slots that the rows of one batch may have in a leaf: runs of levels are short in a file, however
// many slots they stand for.
const maxSlots = 1 << 27

var errSlots = fmt.Errorf("the lists of one batch have more than %d elements, which is not supported", maxSlots)

// leafReader reads the leaf of a nested column: its values into a sink, and the levels of their slots.
type leafReader struct {
	spot
	pages   parquet.Pages
	into    sink // nil: only the levels are wanted
	indexed bool

	page     parquet.Page // nil: none is open
	pageDefs []byte       // nil: all are spot.def
	pageReps []byte       // nil: all are 0
	size     int          // slots of the page
	next     int          // the next one
	value    int          // the next of its values

	// Of the rows that were read last:
	defs, reps []byte
}

func (l *leafReader) close() {
	if l.page != nil {
		parquet.Release(l.page)
		l.page = nil
	}
	if l.pages != nil {
		_ = l.pages.Close()
		l.pages = nil
	}
}

// read reads the slots of the next rows.
func (l *leafReader) read(rows int) error {
	l.defs, l.reps = l.defs[:0], l.reps[:0]
	if l.into != nil {
		l.into.begin(rows)
	}
	for {
		if l.page == nil {
			if rows == 0 && l.rep == 0 {
				return nil
			}
			err := l.open()
			if rows == 0 && errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return damaged(err)
			}
		}
		until := l.until(&rows)
		if err := l.copy(until); err != nil {
			return err
		}
		if until < l.size {
			return nil
		}
		parquet.Release(l.page)
		l.page = nil
	}
}

// damaged says why a column cannot be read on.
func damaged(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: fewer values than rows", ErrDamaged)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// open opens the next page.
func (l *leafReader) open() error {
	p, err := l.pages.ReadPage()
	if err != nil {
		return err
	}
	l.page, l.size, l.next, l.value = p, int(p.NumValues()), 0, 0
	l.pageDefs, l.pageReps = p.DefinitionLevels(), p.RepetitionLevels()
	if l.pageDefs != nil && len(l.pageDefs) < l.size || l.pageReps != nil && len(l.pageReps) < l.size {
		return errShortPage
	}
	if l.into == nil {
		return nil
	}
	return feed(l.into, p, l.size-int(p.NumNulls()), &l.indexed)
}

// until finds where the wanted rows end in the page, and counts them down.
func (l *leafReader) until(rows *int) int {
	if l.pageReps == nil {
		n := min(*rows, l.size-l.next)
		*rows -= n
		return l.next + n
	}
	for i := l.next; i < l.size; i++ {
		if l.pageReps[i] != 0 {
			continue
		}
		if *rows == 0 {
			return i
		}
		*rows--
	}
	return l.size
}

// copy takes the slots up to one, run by run.
func (l *leafReader) copy(until int) error {
	from := l.next
	l.next = until
	if len(l.reps)+until-from > maxSlots {
		return errSlots
	}
	l.defs = appendLevels(l.defs, l.pageDefs, l.def, from, until)
	l.reps = appendLevels(l.reps, l.pageReps, 0, from, until)
	if len(l.reps) > 0 && l.reps[0] != 0 {
		return fmt.Errorf("%w: a value belongs to no row", ErrDamaged)
	}
	if l.into == nil {
		return nil
	}
	for defs := l.defs[len(l.defs)-until+from:]; len(defs) > 0; {
		run := 1
		for run < len(defs) && defs[run] == defs[0] {
			run++
		}
		switch {
		case defs[0] == l.def:
			if err := l.into.take(l.value, l.value+run); err != nil {
				return err
			}
			l.value += run
		case defs[0] >= l.slot:
			l.into.nulls(run)
		}
		defs = defs[run:]
	}
	return nil
}

func appendLevels(to, levels []byte, constant byte, from, until int) []byte {
	if levels != nil {
		return append(to, levels[from:until]...)
	}
	for range until - from {
		to = append(to, constant)
	}
	return to
}
