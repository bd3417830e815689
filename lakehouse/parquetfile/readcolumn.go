package parquetfile

import (
	"bytes"

	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/columnar"
)

// columnReader reads one column of one row group, any number of rows at a time.
type columnReader interface {
	read(rows int) (columnar.Column, error)
	close()
}

// absentColumn is a column that the file does not have.
type absentColumn struct{ absentPart }

func (a absentColumn) read(rows int) (columnar.Column, error) { return a.build(rows) }
func (a absentColumn) close()                                 {}

// plainColumn reads a column that is a leaf.
type plainColumn struct {
	pages   parquet.Pages
	into    sink
	indexed bool // the dictionary was given to the sink

	page   parquet.Page // nil: none is open
	levels []byte       // a definition level per row; nil: no nulls
	rows   int          // rows of the page
	row    int          // the next one
	value  int          // the next of its values
}

func (c *plainColumn) close() {
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
func (c *plainColumn) read(n int) (columnar.Column, error) {
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
func (c *plainColumn) next() error {
	p, err := c.pages.ReadPage()
	if err != nil {
		return damaged(err)
	}
	c.page, c.rows, c.row, c.value, c.levels = p, int(p.NumValues()), 0, 0, p.DefinitionLevels()
	nulls := int(p.NumNulls())
	if nulls == 0 {
		c.levels = nil
	}
	return feed(c.into, p, c.rows-nulls, &c.indexed)
}

// feed gives n values of a page to a sink, and before the first page the dictionary.
func feed(into sink, p parquet.Page, n int, indexed *bool) error {
	d := p.Dictionary()
	if d == nil {
		return into.page(p.Data(), n)
	}
	if !*indexed {
		if err := into.dictionary(d.Page().Data(), d.Len()); err != nil {
			return err
		}
		*indexed = true
	}
	data := p.Data()
	return into.ids(data.Int32(), n)
}

// copy adds the next n rows of the page, run by run.
func (c *plainColumn) copy(n int) error {
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
