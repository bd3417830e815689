package scenario

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/planner"
)

// updateMode finds the output mode that goes to the console where a script names no sink.
var updateMode = regexp.MustCompile(`(?m)^output_mode: *update`)

// parse reads a pipeline file; a fault of it is output, not a failure of the script. Without a sink it gets a table, or the
// console in update mode.
func parse(text string) (p *config.Pipeline, fault string, err error) {
	switch {
	case strings.Contains(text, "\nsink:"):
	case updateMode.MatchString(text):
		text += "\nsink: {console: {}}\n"
	default:
		text += "\nsink: {delta: {path: table}}\n"
	}
	p, err = config.Parse("pipeline", text, func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, errorText(err), nil
	}
	for _, s := range p.Sources {
		if s.Kafka != nil {
			return nil, "", fmt.Errorf("the source %s of a scenario is memory: {}", s.Name)
		}
	}
	if p.Sink.Console {
		keepConsole(p)
	}
	return p, "", nil
}

// keepConsole gives a pipeline that prints a table of what it printed, since only a table keeps position and state from one
// run to the next.
func keepConsole(p *config.Pipeline) {
	p.Sink = config.Sink{Path: "console"}
	p.DeadLetter = "console_dead_letter"
}

// sorts reports whether a query gives its result an order.
func sorts(n planner.PhysicalNode) bool {
	if _, ok := n.(*planner.SortExec); ok {
		return true
	}
	for _, in := range n.Inputs() {
		if sorts(in) {
			return true
		}
	}
	return false
}

func errorText(err error) string {
	return "error: " + strings.ReplaceAll(err.Error(), "\n", "\nerror: ")
}
