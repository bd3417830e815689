// Package sqltext reads and prints values as Spark does: DATE, TIMESTAMP, DECIMAL,
// numbers and BOOLEAN from and to text. Both the JSON decoder and the CAST kernels
// stand on it. All functions take the text as bytes, allocate nothing on the usual
// path and know one time zone, UTC.
package sqltext
