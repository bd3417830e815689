package planner

import "github.com/lakewheel/lakewheel/columnar/compute"

// timeMark says what a column is to event time. As the metadata of Spark's columns, a mark goes with a plain reference under any name,
// through subqueries and UNION (where the first query has it), from a time to its window and from a window to window_time.
type timeMark struct {
	event   bool  // an event time, or a window over one
	size    int64 // of a window() that is not a session, in microseconds
	session bool  // a session_window()
}

func (m timeMark) window() bool { return m.size > 0 || m.session }

// marked is an expression whose mark is not that of a column: the STRUCT of a window, the time of one, or a column below a cast
// that does nothing and takes the mark away, as in Spark.
type marked struct {
	expr compute.Expr
	mark timeMark
}

// markOf is the mark of an expression over the columns of the scope.
func (s *scope) markOf(e compute.Expr) timeMark {
	for _, m := range s.marked {
		if m.expr == e {
			return m.mark
		}
	}
	if i, ok := compute.Position(e); ok && i >= 0 {
		return s.columns[i].mark
	}
	return timeMark{}
}

func (s *scope) markAll(list []compute.Expr) []timeMark {
	out := make([]timeMark, len(list))
	for i, e := range list {
		out[i] = s.markOf(e)
	}
	return out
}
