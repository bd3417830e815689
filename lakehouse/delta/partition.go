package delta

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
)

// partition puts the partition columns, which the log holds, to the columns of a file.
type partition struct {
	schema *columnar.Schema
	inFile *columnar.Schema
	from   []int // for each column the one of the file, -1 for a partition column
	values []any // of the partition columns, nil for NULL
}

// maxPartitionText bounds a partition value: it is repeated in each row.
const maxPartitionText = 4 << 10

func newPartition(schema *columnar.Schema, by []string, values map[string]*string) (*partition, error) {
	p := &partition{schema: schema, inFile: &columnar.Schema{}, values: make([]any, schema.Len())}
	for i, f := range schema.Fields {
		if !slices.Contains(by, f.Name) {
			p.from = append(p.from, p.inFile.Len())
			p.inFile.Fields = append(p.inFile.Fields, f)
			continue
		}
		p.from = append(p.from, -1)
		text := values[f.Name]
		if text == nil || *text == "" {
			continue
		}
		if len(*text) > maxPartitionText {
			return nil, fmt.Errorf("a value of partition column %s has %d bytes, which is not supported", f.Name, len(*text))
		}
		v, err := partitionValue(f.Type, *text)
		if err != nil {
			return nil, fmt.Errorf("partition %s=%s is not %s", f.Name, *text, f.Type)
		}
		p.values[i] = v
	}
	return p, nil
}

// fill returns the rows with their partition columns.
func (p *partition) fill(b *columnar.Batch) *columnar.Batch {
	cols := make([]columnar.Column, p.schema.Len())
	for i, f := range p.schema.Fields {
		switch {
		case p.from[i] >= 0:
			cols[i] = b.Column(p.from[i])
			cols[i].Retain()
		case p.values[i] == nil:
			cols[i] = columnar.NewNullColumn(f.Type, b.Rows())
		default:
			cols[i] = parquetfile.Repeat(f.Type, p.values[i], b.Rows())
		}
	}
	return columnar.NewBatch(p.schema, cols, b.Rows())
}

// partitionValue reads a value as the log spells it.
func partitionValue(t columnar.Type, text string) (any, error) {
	switch t.Kind {
	case columnar.BooleanKind:
		return strconv.ParseBool(text)
	case columnar.TinyIntKind, columnar.SmallIntKind, columnar.IntKind, columnar.BigIntKind:
		bits := map[columnar.Kind]int{columnar.TinyIntKind: 8, columnar.SmallIntKind: 16, columnar.IntKind: 32, columnar.BigIntKind: 64}
		return strconv.ParseInt(text, 10, bits[t.Kind])
	case columnar.FloatKind, columnar.DoubleKind:
		return strconv.ParseFloat(text, 64)
	case columnar.DecimalKind:
		return partitionDecimal(t, text)
	case columnar.DateKind:
		d, err := time.Parse("2006-01-02", text)
		return d.Unix() / 86400, err
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		return partitionTimestamp(text)
	case columnar.BinaryKind:
		return partitionBytes(text)
	}
	return text, nil
}

func partitionDecimal(t columnar.Type, text string) (any, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "eE/") {
		return nil, strconv.ErrSyntax
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
	if r.Mul(r, new(big.Rat).SetInt(scale)); !r.IsInt() || len(new(big.Int).Abs(r.Num()).String()) > int(t.Precision) {
		return nil, strconv.ErrRange
	}
	return r.Num(), nil
}

// partitionTimestamp reads both forms of the protocol, without a zone in UTC.
func partitionTimestamp(text string) (any, error) {
	ts, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		ts, err = time.Parse(time.RFC3339, text)
	}
	return ts.UnixMicro(), err
}

// partitionBytes reads bytes that are spelled as the characters U+0000 to U+00FF.
func partitionBytes(text string) (any, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return nil, strconv.ErrRange
		}
		out = append(out, byte(r))
	}
	return string(out), nil
}
