// Package javaregex matches regular expressions of java.util.regex.Pattern over UTF-8.
//
// # Dialect
//
// Patterns mean what they mean to Java 17: its character classes with unions and
// intersections, its line terminators for ., ^ and $, its flags, lookaround and escapes.
// Back references are refused with an [*UnsupportedError], as are a few rare forms; what
// Java would not compile is refused with a [*SyntaxError].
//
// # Time and memory
//
// Matching backtracks in Java's order but never tries the same place of the program at
// the same place of the text twice, so that its time is bounded by the product of their
// sizes; where lookaround and atomic groups need more, there is a limit. Its memory is
// bounded too: [ErrTooLarge] says that a text is too long for a pattern.
//
// # UTF-16
//
// Java counts in UTF-16 units, and its empty matches and searches can stop between the two
// units of a character beyond U+FFFF. A [Matcher] does the same: see [Span].
package javaregex
