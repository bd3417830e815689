// Package timepattern prints and reads timestamps by patterns such as
// "yyyy-MM-dd HH:mm:ss.SSS", in the pattern language of Spark 4, which is Java's
// DateTimeFormatter without what Spark refuses. Texts are English, the zone is UTC.
//
// A Pattern is compiled once and may be used by many goroutines. Neither printing nor
// reading allocates, but for the growth of the output.
package timepattern
