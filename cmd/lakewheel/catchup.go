package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/lakewheel/lakewheel/microbatch"
)

// catchUp is how far bounded runs are, of all pipelines of the command together.
type catchUp struct {
	start   time.Time
	runs    map[string]*boundedRun // by pipeline
	samples []sample               // of the last seconds, the oldest first
}

// boundedRun is how far one of them is, in offsets from where it began to where it ends.
type boundedRun struct {
	whole, left int64
	rows, bytes int64 // that were read
	version     int64
}

type sample struct {
	at   time.Time
	read int64 // offsets
}

// rateOver is the time that a rate is of.
const rateOver = 10 * time.Second

func newCatchUp(now time.Time) *catchUp {
	return &catchUp{start: now, runs: map[string]*boundedRun{}, samples: []sample{{at: now}}}
}

// add takes note of a committed batch.
func (c *catchUp) add(p microbatch.Progress, now time.Time) {
	r, ok := c.runs[p.Name]
	if !ok {
		r = &boundedRun{}
		c.runs[p.Name] = r
	}
	from, left := int64(0), int64(0)
	for _, s := range p.Sources {
		from += s.StartOffset.Behind(s.TargetOffset)
		left += s.EndOffset.Behind(s.TargetOffset)
	}
	r.whole, r.left = max(r.whole, from), left
	r.rows, r.bytes, r.version = r.rows+p.NumInputRows, r.bytes+p.NumInputBytes, p.Sink.Version
	c.sample(now)
}

func (c *catchUp) sample(now time.Time) {
	c.samples = append(c.samples, sample{now, c.sum(func(r *boundedRun) int64 { return r.whole - r.left })})
	for len(c.samples) > 2 && now.Sub(c.samples[1].at) >= rateOver {
		c.samples = c.samples[1:]
	}
}

func (c *catchUp) sum(of func(*boundedRun) int64) (n int64) {
	for _, r := range c.runs {
		n += of(r)
	}
	return n
}

// rate is offsets a second, lately.
func (c *catchUp) rate() float64 {
	first, last := c.samples[0], c.samples[len(c.samples)-1]
	if d := last.at.Sub(first.at).Seconds(); d > 0 {
		return float64(last.read-first.read) / d
	}
	return 0
}

// barWidth is the number of cells of the bar.
const barWidth = 20

// line is where it all stands, in less than 80 columns for ordinary names.
func (c *catchUp) line() string {
	name := fmt.Sprintf("%d pipelines", len(c.runs))
	for only := range c.runs {
		if len(c.runs) == 1 {
			name = only
		}
	}
	whole, left := c.sum(func(r *boundedRun) int64 { return r.whole }), c.sum(func(r *boundedRun) int64 { return r.left })
	share, rate := 1.0, c.rate()
	if whole > 0 {
		share = float64(whole-left) / float64(whole)
	}
	cells := int(share * barWidth)
	line := fmt.Sprintf("%s [%s%s] %d%%  %s rows/s  lag %s  %s", name, strings.Repeat("=", cells), strings.Repeat(" ", barWidth-cells), int(share*100),
		countText(rate), countText(float64(left)), sizeText(c.sum(func(r *boundedRun) int64 { return r.bytes })))
	if left > 0 && rate > 0 {
		line += "  ETA " + time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second).String()
	}
	return line
}

// summary is what one pipeline did.
func (c *catchUp) summary(pipeline string, now time.Time) string {
	r, ok := c.runs[pipeline]
	if !ok {
		return pipeline + ": nothing new"
	}
	took := now.Sub(c.start)
	return fmt.Sprintf("%s: %d rows, %s in %s (%s rows/s), version %d", pipeline, r.rows, sizeText(r.bytes), took.Round(10*time.Millisecond), countText(float64(r.rows)/max(took.Seconds(), 1e-3)), r.version)
}

// countText is a number for people: 950, 12.3k, 1.2M.
func countText(n float64) string {
	for _, unit := range []string{"", "k", "M"} {
		if n < 1000 {
			if unit == "" {
				return fmt.Sprintf("%.0f", n)
			}
			return fmt.Sprintf("%.1f%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.1fG", n)
}

// bar shows a catch-up on a terminal, in one line that it draws again and again. What else is written goes above it.
type bar struct {
	mu    sync.Mutex
	out   io.Writer
	state *catchUp
	now   func() time.Time
	drawn bool
}

func newBar(out io.Writer, now func() time.Time) *bar {
	return &bar{out: out, state: newCatchUp(now()), now: now}
}

// eraseLine goes back to the beginning of the line of a terminal and clears it.
const eraseLine = "\r\x1b[K"

func (b *bar) batch(p microbatch.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.add(p, b.now())
	b.draw()
}

func (b *bar) draw() {
	fmt.Fprint(b.out, eraseLine, b.state.line())
	b.drawn = true
}

// ended puts the result of a pipeline above the bar. One that failed has its error elsewhere.
func (b *bar) ended(pipeline string, err error) {
	if err != nil {
		b.above(func() {})
		return
	}
	b.above(func() { fmt.Fprintln(b.out, b.state.summary(pipeline, b.now())) })
}

// above clears the bar and lets something be written in its place.
func (b *bar) above(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn {
		fmt.Fprint(b.out, eraseLine)
		b.drawn = false
	}
	write()
}

// beside is a writer to the same terminal, for the log.
func (b *bar) beside(w io.Writer) io.Writer { return besideBar{b, w} }

type besideBar struct {
	b *bar
	w io.Writer
}

func (s besideBar) Write(p []byte) (n int, err error) {
	s.b.above(func() { n, err = s.w.Write(p) })
	return n, err
}
