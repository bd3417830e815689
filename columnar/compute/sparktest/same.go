package sparktest

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// SameCell reports whether two values of a type are the same; a floating point number may
// differ in the last digit, which the functions of Java and Go round differently.
func SameCell(got, want string, t columnar.Type) bool {
	if SameJSON(got, want) {
		return true
	}
	if t != columnar.Double && t != columnar.Float {
		return false
	}
	a, errA := strconv.ParseFloat(strings.Trim(got, `"`), 64)
	b, errB := strconv.ParseFloat(strings.Trim(want, `"`), 64)
	return errA == nil && errB == nil && (a == b || math.Abs(a-b) <= 1e-15*math.Abs(b))
}

// SameJSON reports whether two JSON texts have the same value.
func SameJSON(a, b string) bool {
	x, errX := decoded(a)
	y, errY := decoded(b)
	return errX == nil && errY == nil && equalValues(x, y)
}

// decoded keeps numbers as they are written, so that a BIGINT keeps all its digits.
func decoded(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// equalValues compares decoded JSON; a number may stand as text on one side.
func equalValues(x, y any) bool {
	switch a := x.(type) {
	case []any:
		b, ok := y.([]any)
		return ok && len(a) == len(b) && allEqual(a, b)
	case map[string]any:
		b, ok := y.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if v, has := b[k]; !has || !equalValues(a[k], v) {
				return false
			}
		}
		return true
	case json.Number:
		return equalNumber(a, y)
	}
	if b, ok := y.(json.Number); ok {
		return equalNumber(b, x)
	}
	return x == y
}

func equalNumber(n json.Number, other any) bool {
	text, ok := other.(string)
	if m, isNumber := other.(json.Number); isNumber {
		text, ok = m.String(), true
	}
	if !ok || text == n.String() {
		return ok
	}
	if !strings.ContainsAny(text+n.String(), ".eE") {
		return false
	}
	a, errA := n.Float64()
	b, errB := strconv.ParseFloat(text, 64)
	return errA == nil && errB == nil && a == b
}

func allEqual(a, b []any) bool {
	for i := range a {
		if !equalValues(a[i], b[i]) {
			return false
		}
	}
	return true
}
