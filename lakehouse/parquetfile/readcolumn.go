package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/columnar"
)

// columnReader reads one column of one row group, any number of rows at a time.
type columnReader struct {
	field   columnar.Field
	pages   parquet.Pages // nil: the file has no such column
	into    sink
	indexed bool // the dictionary was given to the sink

	page   parquet.Page // nil: none is open
	levels []byte       // a definition level per row; nil: no nulls
	rows   int          // rows of the page
	row    int          // the next one
	value  int          // the next of its values
}

func openColumn(s *parquet.Schema, g parquet.RowGroup, f columnar.Field) (*columnReader, error) {
	leaf, ok := s.Lookup(f.Name)
	switch {
	case !ok && slices.ContainsFunc(s.Fields(), func(g parquet.Field) bool { return g.Name() == f.Name }), ok && leaf.Node.Repeated():
		return nil, errors.New("the file has it nested, which cannot be read")
	case !ok:
		return &columnReader{field: f}, nil
	}
	into, err := newSink(f.Type, leaf.Node.Type())
	if err != nil {
		return nil, err
	}
	return &columnReader{field: f, into: into, pages: g.ColumnChunks()[leaf.ColumnIndex].Pages()}, nil
}

func (c *columnReader) close() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
	if c.pages != nil {
		_ = c.pages.Close()
		c.pages = nil
	}
}

// read returns the next n rows.
func (c *columnReader) read(n int) (columnar.Column, error) {
	if c.into == nil {
		return columnar.NewNullColumn(c.field.Type, n), nil
	}
	c.into.begin(n)
	for n > 0 {
		if c.page == nil {
			if err := c.next(); err != nil {
				return nil, err
			}
		}
		took := min(n, c.rows-c.row)
		if err := c.copy(took); err != nil {
			return nil, err
		}
		n -= took
		if c.row == c.rows {
			parquet.Release(c.page)
			c.page = nil
		}
	}
	return c.into.finish()
}

// next opens the next page.
func (c *columnReader) next() error {
	p, err := c.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: fewer values than rows", ErrDamaged)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	c.page, c.rows, c.row, c.value, c.levels = p, int(p.NumValues()), 0, 0, p.DefinitionLevels()
	nulls := int(p.NumNulls())
	if nulls == 0 {
		c.levels = nil
	}
	data := p.Data()
	if d := p.Dictionary(); d != nil {
		if !c.indexed {
			if err := c.into.dictionary(d.Page().Data(), d.Len()); err != nil {
				return err
			}
			c.indexed = true
		}
		return c.into.ids(data.Int32(), c.rows-nulls)
	}
	return c.into.page(data, c.rows-nulls)
}

// copy adds the next n rows of the page, run by run.
func (c *columnReader) copy(n int) error {
	if c.levels == nil {
		c.row += n
		c.value += n
		return c.into.take(c.value-n, c.value)
	}
	for levels := c.levels[c.row : c.row+n]; len(levels) > 0; {
		run := runLength(levels)
		if levels[0] == 0 {
			c.into.nulls(run)
		} else {
			if err := c.into.take(c.value, c.value+run); err != nil {
				return err
			}
			c.value += run
		}
		levels = levels[run:]
	}
	c.row += n
	return nil
}

// runLength is the number of equal levels, 0 or 1, at the front.
func runLength(levels []byte) int {
	if n := bytes.IndexByte(levels, 1-levels[0]&1); n >= 0 {
		return n
	}
	return len(levels)
}
