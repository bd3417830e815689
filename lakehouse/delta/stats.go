package delta

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// fileStats is `add.stats`: a STRUCT is an object in each of the maps. Bounds are left out where Delta has none (BINARY) or where they
// could mislead (NaN).
type fileStats struct {
	NumRecords int64          `json:"numRecords"`
	MinValues  map[string]any `json:"minValues"`
	MaxValues  map[string]any `json:"maxValues"`
	NullCount  map[string]any `json:"nullCount"`
}

func encodeStats(schema *columnar.Schema, f parquetfile.File, rule statsRule) (string, error) {
	w := statsWriter{leaves: f.Stats, rule: rule}
	st := fileStats{NumRecords: f.Rows}
	st.MinValues, st.MaxValues, st.NullCount = w.fields(schema.Fields, nil, false)
	b, err := json.Marshal(st)
	return string(b), err
}

// statsWriter takes the statistics of the leaves in the order of the schema.
type statsWriter struct {
	leaves []parquetfile.Stats
	rule   statsRule
	passed int // columns that could have statistics
}

func (w *statsWriter) next() parquetfile.Stats {
	s := w.leaves[0]
	w.leaves = w.leaves[1:]
	return s
}

// fields are the statistics of columns, or of the fields of a STRUCT. Those in an ARRAY or a MAP are counted in elements, not in rows, and
// say nothing to Delta; they are taken all the same.
func (w *statsWriter) fields(fields []columnar.Field, above []string, inList bool) (low, high, nulls map[string]any) {
	low, high, nulls = map[string]any{}, map[string]any{}, map[string]any{}
	for _, f := range fields {
		path := append(above[:len(above):len(above)], f.Name)
		switch {
		case f.Type.Kind == columnar.StructKind:
			l, h, n := w.fields(f.Type.Parts(), path, inList)
			putAll(low, f.Name, l)
			putAll(high, f.Name, h)
			putAll(nulls, f.Name, n)
		case f.Type.Nested():
			w.fields(f.Type.Parts(), path, true)
			if !inList {
				w.passed++
			}
		default:
			if s := w.next(); !inList {
				w.passed++
				if w.rule.allows(path, w.passed-1) {
					leafStats(f, s, low, high, nulls)
				}
			}
		}
	}
	return low, high, nulls
}

func putAll(to map[string]any, name string, part map[string]any) {
	if len(part) > 0 {
		to[name] = part
	}
}

func leafStats(f columnar.Field, s parquetfile.Stats, low, high, nulls map[string]any) {
	nulls[f.Name] = s.Nulls
	if !s.Bounded || s.NaN {
		return
	}
	if v, ok := bound(f.Type, s.Min, false); ok {
		low[f.Name] = v
	}
	if v, ok := bound(f.Type, s.Max, true); ok {
		high[f.Name] = v
	}
}

// bound is a value of the statistics as JSON; an upper one is never below the value.
func bound(t columnar.Type, v parquet.Value, upper bool) (json.RawMessage, bool) {
	switch t.Kind {
	case columnar.BooleanKind: // Spark does without; delta-rs takes a bound that is missing for one that nothing fulfils
		return strconv.AppendBool(nil, v.Boolean()), true
	case columnar.TinyIntKind, columnar.SmallIntKind, columnar.IntKind:
		return strconv.AppendInt(nil, int64(v.Int32()), 10), true
	case columnar.BigIntKind:
		return strconv.AppendInt(nil, v.Int64(), 10), true
	case columnar.FloatKind:
		return floatBound(float64(v.Float()), 32)
	case columnar.DoubleKind:
		return floatBound(v.Double(), 64)
	case columnar.DecimalKind:
		return decimalBound(t, v), true
	case columnar.DateKind:
		return timeBound(time.Unix(int64(v.Int32())*86400, 0), "2006-01-02")
	case columnar.TimestampKind:
		return timestampBound(v.Int64(), upper, "2006-01-02T15:04:05.000Z")
	case columnar.TimestampNTZKind:
		return timestampBound(v.Int64(), upper, "2006-01-02T15:04:05.000")
	case columnar.StringKind:
		return textBound(v.ByteArray(), upper)
	}
	return nil, false
}

func floatBound(v float64, bits int) (json.RawMessage, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, false
	}
	return strconv.AppendFloat(nil, v+0, 'g', -1, bits), true // -0 is 0
}

// timestampBound has milliseconds: below they are cut off, so an upper bound goes up to the next one.
func timestampBound(micros int64, upper bool, layout string) (json.RawMessage, bool) {
	millis := micros / 1000
	switch rest := micros % 1000; {
	case rest < 0 && !upper:
		millis--
	case rest > 0 && upper:
		millis++
	}
	return timeBound(time.UnixMilli(millis), layout)
}

// timeBound leaves out years that have no four digits: readers disagree about them.
func timeBound(t time.Time, layout string) (json.RawMessage, bool) {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return nil, false
	}
	return strconv.AppendQuote(nil, t.Format(layout)), true
}

func decimalBound(t columnar.Type, v parquet.Value) json.RawMessage {
	var n *big.Int
	switch v.Kind() {
	case parquet.Int32:
		n = big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		n = big.NewInt(v.Int64())
	default:
		b := v.ByteArray()
		n = new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	return columnar.AppendDecimal(nil, n, int(t.Scale))
}

// statChars is the longest text bound, as in Spark's delta.dataSkippingStringPrefixLength.
const statChars = 32

// textBound cuts long texts; the last character of a cut upper bound is raised, so that it stays above.
func textBound(b []byte, upper bool) (json.RawMessage, bool) {
	if !utf8.Valid(b) {
		return nil, false
	}
	if n := prefixLen(b); n < len(b) {
		b = b[:n:n]
		if upper {
			var ok bool
			if b, ok = parquetfile.Raise(b); !ok {
				return nil, false
			}
		}
	}
	out, err := json.Marshal(string(b))
	return out, err == nil
}

func prefixLen(b []byte) int {
	n := 0
	for range statChars {
		if n == len(b) {
			break
		}
		_, size := utf8.DecodeRune(b[n:])
		n += size
	}
	return n
}
