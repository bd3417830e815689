package aggregate

import (
	"math"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// pairs are the number of some pairs (x, y), the means, and the sums of the products of their distances from them. The
// functions regr_ name their arguments the other way round: what they call y comes first and is x here.
type pairs struct{ n, x, y, xy, xx, yy float64 }

var pairsState = realFields("n", "x", "y", "xy", "xx", "yy")

func (p *pairs) numbers() []*float64 {
	return []*float64{&p.n, &p.x, &p.y, &p.xy, &p.xx, &p.yy}
}

func (p *pairs) count() float64 { return p.n }

func (p *pairs) add(v [2]float64) {
	p.n++
	dx, dy := v[0]-p.x, v[1]-p.y
	p.x += dx / p.n
	p.y += dy / p.n
	p.xy += dx * (v[1] - p.y)
	p.xx += dx * (v[0] - p.x)
	p.yy += dy * (v[1] - p.y)
}

func (p *pairs) merge(o *pairs) {
	n := p.n + o.n
	dx, dy, weight := o.x-p.x, o.y-p.y, p.n*o.n/n
	p.xy += o.xy + dx*dy*weight
	p.xx += o.xx + dx*dx*weight
	p.yy += o.yy + dy*dy*weight
	p.x += dx * o.n / n
	p.y += dy * o.n / n
	p.n = n
}

func covarPop(p *pairs) (float64, error) { return p.xy / p.n, nil }

func covarSamp(p *pairs) (float64, error) {
	if p.n == 1 {
		return 0, errNone
	}
	return p.xy / (p.n - 1), nil
}

// corr fails, as in Spark, if all values of one side are equal.
func corr(p *pairs) (float64, error) {
	squares := p.xx * p.yy
	switch {
	case p.n == 1:
		return 0, errNone
	case squares == 0:
		return 0, errDivideByZero
	}
	return p.xy / math.Sqrt(squares), nil
}

var errDivideByZero = &compute.EvalError{Condition: "DIVIDE_BY_ZERO", Message: "Division by zero: all values of an argument are equal."}

// slope of the line y(x).
func slope(p *pairs) (float64, error) {
	if p.yy == 0 {
		return 0, errNone
	}
	return p.xy / p.yy, nil
}

func intercept(p *pairs) (float64, error) {
	m, err := slope(p)
	return p.x - m*p.y, err
}

func determination(p *pairs) (float64, error) {
	switch {
	case p.xx == 0:
		return 0, errNone
	case p.yy == 0:
		return 1, nil
	}
	return p.xy * p.xy / (p.xx * p.yy), nil
}

func bindPairs(result func(*pairs) (float64, error)) func(c *Call) error {
	return func(c *Call) error {
		if err := c.reals(); err != nil {
			return err
		}
		c.typ = columnar.Double
		c.def = statisticOf(pairsState, result)
		return nil
	}
}

func bindRegrCount(c *Call) error {
	if err := c.numbers(); err != nil {
		return err
	}
	return bindCount(c)
}

// bindPairMean is the mean of one argument over the rows in which neither is NULL.
func bindPairMean(arg int) func(c *Call) error {
	return func(c *Call) error {
		if err := c.numbers(); err != nil {
			return err
		}
		mean, t := avgOf(c.inputs[arg].Type(), false)
		c.def, c.typ = mean, t
		c.def.make = func() Accumulator { return &pairMean{Accumulator: mean.make(), arg: arg} }
		return nil
	}
}

type pairMean struct {
	Accumulator
	live
	arg int
}

func (a *pairMean) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	return a.Accumulator.Update(a.of(groups, inputs...), inputs[a.arg:a.arg+1])
}

// numbers casts strings and NULL to DOUBLE and refuses what is no number.
func (c *Call) numbers() error {
	for k, e := range c.inputs {
		switch t := e.Type(); {
		case t.Numeric():
		case t == columnar.Null, t == columnar.String:
			c.inputs[k] = compute.Implicit(e, columnar.Double)
		default:
			return compute.UnexpectedInput(c.name, k, "NUMERIC", e)
		}
	}
	return nil
}

// reals casts all arguments to DOUBLE.
func (c *Call) reals() error {
	for k := range c.inputs {
		if err := c.parameter(k, columnar.Double); err != nil {
			return err
		}
	}
	return nil
}
