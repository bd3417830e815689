package committer

import "strings"

// Operator describes an operator with state by what its state is made of. docs/formats/state.md says what stands in its files.
type Operator struct {
	// Name in the state files: "0:window_aggregate", the number counted from the sink down.
	Name string `json:"name"`
	// Kind is aggregate, session, dedup or dedup_within.
	Kind string `json:"kind"`
	// Mode is the output mode, for aggregates and sessions: what they keep depends on it.
	Mode string `json:"mode,omitempty"`
	// Keys are what groups are told apart by. The first one of a session is the session.
	Keys  []OperatorKey  `json:"keys"`
	Calls []OperatorCall `json:"calls,omitempty"`
	// Ends says when the watermark ends a row; nil: never.
	Ends *Ends `json:"ends,omitempty"`
}

// OperatorKey is an expression and its type.
type OperatorKey struct {
	SQL  string `json:"sql"`
	Type string `json:"type"`
	// Window is the length of the window, in microseconds, whose start the key is; 0: it is none.
	Window int64 `json:"window,omitempty"`
}

// OperatorCall is an aggregate, the type of its result and those of its inputs.
type OperatorCall struct {
	SQL    string   `json:"sql"`
	Type   string   `json:"type"`
	Inputs []string `json:"inputs"`
}

// Ends says that a row is ended by a watermark of at least the value of a column plus a time, both in microseconds. A NULL never ends.
type Ends struct {
	Column string `json:"column"`
	After  int64  `json:"after"`
}

// Text names the operator for people: "aggregate by window(ts, '10 seconds'), page".
func (o Operator) Text() string {
	return o.text(o.Kind, func(k OperatorKey) string { return k.SQL })
}

// TypedText says all that has to agree for state to stay usable: "aggregate (append) by page STRING".
func (o Operator) TypedText() string {
	head := o.Kind
	if o.Mode != "" {
		head += " (" + o.Mode + ")"
	}
	return o.text(head, func(k OperatorKey) string { return k.SQL + " " + k.Type })
}

func (o Operator) text(head string, key func(OperatorKey) string) string {
	if len(o.Keys) == 0 {
		return head + " of all rows"
	}
	keys := make([]string, len(o.Keys))
	for i, k := range o.Keys {
		keys[i] = key(k)
	}
	return head + " by " + strings.Join(keys, ", ")
}
