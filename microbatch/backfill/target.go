package backfill

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// target is what a request means for a pipeline's rows: everything but where the pipeline stands.
type target struct {
	r       Request
	shape   *shape
	column  column // of a range of event time
	sources []string
	late    bool // late rows are kept in a side table
	into    bool // another table
}

// newTarget decides what the plan and the request alone can tell.
func (j *Job) newTarget(r Request, into bool) (*target, error) {
	s, err := newShape(j.Plan, j.Settings.Mode, r, into)
	if err != nil {
		return nil, err
	}
	if j.Options.Merge != nil && !(r.Kind == All && into) {
		return nil, fmt.Errorf("%w: the pipeline merges rows by key, so what a row is depends on all rows with its key; all rows can be computed into another table (--all --into)", ErrInexact)
	}
	t := &target{r: r, shape: s, into: into, late: j.Settings.KeepLate}
	for _, in := range j.Query.Inputs {
		t.sources = append(t.sources, in.Name)
	}
	switch {
	case r.Kind == EventTime:
		t.column, err = s.timeColumn(r.Column)
	case r.Column != "":
		err = fmt.Errorf("%w: a column of event time is named, and the range is none of event time", ErrRange)
	}
	return t, err
}

// topics counts those that a record knows, with archives.
func topics(sources map[string]offsets.Progress) int {
	out := map[string]bool{}
	for _, p := range sources {
		for partition := range p.Partitions {
			out[partition.Topic] = true
		}
		for topic := range p.Identity {
			if offsets.Archived(topic) {
				out[topic] = true
			}
		}
	}
	return len(out)
}

// plan makes the intent on a ground: what is read, and which rows change places.
func (t *target) plan(f facts, g committer.Ground) (in committer.Intent, err error) {
	sources := g.Record.Sources
	in = committer.Intent{From: map[string]offsets.Positions{}, Until: map[string]offsets.Positions{}}
	some := false
	for _, name := range t.sources {
		from, until, err := t.r.ranges(name, sources[name], f)
		if err != nil {
			return in, err
		}
		in.From[name], in.Until[name] = from, until
		some = some || len(offsets.Ranges(name, from, until)) > 0
	}
	if !some {
		return in, fmt.Errorf("%w: it is empty: the pipeline has read no records of it", ErrRange)
	}
	if t.shape.groups != nil {
		in.Watermark = g.Record.Watermark.RanWith
	}
	if in.Where, err = t.where(in, topics(sources)); err != nil {
		return in, err
	}
	in.Told = t.told(topics(sources), g)
	in.Sides, err = t.sides(in)
	return in, err
}

// goesBy are the columns of the table, by name, that tell the rows of the range.
func (t *target) goesBy(sources map[string]offsets.Progress) []string {
	var quotedNames []string
	switch {
	case t.r.Kind == All:
	case t.r.Kind == EventTime:
		quotedNames = []string{strings.TrimSuffix(t.column.name, ".start")}
	default:
		c, _ := t.shape.coordinateColumns(topics(sources)) // that they are there is checked where the condition is made
		quotedNames = []string{c.topic, c.partition, c.offset}
	}
	var out []string
	for _, f := range t.shape.out.Fields {
		if slices.Contains(quotedNames, quoted(f.Name)) {
			out = append(out, f.Name)
		}
	}
	return out
}

// told are the columns that have a value in every row which can be told. An event time may be NULL, unless its column came later: then NULL says nothing.
func (t *target) told(topics int, g committer.Ground) (out []string) {
	switch {
	case t.into || t.r.Kind == All:
	case t.r.Kind != EventTime:
		c, _ := t.shape.coordinateColumns(topics)
		out = slices.DeleteFunc([]string{c.topic, c.partition, c.offset}, func(name string) bool { return name == "" })
	case slices.ContainsFunc(t.goesBy(g.Record.Sources), func(name string) bool {
		return slices.Contains(g.Added, name) || slices.Contains(g.Record.Columns[name], committer.NoColumn)
	}):
		out = []string{t.column.name}
	}
	return out
}

// where is the condition of the rows that change places.
func (t *target) where(in committer.Intent, topics int) (string, error) {
	switch t.r.Kind {
	case All:
		return everything, nil
	case EventTime:
		last, bound := t.column.last(t.r.Until, in.Watermark*1000, t.complete(in))
		if low := t.r.From; bound && t.r.From != Beginning && t.column.size > 0 && t.firstValue() > last {
			return "", fmt.Errorf("%w: no window that begins at %s or later is whole in it and ends at or before the committed watermark, %s", ErrRange, timeText(low), timeText(in.Watermark*1000))
		}
		return t.column.rangeOf(t.r.From, t.r.Until, in.Watermark*1000, t.complete(in)), nil
	}
	if t.into {
		return everything, nil // what is read is the range
	}
	coords, err := t.shape.coordinateColumns(topics)
	if err != nil {
		return "", err
	}
	from, until := offsets.Positions{}, offsets.Positions{}
	for _, name := range t.sources {
		maps.Copy(from, in.From[name])
		maps.Copy(until, in.Until[name])
	}
	return coords.anyOf(from, until), nil
}

// firstValue is the least value of the column of a window that the range holds whole.
func (t *target) firstValue() int64 {
	first := t.column.floor(t.r.From-1) + t.column.slide
	if t.column.isEnd {
		first += t.column.size
	}
	return first
}

// complete reports whether rows have to be complete by a watermark.
func (t *target) complete(in committer.Intent) bool { return t.shape.groups != nil && in.Watermark > 0 }

// sides say which rows of side tables change places: those of records that are read again. A dead letter of a record whose event time is not known gives way
// to the one that the record makes now.
func (t *target) sides(in committer.Intent) ([]committer.SideIntent, error) {
	read := coordinates{topic: "topic", partition: "partition", offset: "offset"}
	letters := committer.SideIntent{Kind: microbatch.DeadLetterKind, Keys: []string{"source", "topic", "partition", "offset"}}
	if t.r.Kind != EventTime {
		letters = committer.SideIntent{Kind: microbatch.DeadLetterKind, Where: t.ofSources("source", read, in)}
	}
	out := []committer.SideIntent{letters}
	if !t.late {
		return out, nil
	}
	late := coordinates{topic: source.TopicColumn, partition: source.PartitionColumn, offset: source.OffsetColumn}
	where := t.ofSources("_source", late, in)
	switch whole := (column{name: "w.start", slide: 1}); {
	case t.shape.groups != nil:
		whole.size = t.shape.groups.Event.Size
		where = fmt.Sprintf("(%s) AND forall(_late_windows, w -> %s)", where, whole.rangeOf(t.r.From, t.r.Until, in.Watermark*1000, t.complete(in)))
	case t.r.Kind == EventTime: // they were late for a deduplication, whose keys have the event time
		where = fmt.Sprintf("(%s) AND (%s)", where, t.timesOfSources())
	}
	return append(out, committer.SideIntent{Kind: microbatch.LateKind, Where: where}), nil
}

// timesOfSources is the condition of rows of sources whose event time is of the range.
func (t *target) timesOfSources() string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(t.shape.times)) {
		c := column{name: quoted(t.shape.times[s])}
		parts = append(parts, fmt.Sprintf("_source = '%s' AND %s", s, c.rangeOf(t.r.From, t.r.Until, 0, false)))
	}
	return strings.Join(parts, " OR ")
}

// ofSources is the condition of records that are read, of any source.
func (t *target) ofSources(name string, c coordinates, in committer.Intent) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(in.From)) {
		if len(offsets.Ranges(s, in.From[s], in.Until[s])) > 0 {
			parts = append(parts, fmt.Sprintf("%s = '%s' AND (%s)", name, s, c.anyOf(in.From[s], in.Until[s])))
		}
	}
	return strings.Join(parts, " OR ")
}

// leftAlone are the windows that the range touches and that stay as they are.
func (t *target) leftAlone(in committer.Intent) []Windows {
	if t.r.Kind != EventTime || t.shape.groups == nil || in.Watermark == 0 {
		return nil
	}
	return t.column.leftAlone(t.r.From, t.r.Until, in.Watermark*1000)
}

// filter is the condition over the rows of the result, nil for all of them.
func (t *target) filter(where string) (compute.Expr, error) {
	if where == everything || t.r.Kind != EventTime {
		return nil, nil // the offsets that are read are the range
	}
	return condition(where, t.shape.out)
}

// condition reads a condition over a table.
func condition(text string, s *columnar.Schema) (compute.Expr, error) {
	e, err := planner.Expression(text, s)
	if err == nil && e.Type() != columnar.Boolean {
		err = fmt.Errorf("%s is %s, not a condition", e, e.Type())
	}
	return e, err
}

// program compiles the plan for the range.
func (j *Job) program(t *target) (*exec.Program, error) {
	set := j.Settings
	if t.r.Kind == EventTime && t.column.within {
		set.Within = &exec.TimeSpan{From: t.r.From, Until: t.r.Until}
	}
	return exec.Compile(j.Plan, set, j.Inputs...)
}
