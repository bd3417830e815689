// Package planner turns SQL text in Spark's dialect into a physical plan. It runs
// nothing and knows no connector.
//
// # Model
//
// text → tokens → syntax tree → bound logical plan → rules → physical plan
//
// The parser reads more of the dialect than can be bound, so that what is not
// supported is refused by name and not as a syntax error. Binding resolves names
// against a [Catalog], checks types by the constructors of columnar/compute and names
// the output columns as Spark does. Rules rewrite the logical plan until none changes
// it. The physical plan is a tree of chains between operators with state: see [PhysicalNode].
//
// Expressions over groups are bound over the rows that are grouped and lifted above the groups when all keys and
// aggregates are known. Which columns are event times, and so bound state, is known by marks that go with columns as Spark's
// metadata does. What a stream cannot give in an output mode is refused by Spark's rules.
//
// Every fault is an [*Error] with its place in the text. Planning is deterministic:
// the same text and catalog give the same plans, and every plan prints as a tree.
package planner
