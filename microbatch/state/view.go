package state

import (
	"bytes"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/planner"
)

// View reads the stored state of an operator by what record and files say, without the query that keeps it.
type View struct {
	op      committer.Operator
	schema  *columnar.Schema // of the files; nil without any
	keys    int              // its first columns
	files   [][]byte
	evicted int64
}

// NewView takes the files of an operator, oldest first, and the watermark, in milliseconds, that the last batch ran with.
func NewView(op committer.Operator, files [][]byte, evicted int64) (*View, error) {
	v := &View{op: op, files: files, evicted: evicted}
	if len(files) == 0 {
		return v, nil
	}
	var err error
	v.schema, err = schemaOf(files[len(files)-1])
	if err != nil {
		return nil, err
	}
	for v.keys < v.schema.Len() && v.schema.Fields[v.keys].Name == keyName(v.keys) {
		v.keys++
	}
	return v, v.check()
}

// keyName names the columns of keys.
func keyName(i int) string { return fmt.Sprintf("k%d", i) }

// schemaOf reads the columns of a state file with their SQL types.
func schemaOf(body []byte) (*columnar.Schema, error) {
	r, err := ipc.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer r.Release()
	out := &columnar.Schema{}
	for _, f := range r.Schema().Fields() {
		text, _ := f.Metadata.GetValue(typeKey)
		t, err := planner.ParseType(text)
		if err != nil {
			return nil, fmt.Errorf("%w: column %s has the type %q: %w", ErrDamaged, f.Name, text, err)
		}
		out.Fields = append(out.Fields, columnar.Field{Name: f.Name, Type: t, Nullable: f.Nullable})
	}
	return out, nil
}

// check makes sure that the record speaks of the columns of the files.
func (v *View) check() error {
	if want := len(v.op.Keys) - v.firstKey(); v.keys != want {
		return fmt.Errorf("%w: it has %d columns of keys, the record says %d", ErrDamaged, v.keys, want)
	}
	if v.op.Ends != nil && v.schema.Index(v.op.Ends.Column) < 0 {
		return fmt.Errorf("%w: it has no column %s, which the record names", ErrDamaged, v.op.Ends.Column)
	}
	return nil
}

// firstKey is the first of the operator's keys that is a column: the session is none.
func (v *View) firstKey() int {
	if v.op.Kind == "session" {
		return 1
	}
	return 0
}

// Scan gives the rows of the state, some at a time; each borrows them.
func (v *View) Scan(each func(rows *columnar.Batch) error) error {
	if len(v.files) == 0 {
		return nil
	}
	return Restore(v.op.Name, v.files, v.evicted, &viewTarget{v, each})
}

// viewTarget gives on what has not ended.
type viewTarget struct {
	*View
	each func(rows *columnar.Batch) error
}

func (t *viewTarget) Schema() *columnar.Schema { return t.schema }
func (t *viewTarget) KeyColumns() int          { return t.keys }

func (t *viewTarget) Load(rows *columnar.Batch, evicted int64) error {
	if t.op.Ends == nil {
		return t.each(rows)
	}
	ends := rows.Column(t.schema.Index(t.op.Ends.Column))
	var open columnar.Selection
	for i, at := range columnar.FixedValues[int64](ends) {
		if ends.IsNull(i) || at > evicted*1000-t.op.Ends.After {
			open = append(open, int32(i))
		}
	}
	rows = columnar.GatherBatch(rows, open)
	defer rows.Release()
	return t.each(rows)
}

// Summary is what a View says of its rows.
type Summary struct {
	Rows int64
	// Times says what Oldest and Newest are, "" if rows have no time: "window" from the start of the oldest to the end of the newest
	// one, "session" likewise, "event time" or "expiry". They are microseconds since 1970 and mean something only if Timed.
	Times          string
	Timed          bool
	Oldest, Newest int64
}

// Summary counts rows and finds the oldest and the newest.
func (v *View) Summary() (Summary, error) {
	s := Summary{Oldest: math.MaxInt64, Newest: math.MinInt64}
	first, last, size := "", "", int64(0)
	s.Times, first, last, size = v.times()
	err := v.Scan(func(rows *columnar.Batch) error {
		s.Rows += int64(rows.Rows())
		if s.Times != "" {
			s.add(rows.Column(v.schema.Index(first)), 0)
			s.add(rows.Column(v.schema.Index(last)), size)
		}
		return nil
	})
	return s, err
}

func (s *Summary) add(times columnar.Column, after int64) {
	for i, at := range columnar.FixedValues[int64](times) {
		if times.IsNull(i) || at == math.MaxInt64 {
			continue
		}
		s.Timed = true
		s.Oldest, s.Newest = min(s.Oldest, at), max(s.Newest, at+after)
	}
}

// times names the columns of the first and of the last time of a row, and what to add to the last one.
func (v *View) times() (what, first, last string, after int64) {
	for i, k := range v.op.Keys {
		if k.Window > 0 {
			column := keyName(i - v.firstKey())
			return "window", column, column, k.Window
		}
	}
	switch {
	case v.op.Kind == "session":
		return "session", "start", "end", 0
	case v.op.Ends == nil:
		return "", "", "", 0
	case v.op.Kind == "dedup_within":
		return "expiry", v.op.Ends.Column, v.op.Ends.Column, 0
	}
	return "event time", v.op.Ends.Column, v.op.Ends.Column, 0
}
