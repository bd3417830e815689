package compute

import (
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// FunctionInfo describes a function for people.
type FunctionInfo struct {
	Name, Signature, Summary, Example string
}

// function binds calls of one name.
type function struct {
	info        FunctionInfo
	least, most int // arguments; most -1: any number
	bind        func(args []Expr) (Expr, error)
}

// operators are called by their symbol; they are not listed as functions.
var operators = map[string]function{}

// functions by lower-case name.
var functions = map[string]function{}

func init() {
	for _, op := range []string{"+", "-", "*", "/", "%", "div"} {
		operators[op] = function{least: 2, most: 2, bind: func(a []Expr) (Expr, error) { return bindArithmetic(op, a) }}
	}
	for op := range relations {
		operators[op] = function{least: 2, most: 2, bind: func(a []Expr) (Expr, error) { return bindComparison(op, a) }}
	}
	operators["and"] = function{least: 2, most: 2, bind: func(a []Expr) (Expr, error) { return bindLogic("AND", a) }}
	operators["or"] = function{least: 2, most: 2, bind: func(a []Expr) (Expr, error) { return bindLogic("OR", a) }}
	operators["not"] = function{least: 1, most: 1, bind: bindNot}
	operators["negate"] = function{least: 1, most: 1, bind: bindNegate}
	operators["in"] = function{least: 2, most: -1, bind: bindIn}
	operators["like"] = function{least: 2, most: 3, bind: bindLike}
	operators["||"] = function{least: 2, most: 2, bind: bindConcat}
	for _, list := range [][]function{conditionalFunctions, mathFunctions, textFunctions, timeFunctions} {
		for _, f := range list {
			functions[f.info.Name] = f
		}
	}
}

// Call makes an operator or function call. name is in lower case; the errors are *UnknownFunctionError and *TypeError.
func Call(name string, args ...Expr) (Expr, error) {
	f, ok := operators[name]
	if !ok {
		f, ok = functions[name]
	}
	if !ok {
		return nil, &UnknownFunctionError{Name: name, Suggestions: closest(name)}
	}
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		return nil, wrongCount(name, f.count(), len(args))
	}
	return f.bind(args)
}

func (f function) count() string {
	switch {
	case f.most < 0:
		return "at least " + digits(f.least)
	case f.most > f.least:
		return digits(f.least) + " to " + digits(f.most)
	}
	return digits(f.least)
}

func digits(n int) string { return string(columnar.AppendDecimal(nil, exp10(0).SetInt64(int64(n)), 0)) }

// Functions lists all functions by name.
func Functions() []FunctionInfo {
	var out []FunctionInfo
	for _, f := range functions {
		out = append(out, f.info)
	}
	slices.SortFunc(out, func(a, b FunctionInfo) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// closest are the function names within two edits, nearest first.
func closest(name string) []string {
	type near struct {
		name     string
		distance int
	}
	var list []near
	for known := range functions {
		if d := edits(name, known); d <= 2 {
			list = append(list, near{known, d})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, n := range list {
		out = append(out, n.name)
	}
	return out
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
