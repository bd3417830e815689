package microbatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/committer"
)

// takeover says how an operator continues with the state of one of an earlier query.
type takeover struct {
	stored string // its name in the files
	// from is the position that each call had, -1 for a new one.
	from []int
	// same: nothing has changed, and the files can stay as they are.
	same bool
}

// takeOver decides whether the operators of a query can go on with the state of an earlier query, and how. What changes without
// changing the meaning of state is accepted; notes say what a user has to know of it. The error, ErrRefused, shows what differs.
func takeOver(was, is []committer.Operator) (list []takeover, notes []string, err error) {
	if !slices.EqualFunc(was, is, sameState) {
		return nil, nil, fmt.Errorf("%w: the query cannot go on with the state beside the table; its operators as they were (-) and as they are (+):\n%s\n%s", committer.ErrRefused, operatorsDiff(was, is), changedWayOut)
	}
	for i := range is {
		t := takeover{stored: was[i].Name, same: len(was[i].Calls) == len(is[i].Calls)}
		for at, c := range is[i].Calls {
			from := slices.IndexFunc(was[i].Calls, func(o committer.OperatorCall) bool { return sameCall(o, c) })
			t.from, t.same = append(t.from, from), t.same && from == at
			if from < 0 {
				notes = append(notes, fmt.Sprintf("%s is new in %s: groups that are there already count from now on", c.SQL, is[i].Text()))
			}
		}
		for _, o := range was[i].Calls {
			if !slices.ContainsFunc(is[i].Calls, func(c committer.OperatorCall) bool { return sameCall(o, c) }) {
				notes = append(notes, fmt.Sprintf("%s is gone from %s: its state is dropped", o.SQL, is[i].Text()))
			}
		}
		list = append(list, t)
	}
	return list, notes, nil
}

const changedWayOut = "Go back to the query as it was, or give the pipeline another name and another table: it then starts afresh, from where `start` of its sources says."

// sameState reports whether state of one operator means the same for another one, but for the calls.
func sameState(a, b committer.Operator) bool {
	return a.Kind == b.Kind && a.Mode == b.Mode && slices.Equal(a.Keys, b.Keys)
}

func sameCall(a, b committer.OperatorCall) bool {
	return a.SQL == b.SQL && a.Type == b.Type && slices.Equal(a.Inputs, b.Inputs)
}

// OtherRows says how the stateful operators of a query differ from earlier ones in what a row of the result stands for, "" if they do not: other aggregates
// of the same groups are other values of the same rows.
func OtherRows(was, is []committer.Operator) string {
	if slices.EqualFunc(was, is, sameState) {
		return ""
	}
	return operatorsDiff(was, is)
}

// operatorsDiff is a line for each operator: those that are gone begin with "-", those that have come with "+".
func operatorsDiff(was, is []committer.Operator) string {
	first := 0
	for first < len(was) && first < len(is) && sameState(was[first], is[first]) {
		first++
	}
	last := 0
	for last < min(len(was), len(is))-first && sameState(was[len(was)-1-last], is[len(is)-1-last]) {
		last++
	}
	var lines []string
	add := func(mark string, list []committer.Operator) {
		for _, o := range list {
			lines = append(lines, mark+o.TypedText())
		}
	}
	add("  ", is[:first])
	add("- ", was[first:len(was)-last])
	add("+ ", is[first:len(is)-last])
	add("  ", is[len(is)-last:])
	return strings.Join(lines, "\n")
}
