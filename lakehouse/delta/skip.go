package delta

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/partition"
	"github.com/lakewheel/lakewheel/lakehouse/prune"
)

// skipper tells files that have no row for which a condition is TRUE. It only ever errs by reading a file.
type skipper struct {
	ev *compute.Evaluator
	// values are the conjuncts that read partition columns alone: they are the same for each row of a file.
	values []compute.Expr
	bounds []prune.Test
	among  []membership
	// skipped counts files.
	skipped int
}

// membership is a conjunct that a column is one of some values.
type membership struct {
	bounds [][]prune.Test  // of each value
	keys   *columnar.Batch // the values; nil if they cannot be asked for
}

func newSkipper(s lakehouse.Snapshot, where compute.Expr, ev *compute.Evaluator) *skipper {
	k := &skipper{ev: ev}
	for _, e := range compute.Conjuncts(where) {
		reads := compute.Columns(e)
		if len(reads) > 0 && !slices.ContainsFunc(reads, func(at int) bool { return !slices.Contains(s.PartitionBy, s.Schema.Fields[at].Name) }) {
			k.values = append(k.values, e)
			continue
		}
		if at, values, ok := compute.Among(e); ok {
			k.among = append(k.among, k.membership(s.Schema.Fields[at], values))
		} else if at, op, value, ok := compute.Compared(e); ok {
			k.bounds = append(k.bounds, prune.Tests(s.Schema.Fields[at], op, value)...)
		}
	}
	return k
}

func (k *skipper) membership(f columnar.Field, values []compute.Expr) (m membership) {
	none := columnar.NewBatch(columnar.NewSchema(), nil, 1)
	schema := columnar.NewSchema(f)
	var keys []*columnar.Batch
	for _, v := range values {
		m.bounds = append(m.bounds, prune.Tests(f, "=", v))
		k.ev.Reset()
		if c, err := k.ev.Eval(v, none, nil); err == nil && v.Type() == f.Type {
			keys = append(keys, columnar.NewBatch(schema, []columnar.Column{c}, 1))
		}
	}
	if len(keys) == len(values) {
		m.keys, _ = columnar.Concat(keys)
	}
	return m
}

// logged reports whether, as the log says, no row of a file can fulfil the condition.
func (k *skipper) logged(f *scannedFile) bool { return k != nil && k.count(k.all(f)) }

// filtered reports it as the filters of the file say.
func (k *skipper) filtered(file *parquetfile.Reader) bool { return k != nil && k.count(k.denied(file)) }

func (k *skipper) count(skip bool) bool {
	if skip {
		k.skipped++
	}
	return skip
}

func (k *skipper) all(f *scannedFile) bool {
	if len(k.values) > 0 && k.failsPartition(f.partition) {
		return true
	}
	if len(k.bounds)+len(k.among) == 0 || f.add.Stats == nil || f.names != nil { // names in statistics are those of the file
		return false
	}
	var stats struct{ MinValues, MaxValues map[string]json.RawMessage }
	if json.Unmarshal([]byte(*f.add.Stats), &stats) != nil {
		return false
	}
	fails := func(t prune.Test) bool {
		of := stats.MinValues
		if t.Upper {
			of = stats.MaxValues
		}
		v, ok := readBound(t.Field.Type, of[t.Field.Name], t.Upper)
		return ok && !t.Holds(k.ev, v)
	}
	return slices.ContainsFunc(k.bounds, fails) || slices.ContainsFunc(k.among, func(m membership) bool {
		return !slices.ContainsFunc(m.bounds, func(tests []prune.Test) bool { return !slices.ContainsFunc(tests, fails) })
	})
}

// denied asks the Bloom filters. One that cannot be read says nothing.
func (k *skipper) denied(file *parquetfile.Reader) bool {
	return slices.ContainsFunc(k.among, func(m membership) bool {
		if m.keys == nil {
			return false
		}
		may, err := file.Probe().MayHold(m.keys)
		return err == nil && len(may) == 0
	})
}

// failsPartition asks the conjuncts about one row with the partition values.
func (k *skipper) failsPartition(p *partition.Columns) bool {
	cols := make([]columnar.Column, p.InFile.Len())
	for i, f := range p.InFile.Fields {
		cols[i] = columnar.NewNullColumn(f.Type, 1)
	}
	file := columnar.NewBatch(p.InFile, cols, 1)
	defer file.Release()
	row := p.Fill(file)
	defer row.Release()
	return slices.ContainsFunc(k.values, func(e compute.Expr) bool { return !prune.Passes(k.ev, e, row) })
}

// readBound reads a bound of the statistics, false if there is none that can be relied on. Other writers cut timestamps to
// milliseconds, in both directions, and some leave NaN, which is above all numbers, out of them.
func readBound(t columnar.Type, text json.RawMessage, upper bool) (columnar.Column, bool) {
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil, false
	}
	spelled := string(text)
	if text[0] == '"' && json.Unmarshal(text, &spelled) != nil {
		return nil, false
	}
	switch t.Kind {
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		us, err := partition.Timestamp(spelled)
		if us -= 999; upper {
			us += 2 * 999
		}
		return parquetfile.Repeat(t, us, 1), err == nil
	case columnar.FloatKind, columnar.DoubleKind:
		if upper {
			return nil, false
		}
	case columnar.TinyIntKind, columnar.SmallIntKind, columnar.IntKind, columnar.BigIntKind, columnar.DecimalKind, columnar.DateKind, columnar.StringKind:
	default:
		return nil, false
	}
	v, err := partition.Value(t, spelled)
	if err != nil {
		return nil, false
	}
	return parquetfile.Repeat(t, v, 1), true
}
