package aggregate

import (
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

var sketchFunctions = []function{
	entry("approx_count_distinct", "approx_count_distinct(a[, rsd])", "About how many distinct values there are (HyperLogLog++), with the relative standard deviation rsd, 0.05.", "approx_count_distinct(a, 0.02)", 1, 2, bindHLL),
}

// The registers of a sketch: precision p makes 1<<p of them, a byte each.
const (
	leastPrecision   = 4
	mostPrecision    = 24
	defaultDeviation = 0.05
)

func bindHLL(c *Call) error {
	p, err := c.precision()
	if err != nil {
		return err
	}
	t := c.stored(0)
	if err := c.comparable(t); err != nil {
		return err
	}
	hash, err := compute.Call("xxhash64", compute.Column(0, "a", t, true))
	if err != nil {
		return err
	}
	c.typ, c.nullable = columnar.BigInt, false
	c.def = definition{
		idempotent: true,
		state:      []columnar.Field{{Name: "registers", Type: columnar.Binary, Nullable: true}},
		make:       func() Accumulator { return newHLL(p, t, hash) },
	}
	return nil
}

// precision takes the deviation off the arguments, which has to be a DOUBLE or DECIMAL literal, as in Spark.
func (c *Call) precision() (int, error) {
	rsd := defaultDeviation
	if len(c.inputs) > 1 {
		value, ok := constantOf(c.inputs[1])
		t := c.inputs[1].Type()
		if !ok || t != columnar.Double && t != columnar.Float && t.Kind != columnar.DecimalKind || value.IsNull(0) {
			return 0, &compute.TypeError{Condition: "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", Message: "The second argument of " + c.name + " should be a double literal, not " + c.inputs[1].String() + "."}
		}
		rsd = realOf(value, t)[0]
		c.inputs = c.inputs[:1]
	}
	p := math.Ceil(2 * math.Log2(1.106/rsd))
	if p >= leastPrecision && p <= mostPrecision {
		return int(p), nil
	}
	return 0, &compute.TypeError{Condition: "FAILED_FUNCTION_CALL", Message: fmt.Sprintf("The relative standard deviation of %s is %g; it has to be from 0.0003 to 0.39.", c.name, rsd)}
}

// hll counts distinct values with the algorithm of Heule, Nunkesser and Hall, "HyperLogLog in Practice" (2013), and as Spark does:
// of the hash xxhash64 of a value the first p bits choose a register, which keeps the longest run of zeros that follow.
type hll struct {
	live
	p         int
	registers []byte  // of the groups that have a value
	at        []int32 // by group: where its registers begin, in units of 1<<p, plus 1; 0 if it has none
	schema    *columnar.Schema
	hash      compute.Expr
	ev        *compute.Evaluator
}

func newHLL(p int, t columnar.Type, hash compute.Expr) *hll {
	schema := columnar.NewSchema(columnar.Field{Name: "a", Type: t, Nullable: true})
	return &hll{p: p, schema: schema, hash: hash, ev: compute.NewDefaultEvaluator()}
}

func (a *hll) Resize(n int) { a.at = resized(a.at, n) }

func (a *hll) Bytes() int64 { return sizeOf(a.registers) + sizeOf(a.at) }

// of returns the registers of a group, of which it may be the first value.
func (a *hll) of(group int32) []byte {
	if a.at[group] == 0 {
		a.registers = append(a.registers, make([]byte, 1<<a.p)...)
		a.at[group] = int32(len(a.registers) >> a.p)
	}
	return a.block(a.at[group])
}

func (a *hll) block(at int32) []byte { return a.registers[int(at-1)<<a.p:][:1<<a.p] }

func (a *hll) Keep(groups columnar.Selection) {
	registers, at := []byte{}, make([]int32, len(groups))
	for i, g := range groups {
		if a.at[g] != 0 {
			registers = append(registers, a.block(a.at[g])...)
			at[i] = int32(len(registers) >> a.p)
		}
	}
	a.registers, a.at = registers, at
}

func (a *hll) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	inputs[0].Retain()
	b := columnar.NewBatch(a.schema, inputs[:1:1], inputs[0].Len())
	defer b.Release()
	c, err := a.ev.Eval(a.hash, b, nil)
	if err != nil {
		return []columnar.RowError{{Err: err}}
	}
	defer c.Release()
	hashes := columnar.FixedValues[int64](c)
	for i, g := range a.live.of(groups, inputs[0]) {
		if g < 0 {
			continue
		}
		h := uint64(hashes[i])
		run := uint8(bits.LeadingZeros64(h<<a.p|1<<(a.p-1)) + 1)
		if r := a.of(g); run > r[h>>(64-a.p)] {
			r[h>>(64-a.p)] = run
		}
	}
	return nil
}

func (a *hll) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	for i, g := range a.live.of(groups, state[0]) {
		if g < 0 {
			continue
		}
		into := a.of(g)
		for k, run := range columnar.BinaryAt(state[0], i) {
			into[k] = max(into[k], run)
		}
	}
	return nil
}

func (a *hll) State(groups columnar.Selection) []columnar.Column {
	b := columnar.BinaryBuffer{}
	each(groups, len(a.at), func(g int32) {
		if a.at[g] == 0 {
			b.AppendNull()
		} else {
			b.Append(a.block(a.at[g]))
		}
	})
	return []columnar.Column{b.Finish()}
}

func (a *hll) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	counts := make([]int64, 0, groups.Len(len(a.at)))
	each(groups, len(a.at), func(g int32) {
		n := int64(0)
		if a.at[g] != 0 {
			n = estimate(a.block(a.at[g]), a.p)
		}
		counts = append(counts, n)
	})
	return columnar.NewInt64Column(counts, nil), nil
}

// linearUntil is for each precision from 4 on up to which count the number of empty registers is the better estimate.
var linearUntil = [...]float64{10, 20, 40, 80, 220, 400, 900, 1800, 3100, 6500, 15500, 20000, 50000, 120000, 350000}

// estimate counts the values that made the registers.
func estimate(registers []byte, p int) int64 {
	m, inverse, empty := float64(len(registers)), 0.0, 0
	for _, run := range registers {
		inverse += 1 / float64(uint64(1)<<run)
		if run == 0 {
			empty++
		}
	}
	raw, tabled := alpha(p, m)*m*m/inverse, p-leastPrecision < len(linearUntil)
	if empty > 0 {
		linear := m * math.Log(m/float64(empty))
		if tabled && linear <= linearUntil[p-leastPrecision] || raw <= 2.5*m {
			return nearest(linear)
		}
	}
	if tabled && raw < 5*m {
		raw -= bias(raw, p)
	}
	return nearest(raw)
}

func nearest(x float64) int64 { return int64(math.Floor(x + 0.5)) }

// alpha corrects the harmonic mean of m registers.
func alpha(p int, m float64) float64 {
	switch p {
	case 4:
		return 0.673
	case 5:
		return 0.697
	case 6:
		return 0.709
	}
	return 0.7213 / (1 + 1.079/m)
}

// biasText has a line for each precision from 4 on: raw estimates, ascending, each with how much it is too large on
// average, as the authors of the algorithm measured.
//
//go:embed hll_bias.txt
var biasText string

type biases struct{ raw, bias []float64 }

var biasTables = sync.OnceValue(func() []biases {
	var tables []biases
	for _, line := range strings.Split(strings.TrimSpace(biasText), "\n") {
		var t biases
		for _, pair := range strings.Fields(line) {
			raw, bias, _ := strings.Cut(pair, ":")
			t.raw, t.bias = append(t.raw, mustFloat(raw)), append(t.bias, mustFloat(bias))
		}
		tables = append(tables, t)
	}
	return tables
})

func mustFloat(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// bias is the mean of the biases of the six raw estimates that are nearest.
func bias(raw float64, p int) float64 {
	const near = 6
	t := biasTables()[p-leastPrecision]
	low := max(sort.SearchFloat64s(t.raw, raw)-near+1, 0)
	high := min(low+near, len(t.raw))
	for high < len(t.raw) && math.Abs(raw-t.raw[high]) < math.Abs(raw-t.raw[low]) {
		low, high = low+1, high+1
	}
	sum := 0.0
	for _, b := range t.bias[low:high] {
		sum += b
	}
	return sum / float64(high-low)
}
