package columnar

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

func appendList(dst []byte, a *array.List, row int) []byte {
	from, until := a.ValueOffsets(row)
	dst = append(dst, '[')
	for k := from; k < until; k++ {
		if k > from {
			dst = append(dst, ',')
		}
		dst = AppendValueJSON(dst, a.ListValues(), int(k))
	}
	return append(dst, ']')
}

func appendMap(dst []byte, a *array.Map, row int) []byte {
	from, until := a.ValueOffsets(row)
	dst = append(dst, '[')
	for k := from; k < until; k++ {
		if k > from {
			dst = append(dst, ',')
		}
		dst = append(AppendValueJSON(append(dst, '['), a.Keys(), int(k)), ',')
		dst = append(AppendValueJSON(dst, a.Items(), int(k)), ']')
	}
	return append(dst, ']')
}

func appendStruct(dst []byte, a *array.Struct, row int) []byte {
	dst = append(dst, '{')
	for i, f := range a.DataType().(*arrow.StructType).Fields() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, f.Name), ':')
		dst = AppendValueJSON(dst, a.Field(i), row)
	}
	return append(dst, '}')
}
