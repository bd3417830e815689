package aggregate

import (
	"errors"
	"math"

	"github.com/lakewheel/lakewheel/columnar"
)

var statisticFunctions = []function{
	entry("stddev", "stddev(a)", "Standard deviation of a sample.", "stddev(a)", 1, 1, bindMoments(sampled(math.Sqrt))),
	entry("std", "std(a)", "Standard deviation of a sample.", "std(a)", 1, 1, bindMoments(sampled(math.Sqrt))),
	entry("stddev_samp", "stddev_samp(a)", "Standard deviation of a sample.", "stddev_samp(a)", 1, 1, bindMoments(sampled(math.Sqrt))),
	entry("stddev_pop", "stddev_pop(a)", "Standard deviation of the whole.", "stddev_pop(a)", 1, 1, bindMoments(whole(math.Sqrt))),
	entry("variance", "variance(a)", "Variance of a sample.", "variance(a)", 1, 1, bindMoments(sampled(same))),
	entry("var_samp", "var_samp(a)", "Variance of a sample.", "var_samp(a)", 1, 1, bindMoments(sampled(same))),
	entry("var_pop", "var_pop(a)", "Variance of the whole.", "var_pop(a)", 1, 1, bindMoments(whole(same))),
	entry("skewness", "skewness(a)", "Skewness.", "skewness(a)", 1, 1, bindMoments(skewness)),
	entry("kurtosis", "kurtosis(a)", "Excess kurtosis.", "kurtosis(a)", 1, 1, bindMoments(kurtosis)),
	entry("covar_pop", "covar_pop(a, b)", "Covariance of the whole.", "covar_pop(a, b)", 2, 2, bindPairs(covarPop)),
	entry("covar_samp", "covar_samp(a, b)", "Covariance of a sample.", "covar_samp(a, b)", 2, 2, bindPairs(covarSamp)),
	entry("corr", "corr(a, b)", "Correlation, from -1 to 1.", "corr(a, b)", 2, 2, bindPairs(corr)),
	entry("regr_count", "regr_count(y, x)", "Number of rows in which neither argument is NULL.", "regr_count(a, b)", 2, 2, bindRegrCount),
	entry("regr_avgx", "regr_avgx(y, x)", "Mean of x.", "regr_avgx(a, b)", 2, 2, bindPairMean(1)),
	entry("regr_avgy", "regr_avgy(y, x)", "Mean of y.", "regr_avgy(a, b)", 2, 2, bindPairMean(0)),
	entry("regr_sxx", "regr_sxx(y, x)", "Sum of the squares of the distances of x from its mean.", "regr_sxx(a, b)", 2, 2, bindPairs(func(p *pairs) (float64, error) { return p.yy, nil })),
	entry("regr_syy", "regr_syy(y, x)", "Sum of the squares of the distances of y from its mean.", "regr_syy(a, b)", 2, 2, bindPairs(func(p *pairs) (float64, error) { return p.xx, nil })),
	entry("regr_sxy", "regr_sxy(y, x)", "Sum of the products of the distances from the means.", "regr_sxy(a, b)", 2, 2, bindPairs(func(p *pairs) (float64, error) { return p.xy, nil })),
	entry("regr_slope", "regr_slope(y, x)", "Slope of the line through the points.", "regr_slope(a, b)", 2, 2, bindPairs(slope)),
	entry("regr_intercept", "regr_intercept(y, x)", "Where the line through the points meets x = 0.", "regr_intercept(a, b)", 2, 2, bindPairs(intercept)),
	entry("regr_r2", "regr_r2(y, x)", "Coefficient of determination of the line through the points.", "regr_r2(a, b)", 2, 2, bindPairs(determination)),
}

// summary is what a statistic is computed of.
type summary[S any] interface {
	*S
	// add takes a value, or a pair of values, in.
	add(x [2]float64)
	// merge takes in what another one holds; neither is empty.
	merge(o *S)
	count() float64
	// numbers are the columns of the state.
	numbers() []*float64
}

func realFields(names ...string) []columnar.Field {
	fields := make([]columnar.Field, len(names))
	for k, name := range names {
		fields[k] = columnar.Field{Name: name, Type: columnar.Double}
	}
	return fields
}

func statisticOf[S any, P summary[S]](state []columnar.Field, result func(*S) (float64, error)) definition {
	return definition{state: state, make: func() Accumulator { return &statistic[S, P]{width: len(state), result: result} }}
}

// errNone is the NULL of a statistic that needs more, or other, values.
var errNone = errors.New("no result")

// statistic computes a DOUBLE of the summary of a group: NULL of no rows, or if the result is errNone.
type statistic[S any, P summary[S]] struct {
	live
	groups []S
	width  int // columns of the state
	result func(*S) (float64, error)
}

func (a *statistic[S, P]) Resize(n int)                   { a.groups = resized(a.groups, n) }
func (a *statistic[S, P]) Keep(groups columnar.Selection) { a.groups = columnar.Keep(a.groups, groups) }
func (a *statistic[S, P]) Bytes() int64                   { return sizeOf(a.groups) }

func (a *statistic[S, P]) Update(groups []int32, inputs []columnar.Column) []columnar.RowError {
	x := columnar.FixedValues[float64](inputs[0])
	y := columnar.FixedValues[float64](inputs[len(inputs)-1])
	for i, g := range a.of(groups, inputs...) {
		if g >= 0 {
			P(&a.groups[g]).add([2]float64{x[i], y[i]})
		}
	}
	return nil
}

func (a *statistic[S, P]) Merge(groups []int32, state []columnar.Column) []columnar.RowError {
	columns := make([][]float64, len(state))
	for k, c := range state {
		columns[k] = columnar.FixedValues[float64](c)
	}
	for i, g := range groups {
		if g < 0 {
			continue
		}
		var other S
		for k, number := range P(&other).numbers() {
			*number = columns[k][i]
		}
		switch into := P(&a.groups[g]); {
		case P(&other).count() == 0:
		case into.count() == 0:
			a.groups[g] = other
		default:
			into.merge(&other)
		}
	}
	return nil
}

func (a *statistic[S, P]) State(groups columnar.Selection) []columnar.Column {
	columns := make([][]float64, a.width)
	each(groups, len(a.groups), func(g int32) {
		for k, number := range P(&a.groups[g]).numbers() {
			columns[k] = append(columns[k], *number)
		}
	})
	out := make([]columnar.Column, a.width)
	for k, values := range columns {
		out[k] = columnar.NewFixedColumn(columnar.Double, values, nil)
	}
	return out
}

func (a *statistic[S, P]) Result(groups columnar.Selection) (columnar.Column, []columnar.RowError) {
	n := groups.Len(len(a.groups))
	values, set := make([]float64, 0, n), make([]bool, 0, n)
	var failed []columnar.RowError
	each(groups, len(a.groups), func(g int32) {
		x, err := 0.0, errNone
		if s := P(&a.groups[g]); s.count() > 0 {
			x, err = a.result((*S)(s))
		}
		if err != nil && err != errNone {
			failed = append(failed, columnar.RowError{Row: int32(len(values)), Err: err})
		}
		values, set = append(values, x), append(set, err == nil)
	})
	return columnar.NewFixedColumn(columnar.Double, values, set), failed
}
