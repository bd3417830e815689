package microbatch

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
)

// ConsoleSink prints rows as JSON lines. It keeps no position: every run begins at the start.
type ConsoleSink struct {
	w       io.Writer
	queryID string
}

var _ Sink = (*ConsoleSink)(nil)

// NewConsoleSink prints to w.
func NewConsoleSink(w io.Writer, queryID string) *ConsoleSink {
	return &ConsoleSink{w: w, queryID: queryID}
}

// Open has nothing to recover.
func (*ConsoleSink) Open(context.Context, func(*Position) error) (*Position, error) { return nil, nil }

// consoleOutput holds printed lines by lane until the commit, so that their order does not depend on the workers.
type consoleOutput struct {
	mu    sync.Mutex
	lanes map[int64][]byte
	rows  int64
	dead  int64
}

func (o *consoleOutput) Write(_ context.Context, lane int64, b *columnar.Batch) error {
	var text []byte
	for i := range b.Rows() {
		text = append(columnar.AppendRowJSON(text, b, i), '\n')
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lanes[lane] = append(o.lanes[lane], text...)
	o.rows += int64(b.Rows())
	return nil
}

// Erase cannot take back what is printed.
func (o *consoleOutput) Erase(context.Context, int64, *columnar.Batch) error { return nil }

func (o *consoleOutput) WriteDeadLetters(_ context.Context, _ int64, b *columnar.Batch) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dead += int64(b.Rows())
	return nil
}

// WriteLate is not called: a console keeps no side tables.
func (o *consoleOutput) WriteLate(context.Context, int64, *columnar.Batch) error { return nil }

func (o *consoleOutput) Abort() {}

// NewOutput collects lines.
func (*ConsoleSink) NewOutput(context.Context) (Output, error) {
	return &consoleOutput{lanes: map[int64][]byte{}}, nil
}

// Commit prints the rows.
func (s *ConsoleSink) Commit(_ context.Context, _ committer.Batch, out Output) (committer.Result, error) {
	o, ok := out.(*consoleOutput)
	if !ok {
		return committer.Result{Version: -1}, nil
	}
	var lanes []int64
	for lane := range o.lanes {
		lanes = append(lanes, lane)
	}
	slices.SortFunc(lanes, cmp.Compare)
	for _, lane := range lanes {
		if _, err := s.w.Write(o.lanes[lane]); err != nil {
			return committer.Result{}, err
		}
	}
	return committer.Result{Version: -1, Rows: o.rows, SideRows: map[string]int64{DeadLetterKind: o.dead}}, nil
}

// State has no place: nothing outlives the run.
func (*ConsoleSink) State() *StateStore { return nil }

// Maintain has nothing to do.
func (*ConsoleSink) Maintain(context.Context) error { return nil }

// Close has nothing to end.
func (*ConsoleSink) Close() {}

// Describe names the sink.
func (*ConsoleSink) Describe() string { return "Console" }

// Identity is that of this run: nothing outlives it.
func (s *ConsoleSink) Identity() (string, int64) { return s.queryID, 1 }
