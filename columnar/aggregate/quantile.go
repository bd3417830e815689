package aggregate

import (
	"math"
	"slices"
	"sort"

	"github.com/lakewheel/lakewheel/columnar"
)

// sample is a value of a quantile sketch. Its rank is at least the sum of g up to it, and at most that plus delta.
type sample struct {
	value    float64
	g, delta int64
}

// sketch summarizes values so that a value of about any rank can be found: the algorithm of Greenwald and Khanna (2001), with
// the merge of Spark. As long as there are fewer than 1/(2e) values it has all of them, and so is exact.
type sketch struct {
	e       float64 // by how much of their number ranks may be wrong
	count   int64   // of values in samples
	samples []sample
	fresh   []float64 // values that are not in samples yet
}

// How many values wait to be put in together, and how many samples are kept before similar ones are joined; Spark's.
const (
	freshMost   = 50_000
	samplesMost = 10_000
)

func (s *sketch) add(x float64) {
	s.fresh = append(s.fresh, x)
	if len(s.fresh) < freshMost {
		return
	}
	if s.insert(); len(s.samples) >= samplesMost {
		s.join()
	}
}

// insert sorts the fresh values into the samples.
func (s *sketch) insert() {
	slices.SortFunc(s.fresh, compareKeys)
	merged := make([]sample, 0, len(s.samples)+len(s.fresh))
	next := 0
	for i, x := range s.fresh {
		for next < len(s.samples) && compareKeys(s.samples[next].value, x) <= 0 {
			merged = append(merged, s.samples[next])
			next++
		}
		s.count++
		delta := int64(0)
		if len(merged) > 0 && (next < len(s.samples) || i < len(s.fresh)-1) {
			delta = int64(2 * s.e * float64(s.count))
		}
		merged = append(merged, sample{x, 1, delta})
	}
	s.samples = append(merged, s.samples[next:]...)
	s.fresh = s.fresh[:0]
}

// compress brings everything into the samples and joins similar ones.
func (s *sketch) compress() {
	if len(s.fresh) > 0 {
		s.insert()
	}
	s.join()
}

// join goes from the last sample to the first and adds those to their successors that the allowed error does not tell apart.
func (s *sketch) join() {
	if len(s.samples) < 2 {
		return
	}
	most := 2 * s.e * float64(s.count)
	head := s.samples[len(s.samples)-1]
	var kept []sample // from the last to the first
	for i := len(s.samples) - 2; i >= 1; i-- {
		if x := s.samples[i]; float64(x.g+head.g+head.delta) < most {
			head.g += x.g
		} else {
			kept, head = append(kept, head), x
		}
	}
	kept = append(kept, head)
	if least := s.samples[0]; compareKeys(least.value, head.value) <= 0 {
		kept = append(kept, least)
	}
	slices.Reverse(kept)
	s.samples = kept
}

// merge takes another sketch in. Both are compressed.
func (s *sketch) merge(o *sketch) {
	if s.count == 0 || o.count == 0 {
		if s.count == 0 {
			s.count, s.samples = o.count, o.samples
		}
		return
	}
	own, others := int64(2*o.e*float64(o.count)), int64(2*s.e*float64(s.count))
	merged := make([]sample, 0, len(s.samples)+len(o.samples))
	i, j := 0, 0
	for i < len(s.samples) && j < len(o.samples) {
		var x sample
		if compareKeys(s.samples[i].value, o.samples[j].value) < 0 {
			x = s.samples[i]
			if i++; j > 0 {
				x.delta += own
			}
		} else {
			x = o.samples[j]
			if j++; i > 0 {
				x.delta += others
			}
		}
		merged = append(merged, x)
	}
	s.samples = append(append(merged, s.samples[i:]...), o.samples[j:]...)
	s.count += o.count
	s.join()
}

// query finds the values of the shares, in their order, in a sketch that is compressed and not empty.
func (s *sketch) query(shares []float64) []float64 {
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return shares[order[i]] < shares[order[j]] })
	wrong := int64(math.MinInt64)
	for _, x := range s.samples {
		wrong = max(wrong, x.g+x.delta)
	}
	out := make([]float64, len(shares))
	at, rank := 0, s.samples[0].g
	for _, k := range order {
		switch p := shares[k]; {
		case p <= s.e || len(s.samples) == 1:
			out[k] = s.samples[0].value
		case p >= 1-s.e:
			out[k] = s.samples[len(s.samples)-1].value
		default:
			at, rank = s.find(at, rank, wrong/2, int64(math.Ceil(p*float64(s.count))))
			out[k] = s.samples[at].value
		}
	}
	return out
}

// find goes on from a sample, of the least rank given, to the first one whose rank may be the wanted one, give or take wrong.
func (s *sketch) find(at int, rank, wrong, want int64) (int, int64) {
	for ; at < len(s.samples)-1; at++ {
		if rank+s.samples[at].delta-wrong <= want && want <= rank+wrong {
			return at, rank
		}
		rank += s.samples[at+1].g
	}
	return at, rank
}

// quantiles is percentile_approx.
type quantiles struct {
	live
	shares
	typ      columnar.Type
	e        float64
	sketches []*sketch // by group; nil without values
}

func (a *quantiles) Resize(n int) { a.sketches = resized(a.sketches, n) }
func (a *quantiles) Keep(groups columnar.Selection) {
	a.sketches = append([]*sketch(nil), columnar.Keep(a.sketches, groups)...)
}

func (a *quantiles) Bytes() int64 {
	n := sizeOf(a.sketches)
	for _, s := range a.sketches {
		if s != nil {
			n += sizeOf(s.samples) + sizeOf(s.fresh)
		}
	}
	return n
}

func (a *quantiles) sketch(group int32) *sketch {
	if a.sketches[group] == nil {
		a.sketches[group] = &sketch{e: a.e}
	}
	return a.sketches[group]
}

func (a *quantiles) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	groups = a.live.of(groups, inputs[0])
	values := realOf(inputs[0], a.typ)
	for i, g := range groups {
		if g >= 0 {
			a.sketch(g).add(values[i])
		}
	}
	return nil
}

var samplesType = columnar.Array(columnar.Struct(columnar.Field{Name: "value", Type: columnar.Double}, columnar.Field{Name: "g", Type: columnar.BigInt}, columnar.Field{Name: "delta", Type: columnar.BigInt}))

var quantilesState = []columnar.Field{{Name: "count", Type: columnar.BigInt}, {Name: "samples", Type: samplesType}}

func (a *quantiles) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	counts := columnar.FixedValues[int64](state[0])
	offsets, elements := columnar.ListParts(state[1])
	parts := columnar.StructParts(elements)
	values, gs, deltas := columnar.FixedValues[float64](parts[0]), columnar.FixedValues[int64](parts[1]), columnar.FixedValues[int64](parts[2])
	for i, g := range groups {
		if g < 0 || counts[i] == 0 {
			continue
		}
		other := &sketch{e: a.e, count: counts[i]}
		for k := offsets[i]; k < offsets[i+1]; k++ {
			other.samples = append(other.samples, sample{values[k], gs[k], deltas[k]})
		}
		into := a.sketch(g)
		into.compress()
		into.merge(other)
	}
	return nil
}

func (a *quantiles) State(groups columnar.Selection) []columnar.Column {
	var counts, gs, deltas []int64
	var values []float64
	offsets := []int32{0}
	each(groups, len(a.sketches), func(g int32) {
		count := int64(0)
		if s := a.sketches[g]; s != nil {
			s.compress()
			count = s.count
			for _, x := range s.samples {
				values, gs, deltas = append(values, x.value), append(gs, x.g), append(deltas, x.delta)
			}
		}
		counts, offsets = append(counts, count), append(offsets, int32(len(values)))
	})
	samples := columnar.NewStructColumn(samplesType.Elem(), []columnar.Column{columnar.NewFixedColumn(columnar.Double, values, nil),
		columnar.NewInt64Column(gs, nil), columnar.NewInt64Column(deltas, nil)}, len(values), nil)
	return []columnar.Column{columnar.NewInt64Column(counts, nil), columnar.NewArrayColumn(samplesType, offsets, samples, nil)}
}

func (a *quantiles) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	var values []float64
	var set []bool
	each(groups, len(a.sketches), func(g int32) {
		s := a.sketches[g]
		if set = append(set, s != nil && len(a.shares.of) > 0); s == nil {
			values = append(values, make([]float64, len(a.shares.of))...)
			return
		}
		s.compress()
		values = append(values, s.query(a.shares.of)...)
	})
	return a.shares.column(a.typ, values, set), nil
}
