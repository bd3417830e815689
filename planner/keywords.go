package planner

import "strings"

// reserved are the words that are never a bare name: the clauses and the operators.
var reserved = wordSet(`select from where group having order limit union except intersect
	join inner left right full cross natural on using lateral and or not case when then else end
	as in between like ilike rlike is null true false distinct with`)

// afterTable are words that may be names but are not an alias without AS, because they
// begin what follows a table.
var afterTable = wordSet("offset minus qualify sort cluster distribute semi anti window tablesample pivot unpivot")

// clauseWords are offered when an unexpected word looks like a slip.
var clauseWords = strings.Fields(`SELECT FROM WHERE GROUP HAVING ORDER LIMIT UNION JOIN LEFT INNER ON
	AND OR NOT LIKE BETWEEN IN IS CASE WHEN THEN ELSE END AS BY WITH DISTINCT`)

// otherStatements are the first words of statements that a pipeline does not run.
var otherStatements = wordSet(`create drop alter insert update delete merge set reset use describe desc show explain
	truncate refresh cache uncache analyze load msck repair grant revoke declare call optimize vacuum begin execute add`)

// aggregates are the functions that need groups.
var aggregates = wordSet(`count sum avg mean min max first first_value last last_value any_value any some every bool_and bool_or
	count_if approx_count_distinct collect_list collect_set array_agg max_by min_by mode median percentile percentile_approx
	approx_percentile stddev stddev_pop stddev_samp std variance var_pop var_samp corr covar_pop covar_samp skewness kurtosis
	bit_and bit_or bit_xor try_sum try_avg listagg string_agg grouping grouping_id histogram_numeric
	count_min_sketch regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

func isReserved(word string) bool { return reserved[strings.ToLower(word)] }
