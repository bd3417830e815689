package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line, in bytes: it lies in memory whole.
const maxLine = 64 << 20

// blockBytes is how much text is read at once.
const blockBytes = 1 << 20

// A line from largeLine on is in memory several times until it is written. Its buffer grows by a quarter, and no other reader has such a line meanwhile.
const largeLine = 8 << 20

// lines cuts text into lines.
type lines struct {
	in    io.Reader
	at    int64 // of buf[start] in the text
	quote byte  // a line break within quotes of this kind is none; 0: each is one
	buf   []byte
	start int // of the open line
	eof   bool
	large func() error // waits until the open line may become a large one; nil: it may

	// What is known of the open line: there is no end up to searched, and up to counted it has left quotes open or not.
	searched, counted int
	open              bool
}

// next returns the next line without its end, borrowed until the next call, and the position of its first byte. io.EOF after the last.
func (l *lines) next() (line []byte, at int64, err error) {
	for {
		if end := l.end(); end >= 0 {
			line, at = l.buf[l.start:end], l.at
			if len(line) > maxLine {
				return nil, 0, l.tooLong()
			}
			l.skip(end + 1 - l.start)
			return bytes.TrimSuffix(line, []byte("\r")), at, nil
		}
		if l.eof {
			return l.last()
		}
		if err := l.fill(); err != nil {
			return nil, 0, err
		}
	}
}

// skip begins a line so many bytes behind the beginning of the open one.
func (l *lines) skip(n int) {
	l.start, l.at = l.start+n, l.at+int64(n)
	l.searched, l.counted, l.open = 0, 0, false
}

// end is where the open line ends, -1 if the text so far does not tell.
func (l *lines) end() int {
	for {
		i := bytes.IndexByte(l.buf[l.start+l.searched:], '\n')
		if i < 0 {
			l.searched = len(l.buf) - l.start
			return -1
		}
		end := l.start + l.searched + i
		l.searched += i + 1
		if l.quote == 0 || !l.quoted(end) {
			return end
		}
	}
}

// quoted reports whether a place of the open line is within quotes. A quote that is doubled or follows a backslash is part of a value.
func (l *lines) quoted(end int) bool {
	for at := l.start + l.counted; ; {
		i := bytes.IndexByte(l.buf[at:end], l.quote)
		if i < 0 {
			l.counted = end - l.start
			return l.open
		}
		at += i + 1
		if !l.open || l.buf[at-2] != '\\' {
			l.open = !l.open
		}
	}
}

// last is what stands behind the last line break.
func (l *lines) last() ([]byte, int64, error) {
	line, at := l.buf[l.start:], l.at
	if len(line) == 0 {
		return nil, 0, io.EOF
	}
	l.skip(len(line))
	return bytes.TrimSuffix(line, []byte("\r")), at, nil
}

func (l *lines) tooLong() error {
	return fmt.Errorf("the line at byte %d is longer than %d MiB: cut it into several, or write the file as Parquet", l.at, maxLine>>20)
}

// shrink lets go of the buffer of a large line.
func (l *lines) shrink() {
	if rest := l.buf[l.start:]; cap(l.buf) > 2*largeLine && len(rest) < largeLine {
		l.buf, l.start = append(make([]byte, 0, len(rest)+blockBytes), rest...), 0
	}
}

// fill reads more text behind that of the open line, which moves to the front.
func (l *lines) fill() error {
	open := copy(l.buf, l.buf[l.start:])
	if open > maxLine {
		return l.tooLong()
	}
	if open >= largeLine && l.large != nil {
		if err := l.large(); err != nil {
			return err
		}
	}
	if need := open + blockBytes; cap(l.buf) < need {
		grown := make([]byte, open, max(need, min(2*open, open+open/4+largeLine)))
		copy(grown, l.buf[:open])
		l.buf = grown
	}
	l.buf, l.start = l.buf[:cap(l.buf)], 0
	n, err := io.ReadAtLeast(l.in, l.buf[open:], 1)
	l.buf = l.buf[:open+n]
	if errors.Is(err, io.EOF) {
		l.eof, err = true, nil
	}
	return err
}
