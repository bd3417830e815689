package compute

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash/crc32"

	"github.com/lakewheel/lakewheel/columnar"
)

// hashFunctions make digests of bytes and hashes of values.
var hashFunctions = []function{
	entry("md5", "md5(b)", "MD5 digest in hexadecimal digits.", "md5('abc')", 1, 1, bindDigest(appendMD5)),
	entry("sha", "sha(b)", "SHA-1 digest in hexadecimal digits.", "sha('abc')", 1, 1, bindDigest(appendSHA1)),
	entry("sha1", "sha1(b)", "SHA-1 digest in hexadecimal digits.", "sha1('abc')", 1, 1, bindDigest(appendSHA1)),
	entry("sha2", "sha2(b, bits)", "SHA-2 digest of 224, 256, 384 or 512 bits (0 is 256) in hexadecimal digits; NULL for others.", "sha2('abc', 256)", 2, 2, bindPartial(columnar.String, sha2Rows, columnar.Binary, columnar.Int)),
	entry("crc32", "crc32(b)", "CRC-32 check sum.", "crc32('abc')", 1, 1, bindSimple(columnar.BigInt, crc32Rows, columnar.Binary)),
	entry("hash", "hash(a, ...)", "Murmur3 hash of 32 bits; NULLs are skipped.", "hash('abc', 1)", 1, -1, bindHash(columnar.Int, hashMurmur)),
	entry("xxhash64", "xxhash64(a, ...)", "XXH64 hash; NULLs are skipped.", "xxhash64('abc', 1)", 1, -1, bindHash(columnar.BigInt, hashXX)),
}

func appendMD5(dst, b []byte) []byte {
	s := md5.Sum(b)
	return hex.AppendEncode(dst, s[:])
}

func appendSHA1(dst, b []byte) []byte {
	s := sha1.Sum(b)
	return hex.AppendEncode(dst, s[:])
}

func bindDigest(digest func(dst, b []byte) []byte) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			f.out.data = digest(f.out.data, f.args[0].bytesAt(i))
			f.close(f.out, i, at)
		}
	}
	return bindSimple(columnar.String, run, columnar.Binary)
}

func sha2Rows(f *frame) {
	for _, i := range f.rows {
		at := len(f.out.data)
		text := f.args[0].bytesAt(i)
		switch intAt(f.args[1], i) {
		case 224:
			s := sha256.Sum224(text)
			f.out.data = hex.AppendEncode(f.out.data, s[:])
		case 0, 256:
			s := sha256.Sum256(text)
			f.out.data = hex.AppendEncode(f.out.data, s[:])
		case 384:
			s := sha512.Sum384(text)
			f.out.data = hex.AppendEncode(f.out.data, s[:])
		case 512:
			s := sha512.Sum512(text)
			f.out.data = hex.AppendEncode(f.out.data, s[:])
		default:
			f.setNull(f.out, i)
		}
		f.close(f.out, i, at)
	}
}

func crc32Rows(f *frame) {
	out := slice[int64](f.out)
	for _, i := range f.rows {
		out[i] = int64(crc32.ChecksumIEEE(f.args[0].bytesAt(i)))
	}
}

// hashSeed is where Spark's hashes begin; the hash of a value is the seed of the next.
const hashSeed = 42

// bindHash refuses maps, whose order means nothing.
func bindHash(t columnar.Type, run kernel) func(string, []Expr) (Expr, error) {
	return func(name string, args []Expr) (Expr, error) {
		for _, a := range args {
			if hasMap(a.Type()) {
				return nil, mismatch("HASH_MAP_TYPE", "%s(%s): the hash of a MAP is not defined; use map_entries.", name, joined(args))
			}
		}
		return &call{name: name, args: args, typ: t, lenient: true, run: run}, nil
	}
}

func hasMap(t columnar.Type) bool {
	for _, part := range t.Parts() {
		if hasMap(part.Type) {
			return true
		}
	}
	return t.Kind == columnar.MapKind
}

// hashForm is the form in which a value is hashed.
type hashForm int

const (
	hashNothing hashForm = iota
	hashInt
	hashLong
	hashBytes
	hashParts
)

func hashedAs(t columnar.Type) hashForm {
	switch {
	case t.Nested():
		return hashParts
	case textual(t), isDecimal(t) && t.Precision > 18:
		return hashBytes
	case width(t) == 0:
		return hashNothing
	case width(t) >= 8:
		return hashLong
	}
	return hashInt
}
