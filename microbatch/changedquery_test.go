package microbatch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/committer"
)

// operatorsOf reads "aggregate append by window, k: count, sum | dedup by id".
func operatorsOf(text string) (out []committer.Operator) {
	if text == "" {
		return nil
	}
	for i, part := range strings.Split(text, " | ") {
		part, calls, _ := strings.Cut(part, ": ")
		head, keys, _ := strings.Cut(part, " by ")
		kind, mode, _ := strings.Cut(head, " ")
		o := committer.Operator{Name: fmt.Sprintf("%d:%s", i, kind), Kind: kind, Mode: mode}
		for _, k := range listed(keys) {
			sql, typ, _ := strings.Cut(k, "::")
			o.Keys = append(o.Keys, committer.OperatorKey{SQL: sql, Type: typ})
		}
		for _, c := range listed(calls) {
			sql, input, _ := strings.Cut(c, "::")
			o.Calls = append(o.Calls, committer.OperatorCall{SQL: sql, Type: "BIGINT", Inputs: []string{input}})
		}
		out = append(out, o)
	}
	return out
}

func listed(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// What a query may change and go on with its state.
func TestTakeOver(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"", "", ""},
		{"aggregate append by w, k: n, s", "aggregate append by w, k: n, s", "[0 1] same"},
		{"aggregate append by w, k: n, s", "aggregate append by w, k: s, n", "[1 0]"},
		{"aggregate append by w: n", "aggregate append by w: n, s", "[0 -1]; s is new in aggregate by w: groups that are there already count from now on"},
		{"aggregate append by w: n, s", "aggregate append by w: s", "[1]; n is gone from aggregate by w: its state is dropped"},
		{"aggregate append by w: n", "aggregate append by w: s", "[-1]; s is new in aggregate by w: groups that are there already count from now on; n is gone from aggregate by w: its state is dropped"},
		{"aggregate append by w: n::INT", "aggregate append by w: n::STRING", "[-1]; n is new in aggregate by w: groups that are there already count from now on; n is gone from aggregate by w: its state is dropped"},
		{"aggregate complete: n", "aggregate complete: n, n2", "[0 -1]; n2 is new in aggregate of all rows: groups that are there already count from now on"},
		{"dedup by id", "dedup by id", "[] same"},
		{"aggregate append by w: n | dedup by id", "aggregate append by w: n, m | dedup by id", "[0 -1] [] same; m is new in aggregate by w: groups that are there already count from now on"},
		{"session append by s, k: n", "session append by s, k: m, n", "[-1 0]; m is new in session by s, k: groups that are there already count from now on"},

		{"aggregate append by window::A, k::STRING: n", "aggregate append by window::A: n", "- aggregate (append) by window A, k STRING\n+ aggregate (append) by window A"},
		{"aggregate append by 10s::T, k::STRING: n", "aggregate append by 20s::T, k::STRING: n", "- aggregate (append) by 10s T, k STRING\n+ aggregate (append) by 20s T, k STRING"},
		{"aggregate append by w::T, k::STRING: n", "aggregate append by w::T, k::INT: n", "- aggregate (append) by w T, k STRING\n+ aggregate (append) by w T, k INT"},
		{"aggregate append by w::T, k::S: n", "aggregate append by k::S, w::T: n", "- aggregate (append) by w T, k S\n+ aggregate (append) by k S, w T"},
		{"aggregate append by w::T: n", "aggregate complete by w::T: n", "- aggregate (append) by w T\n+ aggregate (complete) by w T"},
		{"aggregate append by w::T: n", "session append by w::T: n", "- aggregate (append) by w T\n+ session (append) by w T"},
		{"dedup by id::INT", "dedup_within by id::INT", "- dedup by id INT\n+ dedup_within by id INT"},
		{"dedup by id::INT", "", "- dedup by id INT"},
		{"", "dedup by id::INT", "+ dedup by id INT"},
		{"aggregate append by w::T: n", "aggregate append by w::T: n | dedup by id::INT", "  aggregate (append) by w T\n+ dedup by id INT"},
		{"aggregate append by w::T: n | dedup by id::INT", "dedup by id::INT", "- aggregate (append) by w T\n  dedup by id INT"},
		{"aggregate append by a::T: n | aggregate append by b::T: n", "aggregate append by b::T: n | aggregate append by a::T: n", "- aggregate (append) by a T\n- aggregate (append) by b T\n+ aggregate (append) by b T\n+ aggregate (append) by a T"},
	} {
		name := c.was + " -> " + c.is
		list, notes, err := takeOver(operatorsOf(c.was), operatorsOf(c.is))
		if err != nil {
			require.ErrorIs(t, err, committer.ErrRefused, name)
			require.ErrorContains(t, err, ":\n"+c.want+"\nGo back", name)
			continue
		}
		var parts []string
		for _, to := range list {
			parts = append(parts, fmt.Sprint(to.from)+map[bool]string{true: " same"}[to.same])
		}
		require.Equal(t, c.want, strings.Join(append([]string{strings.Join(parts, " ")}, notes...), "; "), name)
	}
}
