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
	cond   *prune.Condition  // of the other conjuncts
	nulls  []string          // columns that have to be NULL
	keys   []*columnar.Batch // of each of them that says a column is one of some values: the values
	// skipped counts files.
	skipped int
}

func newSkipper(s lakehouse.Snapshot, where compute.Expr, ev *compute.Evaluator) *skipper {
	k := &skipper{ev: ev}
	var rest []compute.Expr
	for _, e := range compute.Conjuncts(where) {
		reads := compute.Columns(e)
		if len(reads) > 0 && !slices.ContainsFunc(reads, func(at int) bool { return !slices.Contains(s.PartitionBy, s.Schema.Fields[at].Name) }) {
			k.values = append(k.values, e)
			continue
		}
		rest = append(rest, e)
		if at, ok := compute.ComparedToNull(e); ok {
			k.nulls = append(k.nulls, s.Schema.Fields[at].Name)
		}
		if at, values, ok := compute.Among(e); ok {
			if keys := k.keysOf(s.Schema.Fields[at], values); keys != nil {
				k.keys = append(k.keys, keys)
			}
		}
	}
	k.cond = prune.NewCondition(s.Schema, rest)
	return k
}

// keysOf are values of a column that filters can be asked for, nil if one of them cannot.
func (k *skipper) keysOf(f columnar.Field, values []compute.Expr) *columnar.Batch {
	none := columnar.NewBatch(columnar.NewSchema(), nil, 1)
	schema := columnar.NewSchema(f)
	var keys []*columnar.Batch
	for _, v := range values {
		k.ev.Reset()
		c, err := k.ev.Eval(v, none, nil)
		if err != nil || v.Type() != f.Type {
			return nil
		}
		keys = append(keys, columnar.NewBatch(schema, []columnar.Column{c}, 1))
	}
	all, err := columnar.Concat(keys)
	if err != nil {
		return nil
	}
	return all
}

// logged reports whether, as the log says, no row of a file can fulfil the condition.
func (k *skipper) logged(f *scannedFile) bool { return k != nil && k.count(k.all(f)) }

// filtered reports it as the filters of the file say.
func (k *skipper) filtered(file *parquetfile.Reader) (bool, error) {
	return k != nil && k.count(k.denied(file)), nil
}

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
	if k.cond.Empty() && len(k.nulls) == 0 || f.add.Stats == nil || f.names != nil { // names in statistics are those of the file
		return false
	}
	var stats struct{ MinValues, MaxValues, NullCount map[string]json.RawMessage }
	if json.Unmarshal([]byte(*f.add.Stats), &stats) != nil {
		return false
	}
	if slices.ContainsFunc(k.nulls, func(name string) bool { return string(stats.NullCount[name]) == "0" }) {
		return true
	}
	return k.cond.Denies(k.ev, func(f columnar.Field, upper bool) (columnar.Column, bool) {
		of := stats.MinValues
		if upper {
			of = stats.MaxValues
		}
		return readBound(f.Type, of[f.Name], upper)
	})
}

// denied asks the Bloom filters. One that cannot be read says nothing.
func (k *skipper) denied(file *parquetfile.Reader) bool {
	return slices.ContainsFunc(k.keys, func(keys *columnar.Batch) bool {
		may, err := file.Probe().MayHold(keys)
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
