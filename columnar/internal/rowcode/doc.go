// Package rowcode writes rows of columns as bytes and reads them back.
//
// # Order
//
// Codes compare as the rows do under ORDER BY: NULL first, NaN last, arrays and structs part by part. Equal codes are equal
// rows, and no code is the beginning of another one of the same types.
//
// # Format
//
// A value is the byte 0 for NULL, or 1 and the following. Numbers, times and intervals: big-endian, with the sign bit turned
// over; a floating-point number that is negative has all its bits turned over. STRING and BINARY: the
// bytes, with 0 as 0 255, and 0 0. ARRAY: each element behind a byte 1, and the byte 0. MAP: as an ARRAY of keys and values.
// STRUCT: its fields.
package rowcode
