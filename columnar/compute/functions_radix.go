package compute

import (
	"bytes"
	"encoding/hex"
	"math/bits"
	"strconv"

	"github.com/lakewheel/lakewheel/columnar"
)

// radixFunctions print and read numbers in other bases.
var radixFunctions = []function{
	entry("bin", "bin(n)", "The 64 bits of a BIGINT without leading zeros.", "bin(13)", 1, 1, bindAppend(columnar.String, appendBinary, columnar.BigInt)),
	entry("hex", "hex(a)", "Hexadecimal digits of a BIGINT, or of the bytes of a STRING or BINARY.", "hex(255)", 1, 1, bindHex),
	entry("unhex", "unhex(s)", "The bytes that hexadecimal digits denote; NULL if they are none.", "unhex('616263')", 1, 1, bindPartial(columnar.Binary, unhexRows, columnar.String)),
	entry("conv", "conv(s, from, to)", "An integer of 64 bits in another base, 2 to 36; a negative base prints a sign.", "conv('ff', 16, 10)", 3, 3, bindPartial(columnar.String, convRows, columnar.String, columnar.Int, columnar.Int)),
}

// bindAppend binds a function of one argument that prints its value.
func bindAppend(t columnar.Type, one func(dst []byte, v *vector, row int32) []byte, want columnar.Type) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			f.out.data = one(f.out.data, f.args[0], i)
			f.close(f.out, i, at)
		}
	}
	return bindSimple(t, run, want)
}

func bigintAt(v *vector, row int32) int64 { return slice[int64](v)[row&v.mask()] }

func intAt(v *vector, row int32) int32 { return slice[int32](v)[row&v.mask()] }

func appendBinary(dst []byte, v *vector, row int32) []byte {
	return strconv.AppendUint(dst, uint64(bigintAt(v, row)), 2)
}

const upperHex = "0123456789ABCDEF"

func bindHex(name string, args []Expr) (Expr, error) {
	t := args[0].Type()
	if t.Numeric() || t == columnar.Null {
		return bindAppend(columnar.String, appendHexNumber, columnar.BigInt)(name, args)
	}
	want := columnar.String
	if t == columnar.Binary {
		want = t
	}
	return bindAppend(columnar.String, appendHexBytes, want)(name, args)
}

func appendHexNumber(dst []byte, v *vector, row int32) []byte {
	n := uint64(bigintAt(v, row))
	for shift := max(0, (bits.Len64(n)-1)/4*4); shift >= 0; shift -= 4 {
		dst = append(dst, upperHex[n>>shift&15])
	}
	return dst
}

func appendHexBytes(dst []byte, v *vector, row int32) []byte {
	for _, c := range v.bytesAt(row) {
		dst = append(dst, upperHex[c>>4], upperHex[c&15])
	}
	return dst
}

func unhexRows(f *frame) {
	for _, i := range f.rows {
		at := len(f.out.data)
		var ok bool
		if f.out.data, ok = appendUnhex(f.out.data, f.args[0].bytesAt(i)); !ok {
			f.out.data = f.out.data[:at]
			f.setNull(f.out, i)
		}
		f.close(f.out, i, at)
	}
}

// appendUnhex takes an odd number of digits as if 0 stood before them.
func appendUnhex(dst, digits []byte) ([]byte, bool) {
	if len(digits)%2 != 0 {
		pair := [2]byte{'0', digits[0]}
		var err error
		if dst, err = hex.AppendDecode(dst, pair[:]); err != nil {
			return dst, false
		}
		digits = digits[1:]
	}
	dst, err := hex.AppendDecode(dst, digits)
	return dst, err == nil
}

var errConvOverflow = &EvalError{"ARITHMETIC_OVERFLOW", "the number in conv() has more than 64 bits; use fewer digits."}

func convRows(f *frame) {
	for _, i := range f.rows {
		from, to := int(intAt(f.args[1], i)), int(intAt(f.args[2], i))
		digits := bytes.Trim(f.args[0].bytesAt(i), " ")
		if len(digits) == 0 || from < 2 || from > 36 || max(to, -to) < 2 || max(to, -to) > 36 {
			f.setNull(f.out, i)
			continue
		}
		at := len(f.out.data)
		var ok bool
		if f.out.data, ok = appendConverted(f.out.data, digits, from, to); !ok {
			f.fail(i, errConvOverflow)
		}
		f.close(f.out, i, at)
	}
}

// appendConverted reads digits as far as they are digits of the base. Without a signed
// target a negative number wraps around at 2^64.
func appendConverted(dst, digits []byte, from, to int) ([]byte, bool) {
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	n, ok := parseRadix(digits, uint64(from))
	if !ok {
		return dst, false
	}
	switch signed := int64(n); {
	case to < 0 && signed < 0:
		n, negative = -n, true
	case to > 0 && negative && signed < 0:
		n = 1<<64 - 1
	case to > 0 && negative:
		n = -n
	}
	if to < 0 && negative {
		dst = append(dst, '-')
	}
	at := len(dst)
	dst = strconv.AppendUint(dst, n, max(to, -to))
	copy(dst[at:], bytes.ToUpper(dst[at:]))
	return dst, true
}

func parseRadix(digits []byte, base uint64) (n uint64, ok bool) {
	for _, c := range digits {
		d := digitValue(c)
		if d >= base {
			return n, true
		}
		hi, lo := bits.Mul64(n, base)
		sum, carry := bits.Add64(lo, d, 0)
		if hi != 0 || carry != 0 {
			return 0, false
		}
		n = sum
	}
	return n, true
}

// digitValue is 0 to 35, or 36 for what is no digit.
func digitValue(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'z':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return uint64(c-'A') + 10
	}
	return 36
}
