package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Reader reads one Parquet file, whoever wrote it, as batches of a schema. Columns are told by name; one that the file
// lacks is NULL.
type Reader struct {
	file   *parquet.File
	schema *columnar.Schema
	group  int
}

// OpenReader opens a file. A nil schema means that of the file.
func OpenReader(r store.Reader, schema *columnar.Schema) (reader *Reader, err error) {
	defer damaged(&err)
	f, err := parquet.OpenFile(r, r.Size())
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
	}
	if schema == nil {
		if schema, err = SchemaOf(f); err != nil {
			return nil, err
		}
	}
	return &Reader{file: f, schema: schema}, nil
}

// Next returns the rows of the next row group, io.EOF after the last.
func (r *Reader) Next(ctx context.Context) (batch *columnar.Batch, err error) {
	defer damaged(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	groups := r.file.RowGroups()
	if r.group == len(groups) {
		return nil, io.EOF
	}
	g := groups[r.group]
	r.group++
	cols := make([]columnar.Column, 0, r.schema.Len())
	for _, f := range r.schema.Fields {
		c, err := readColumn(r.file, g, f)
		if err != nil {
			for _, c := range cols {
				c.Release()
			}
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		cols = append(cols, c)
	}
	return columnar.NewBatch(r.schema, cols, int(g.NumRows())), nil
}

// damaged turns a panic into an error: parquet-go reports some damage so, and a file from outside must not end the process.
func damaged(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("damaged Parquet file: %v", r)
	}
}

func readColumn(file *parquet.File, g parquet.RowGroup, f columnar.Field) (columnar.Column, error) {
	leaf, ok := file.Schema().Lookup(f.Name)
	if !ok {
		return columnar.NewNullColumn(f.Type, int(g.NumRows())), nil
	}
	b := array.NewBuilder(memory.DefaultAllocator, f.Type.Arrow())
	defer b.Release()
	b.Reserve(int(g.NumRows()))
	put, err := appender(b, f.Type, leaf.Node.Type())
	if err != nil {
		return nil, err
	}
	pages := g.ColumnChunks()[leaf.ColumnIndex].Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return b.NewArray(), nil
		}
		if err != nil {
			return nil, err
		}
		err = appendPage(b, p, put)
		parquet.Release(p)
		if err != nil {
			return nil, err
		}
	}
}

func appendPage(b array.Builder, p parquet.Page, put func(parquet.Value)) error {
	var buf [256]parquet.Value
	values := p.Values()
	for {
		n, err := values.ReadValues(buf[:])
		for _, v := range buf[:n] {
			if v.IsNull() {
				b.AppendNull()
			} else {
				put(v)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// appender returns what adds a value of the file's type to a builder of ours.
func appender(b array.Builder, t columnar.Type, from parquet.Type) (func(parquet.Value), error) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		return func(v parquet.Value) { b.UnsafeAppend(v.Boolean()) }, kind(from, parquet.Boolean)
	case *array.Int8Builder:
		return func(v parquet.Value) { b.UnsafeAppend(int8(v.Int32())) }, kind(from, parquet.Int32)
	case *array.Int16Builder:
		return func(v parquet.Value) { b.UnsafeAppend(int16(v.Int32())) }, kind(from, parquet.Int32)
	case *array.Int32Builder:
		return func(v parquet.Value) { b.UnsafeAppend(v.Int32()) }, kind(from, parquet.Int32)
	case *array.Int64Builder:
		return func(v parquet.Value) { b.UnsafeAppend(wide(v)) }, kind(from, parquet.Int64, parquet.Int32)
	case *array.Float32Builder:
		return func(v parquet.Value) { b.UnsafeAppend(v.Float()) }, kind(from, parquet.Float)
	case *array.Float64Builder:
		return func(v parquet.Value) { b.UnsafeAppend(float(v)) }, kind(from, parquet.Double, parquet.Float)
	case *array.Date32Builder:
		return func(v parquet.Value) { b.UnsafeAppend(arrow.Date32(v.Int32())) }, kind(from, parquet.Int32)
	case *array.StringBuilder:
		return func(v parquet.Value) { b.Append(string(v.ByteArray())) }, kind(from, parquet.ByteArray)
	case *array.BinaryBuilder:
		return func(v parquet.Value) { b.Append(v.ByteArray()) }, kind(from, parquet.ByteArray, parquet.FixedLenByteArray)
	case *array.TimestampBuilder:
		micros, err := timestampOf(from)
		return func(v parquet.Value) { b.UnsafeAppend(arrow.Timestamp(micros(v))) }, err
	case *array.Decimal128Builder:
		return func(v parquet.Value) { b.UnsafeAppend(decimalOf(v)) }, kind(from, parquet.Int32, parquet.Int64, parquet.FixedLenByteArray, parquet.ByteArray)
	}
	return nil, fmt.Errorf("type %s cannot be read", t)
}

func kind(from parquet.Type, want ...parquet.Kind) error {
	for _, k := range want {
		if from.Kind() == k {
			return nil
		}
	}
	return fmt.Errorf("the file has it as %s", from)
}

func wide(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func float(v parquet.Value) float64 {
	if v.Kind() == parquet.Float {
		return float64(v.Float())
	}
	return v.Double()
}

// timestampOf converts INT64 of any unit and the old INT96 to microseconds.
func timestampOf(from parquet.Type) (func(parquet.Value) int64, error) {
	if from.Kind() == parquet.Int96 {
		return func(v parquet.Value) int64 {
			i := v.Int96()
			const julianEpoch = 2440588
			return (int64(i[2])-julianEpoch)*86400_000000 + int64(uint64(i[1])<<32|uint64(i[0]))/1000
		}, nil
	}
	text := strings.ToUpper(from.String())
	switch {
	case strings.Contains(text, "NANO"):
		return func(v parquet.Value) int64 { return floorDiv(v.Int64(), 1000) }, kind(from, parquet.Int64)
	case strings.Contains(text, "MILLI"):
		return func(v parquet.Value) int64 { return v.Int64() * 1000 }, kind(from, parquet.Int64)
	}
	return func(v parquet.Value) int64 { return v.Int64() }, kind(from, parquet.Int64)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func decimalOf(v parquet.Value) decimal128.Num {
	switch v.Kind() {
	case parquet.Int32:
		return decimal128.FromI64(int64(v.Int32()))
	case parquet.Int64:
		return decimal128.FromI64(v.Int64())
	}
	b := v.ByteArray()
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return decimal128.FromBigInt(n)
}

// SchemaOf is the columnar schema of a file; a column of a type that is not supported is an error.
func SchemaOf(f *parquet.File) (*columnar.Schema, error) {
	s := &columnar.Schema{}
	for _, field := range f.Schema().Fields() {
		t, err := typeOf(field)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", field.Name(), err)
		}
		s.Fields = append(s.Fields, columnar.Field{Name: field.Name(), Type: t, Nullable: field.Optional()})
	}
	return s, nil
}

func typeOf(f parquet.Field) (columnar.Type, error) {
	if !f.Leaf() || f.Repeated() {
		return columnar.Type{}, fmt.Errorf("nested types are not supported")
	}
	text := strings.ToUpper(f.Type().String())
	switch {
	case strings.HasPrefix(text, "DECIMAL"):
		var precision, scale int
		if _, err := fmt.Sscanf(text, "DECIMAL(%d,%d)", &precision, &scale); err != nil {
			return columnar.Type{}, fmt.Errorf("type %s is not supported", text)
		}
		return columnar.Decimal(precision, scale), nil
	case strings.HasPrefix(text, "TIMESTAMP"), f.Type().Kind() == parquet.Int96:
		return columnar.Timestamp, nil
	case text == "DATE":
		return columnar.Date, nil
	case text == "STRING", text == "ENUM", text == "JSON":
		return columnar.String, nil
	case text == "INT(8,TRUE)":
		return columnar.TinyInt, nil
	case text == "INT(16,TRUE)":
		return columnar.SmallInt, nil
	}
	physical := map[parquet.Kind]columnar.Type{parquet.Boolean: columnar.Boolean, parquet.Int32: columnar.Int, parquet.Int64: columnar.BigInt,
		parquet.Float: columnar.Float, parquet.Double: columnar.Double, parquet.ByteArray: columnar.Binary, parquet.FixedLenByteArray: columnar.Binary}
	return physical[f.Type().Kind()], nil
}
