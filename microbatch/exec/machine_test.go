package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/microbatch/state"
	"github.com/lakewheel/lakewheel/offsets"
	"github.com/lakewheel/lakewheel/planner"
)

// event is a row of the streams that the tests draw.
type event struct {
	id int64
	ts int64  // microseconds; NULL for noTime
	k  string // NULL for ""
	v  int64  // NULL for noValue
}

const (
	noTime  = -1 << 60
	noValue = -1 << 60
	second  = 1_000_000 // microseconds
)

var eventSchema = columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "k", Type: columnar.String, Nullable: true}, columnar.Field{Name: "v", Type: columnar.BigInt, Nullable: true})

// eventBatch is events in the columns of a schema.
func eventBatch(schema *columnar.Schema, rows []event) *columnar.Batch {
	var keys columnar.BinaryBuffer
	ids, times, values := make([]int64, len(rows)), make([]int64, len(rows)), make([]int64, len(rows))
	timed, valued := make([]bool, len(rows)), make([]bool, len(rows))
	for i, e := range rows {
		ids[i], times[i], values[i] = e.id, e.ts, e.v
		timed[i], valued[i] = e.ts != noTime, e.v != noValue
		if e.k == "" {
			keys.AppendNull()
		} else {
			keys.AppendString(e.k)
		}
	}
	all := map[string]columnar.Column{"id": columnar.NewInt64Column(ids, nil), "ts": columnar.NewTimestampColumn(times, timed),
		"k": keys.FinishString(), "v": columnar.NewInt64Column(values, valued)}
	cols := make([]columnar.Column, schema.Len())
	for i, f := range schema.Fields {
		cols[i] = all[f.Name]
	}
	return columnar.NewBatch(schema, cols, len(rows))
}

// round is what a batch has: the rows of each partition in the order of their offsets, and the watermarks, in milliseconds, that
// the batch before and this one run with.
type round struct {
	rows        [][]event
	late, evict int64
}

// drawRounds draws a stream whose watermark rises now and then.
func drawRounds(r *rapid.T, partitions int, draw func(r *rapid.T, watermark int64) event) []round {
	rounds := make([]round, rapid.IntRange(1, 12).Draw(r, "rounds"))
	id, watermark := int64(0), int64(0)
	for i := range rounds {
		b := &rounds[i]
		b.late = watermark
		watermark += rapid.SampledFrom([]int64{0, 1, 999, 4000, 4000, 10_000, 30_000, 100_000}).Draw(r, "watermark rises")
		b.evict = watermark
		for range partitions {
			rows := make([]event, rapid.IntRange(0, 10).Draw(r, "rows"))
			for k := range rows {
				rows[k] = draw(r, watermark)
				rows[k].id = id
				id++
			}
			b.rows = append(b.rows, rows)
		}
	}
	return rounds
}

// drawEvent draws an event around the watermark, often on a second, with one of few keys.
func drawEvent(r *rapid.T, watermark int64) event {
	e := event{ts: watermark*1000 + rapid.Int64Range(-30, 30).Draw(r, "second")*second, k: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(r, "key"), v: rapid.Int64Range(-5, 5).Draw(r, "value")}
	switch rapid.IntRange(0, 9).Draw(r, "kind") {
	case 0:
		e.ts = noTime
	case 1:
		e.v = noValue
	case 2:
		e.ts += rapid.Int64Range(-second, second).Draw(r, "microseconds")
	}
	return e
}

// done is what a round has put out, its rows sorted, and done to the state.
type done struct {
	out      []string
	stats    Stats
	lateRows int64
	kept     int64 // rows of state
}

// machine runs a query with one stateful operator over rounds as the driver does, at random: rows are cut into tasks and raw batches, state
// has any number of shards, a commit comes after some rounds, and a crash after some, behind which everything goes on from the last commit.
type machine struct {
	r       *rapid.T
	program *Program
	state   State
	log     *state.Log
	files   map[string][]byte
	crashes int // that are still to come
}

// query compiles a query over events, whose event time is ts.
func query(t require.TestingT, mode planner.OutputMode, set Settings, dedup *planner.DedupRule, delay int64, text string) *Program {
	planned, err := planner.Plan(text, planner.Catalog{"events": {Schema: eventSchema, Hidden: columnar.NewSchema(), EventTime: &planner.EventTime{Column: "ts", Delay: delay}, Dedup: dedup}}, planner.Options{Mode: mode})
	require.NoError(t, err)
	set.Mode = mode
	p, err := Compile(planned.Physical, set, Input{Name: "events", Format: "json", Schema: eventSchema})
	require.NoError(t, err)
	require.Len(t, p.Operators, 1)
	return p
}

func newMachine(r *rapid.T, p *Program) *machine {
	m := &machine{r: r, program: p, log: state.NewLog(nil), files: map[string][]byte{}, crashes: rapid.IntRange(0, 6).Draw(r, "crashes")}
	m.begin()
	return m
}

func (m *machine) begin() {
	m.state = m.program.Operators[0].Begin(rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(m.r, "shards"))
}

// run runs all rounds.
func (m *machine) run(rounds []round) []done {
	out := make([]done, len(rounds))
	committed := 0
	for i := 0; i < len(rounds); {
		out[i] = m.round(rounds[i])
		i++
		if rapid.Bool().Draw(m.r, "commit") {
			m.commit()
			committed = i
		}
		if m.crashes > 0 && rapid.Bool().Draw(m.r, "crash") {
			m.crashes--
			i = committed
			m.restore(evictedBefore(rounds, committed))
		}
	}
	return out
}

func evictedBefore(rounds []round, i int) int64 {
	if i == 0 {
		return 0
	}
	return rounds[i-1].evict
}

func (m *machine) round(b round) (d done) {
	at := Moment{Late: b.late, Evict: b.evict}
	var portions []Portion
	for p, rows := range b.rows {
		for _, task := range m.cut(rows) {
			portion := m.program.Operators[0].newPortion("events", offsets.Partition{Topic: "events", ID: int32(p)}, at.Late*1000)
			d.lateRows += m.collect(portion, task)
			portions = append(portions, portion)
		}
	}
	outs, stats, err := m.state.Run(portions, at)
	require.NoError(m.r, err)
	for _, p := range portions {
		Release(p)
	}
	d.stats, d.kept = stats, m.state.Rows()
	for _, out := range outs {
		rows, _, _, err := m.program.Above(0, out, at)
		require.NoError(m.r, err)
		d.out = append(d.out, texts(rows)...)
		rows.Release()
		out.Release()
	}
	slices.Sort(d.out)
	return d
}

// cut cuts rows at random places.
func (m *machine) cut(rows []event) (parts [][]event) {
	for len(rows) > 0 {
		n := rapid.IntRange(1, len(rows)).Draw(m.r, "cut")
		parts, rows = append(parts, rows[:n]), rows[n:]
	}
	return parts
}

// collect takes the rows of a task, in raw batches, into a portion, and counts those that are late.
func (m *machine) collect(portion Portion, task []event) (late int64) {
	b := m.program.Pipelines[0].branches[0]
	for _, raw := range m.cut(task) {
		f := &flow{batch: eventBatch(b.scan, raw)}
		require.NoError(m.r, runSteps(compute.NewDefaultEvaluator(), b.steps, f))
		var rows lateRows
		require.NoError(m.r, portion.add(f, &rows))
		late += int64(len(rows.byRow()))
		f.release()
	}
	return late
}

// commit writes what changed, merged as the log says, or everything.
func (m *machine) commit() {
	run := m.state.Runs()
	if m.state.Rows() == 0 {
		m.log.Drop(run)
		return
	}
	after, keep := m.log.Next()
	if rapid.IntRange(0, 4).Draw(m.r, "write everything") == 0 {
		after, keep = -1, 0
	}
	rows, err := m.state.Copy(m.state.Changed(after))
	require.NoError(m.r, err)
	if rows == nil {
		m.log.Saved(run)
		return
	}
	defer rows.Release()
	body, err := state.Encode("0", rows)
	require.NoError(m.r, err)
	name := fmt.Sprint(len(m.files))
	m.files[name] = body
	m.log.Add(name, after, keep, run)
}

// restore loads what the last commit wrote.
func (m *machine) restore(evicted int64) {
	m.begin()
	names := m.log.Names()
	bodies := make([][]byte, len(names))
	for i, name := range names {
		bodies[i] = m.files[name]
	}
	m.log = state.NewLog(names)
	require.NoError(m.r, state.Restore("0", bodies, evicted, m.state))
}

// texts prints rows, times in microseconds.
func texts(b *columnar.Batch) []string {
	out := make([]string, b.Rows())
	for row := range out {
		var parts []string
		for i, c := range b.Columns() {
			if b.Schema().Fields[i].Type == columnar.Timestamp && c.IsValid(row) {
				parts = append(parts, fmt.Sprint(columnar.Int64At(c, row)))
				continue
			}
			parts = append(parts, string(columnar.AppendValueJSON(nil, c, row)))
		}
		out[row] = strings.Join(parts, " ")
	}
	return out
}
