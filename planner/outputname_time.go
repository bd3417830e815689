package planner

import (
	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/compute"
)

// prettyTyped prints a date or a time as its value reads, however it was written.
func prettyTyped(n *literal, t columnar.Type) string {
	if e, err := compute.Cast(compute.Text(n.text), t, false); err == nil {
		if e = compute.Fold(e); compute.Literal(e) {
			return e.String()
		}
	}
	return t.String() + " '" + n.text + "'"
}

// prettyShift prints a time plus or minus a constant interval, which has no parentheses;
// false for anything else.
func prettyShift(n *operation) (string, bool) {
	if len(n.args) != 2 || n.op != "+" && n.op != "-" {
		return "", false
	}
	_, left := n.args[0].(*interval)
	_, right := n.args[1].(*interval)
	switch {
	case right && !left:
		return pretty(n.args[0]) + " " + n.op + " " + pretty(n.args[1]), true
	case left && !right && n.op == "+":
		return pretty(n.args[1]) + " + " + pretty(n.args[0]), true
	}
	return "", false
}

const prettyPattern = "yyyy-MM-dd HH:mm:ss"

// timeDefaults are the arguments that Spark fills in where they are left out.
var timeDefaults = map[string][]string{
	"unix_timestamp": {"current_timestamp()", prettyPattern}, "to_unix_timestamp": {"", prettyPattern}, "from_unixtime": {"", prettyPattern},
	"make_dt_interval": {"0", "0", "0", "0.000000"}, "make_ym_interval": {"0", "0"}, "months_between": {"", "", "true"}, "sort_array": {"", "true"},
}

// otherNames are the functions that Spark names after another.
var otherNames = map[string]string{"dateadd": "date_add", "curdate": "current_date"}

// prettyTimeCall names calls of functions of times that do not print as they are written.
func prettyTimeCall(function string, args []string) (string, []string) {
	switch {
	case otherNames[function] != "":
		function = otherNames[function]
	case function == "datepart" && len(args) == 2, function == "extract" && len(args) == 2:
		args = []string{args[0] + " FROM " + args[1]}
	case function == "convert_timezone" && len(args) == 2:
		args = append([]string{"current_timezone()"}, args...)
	}
	if defaults := timeDefaults[function]; len(args) < len(defaults) {
		args = append(args[:len(args):len(args)], defaults[len(args):]...)
	}
	return function, args
}
