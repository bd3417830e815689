package aggregate

import (
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

// moments are the number of some values, their mean and the sums of the second to fourth powers of their distances from it.
// They are added to and merged with the formulas of Pébay (Sandia report SAND2008-6212), as Spark does.
type moments struct{ n, mean, m2, m3, m4 float64 }

var momentsState = realFields("n", "mean", "m2", "m3", "m4")

func (m *moments) numbers() []*float64 { return []*float64{&m.n, &m.mean, &m.m2, &m.m3, &m.m4} }

func (m *moments) count() float64 { return m.n }

func (m *moments) add(x [2]float64) {
	m.n++
	d := x[0] - m.mean
	dn := d / m.n
	m.mean += dn
	m.m2 += d * (d - dn)
	m.m3 += -3*dn*m.m2 + d*(d*d-dn*dn)
	m.m4 += -4*dn*m.m3 - 6*dn*dn*m.m2 + d*(d*d*d-dn*dn*dn)
}

func (m *moments) merge(o *moments) {
	n1, n2, n := m.n, o.n, m.n+o.n
	d := o.mean - m.mean
	dn := d / n
	m.m4 += o.m4 + dn*dn*dn*d*n1*n2*(n1*n1-n1*n2+n2*n2) + 6*dn*dn*(n1*n1*o.m2+n2*n2*m.m2) + 4*dn*(n1*o.m3-n2*m.m3)
	m.m3 += o.m3 + dn*dn*d*n1*n2*(n1-n2) + 3*dn*(n1*o.m2-n2*m.m2)
	m.m2 += o.m2 + d*dn*n1*n2
	m.mean += dn * n2
	m.n = n
}

func same(x float64) float64 { return x }

// whole divides the squares by their number.
func whole(of func(float64) float64) func(*moments) (float64, error) {
	return func(m *moments) (float64, error) { return of(m.m2 / m.n), nil }
}

// sampled divides the squares by one less than their number.
func sampled(of func(float64) float64) func(*moments) (float64, error) {
	return func(m *moments) (float64, error) {
		if m.n == 1 {
			return 0, errNone
		}
		return of(m.m2 / (m.n - 1)), nil
	}
}

func skewness(m *moments) (float64, error) {
	if m.m2 == 0 {
		return 0, errNone
	}
	return math.Sqrt(m.n) * m.m3 / math.Sqrt(m.m2*m.m2*m.m2), nil
}

func kurtosis(m *moments) (float64, error) {
	if m.m2 == 0 {
		return 0, errNone
	}
	return m.n*m.m4/(m.m2*m.m2) - 3, nil
}

func bindMoments(result func(*moments) (float64, error)) func(c *Call) error {
	return func(c *Call) error {
		if err := c.parameter(0, columnar.Double); err != nil {
			return err
		}
		c.typ = columnar.Double
		c.def = statisticOf(momentsState, result)
		return nil
	}
}
