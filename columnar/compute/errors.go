package compute

import (
	"fmt"
	"strings"
)

// UnknownFunctionError says that no function has the name; Suggestions are the
// closest known names, best first.
type UnknownFunctionError struct {
	Name        string
	Suggestions []string
}

// Error implements error.
func (e *UnknownFunctionError) Error() string {
	text := fmt.Sprintf("[UNRESOLVED_ROUTINE] there is no function %s", e.Name)
	if len(e.Suggestions) > 0 {
		text += fmt.Sprintf("; did you mean %s?", e.Suggestions[0])
	}
	return text
}

// TypeError says that operands do not fit an expression. Condition is Spark's name
// for it, such as "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES".
type TypeError struct {
	Condition, Message string
}

// Error implements error.
func (e *TypeError) Error() string { return "[" + e.Condition + "] " + e.Message }

// EvalError says why an expression failed on one row. Condition is Spark's name for it.
type EvalError struct {
	Condition, Message string
}

// Error implements error.
func (e *EvalError) Error() string { return "[" + e.Condition + "] " + e.Message }

// placedError is the failure of a row with the expression that failed.
type placedError struct {
	err  error
	text string
}

// Error implements error.
func (e *placedError) Error() string {
	if e.text == "" {
		return e.err.Error()
	}
	return e.err.Error() + " In " + e.text + "."
}

// Unwrap gives the *EvalError.
func (e *placedError) Unwrap() error { return e.err }

// clippedText keeps the text of an expression short.
func clippedText(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

func mismatch(condition, format string, args ...any) error {
	return &TypeError{Condition: "DATATYPE_MISMATCH." + condition, Message: fmt.Sprintf(format, args...)}
}

func wrongCount(name, want string, got int) error {
	return &TypeError{Condition: "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
		Message: fmt.Sprintf("%s requires %s parameters but the actual number is %d.", name, want, got)}
}

func binaryDiffTypes(op string, l, r Expr) error {
	return mismatch("BINARY_OP_DIFF_TYPES", "(%s %s %s): the operands have incompatible types %s and %s.", l, op, r, l.Type(), r.Type())
}

func binaryWrongType(op, want string, l, r Expr) error {
	return mismatch("BINARY_OP_WRONG_TYPE", "(%s %s %s): the operator requires %s, not %s.", l, op, r, want, l.Type())
}

func unexpectedInput(name string, position int, want string, arg Expr) error {
	return mismatch("UNEXPECTED_INPUT_TYPE", "%s: parameter %d requires the %s type, however %s has the type %s.", name, position+1, want, arg, arg.Type())
}
