// Package group numbers the distinct keys of rows: GROUP BY, DISTINCT and keyed state.
//
// # Model
//
// An [Index] gives the keys the numbers 0, 1, 2, ... in the order in which they come, so that what belongs to a key can be
// kept in plain slices by its number. NULL is a key of its own, NaN equals NaN and -0.0 equals 0.0. Keys can be of every
// type but MAP, which has no equality.
//
// # Layout
//
// Keys lie behind each other in blocks without pointers. The first columns of fixed width are up to two words of 64 bits. What
// is left is a string of bytes: that of the one STRING or BINARY column, or the columns encoded by rowcode. A hash
// table with open addressing holds the numbers; a slot is the upper half of the hash and the number, and is all that
// growing has to look at.
package group
