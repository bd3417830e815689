// Package compute evaluates bound SQL expressions over columnar batches, with
// Spark's types, three-valued logic and ANSI errors.
//
// # Model
//
// An [Expr] is an immutable, typed tree made by the constructors of this package;
// each checks its operands, inserts Spark's implicit casts and fails with a
// [*TypeError] or an [*UnknownFunctionError] that the caller places in the text.
// An [Evaluator] owns the scratch memory of one goroutine and runs an Expr over a
// [columnar.Batch] under a [columnar.Selection].
//
// A result column has the length of the batch. Rows outside the selection hold an
// unspecified value of the type, and no expression is ever evaluated for them: a
// CASE branch cannot fail on a row that did not choose it. A row whose evaluation
// fails (ANSI overflow, a bad cast, division by zero) is reported by
// [Evaluator.Errors] and holds NULL in the result.
package compute
