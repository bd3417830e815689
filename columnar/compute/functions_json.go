package compute

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var jsonFunctions = []function{
	entry("from_json", "from_json(s, schema[, options])", "JSON text as a STRUCT, ARRAY or MAP; what does not fit is NULL. The schema is DDL text; the only option is mode, PERMISSIVE or FAILFAST.", `from_json('{"a": 1}', 'a INT')`, 2, 3, bindNeedsSchema),
	entry("to_json", "to_json(v[, options])", "A STRUCT, ARRAY or MAP as JSON text; fields that are NULL are left out unless the option ignoreNullFields is false.", "to_json(named_struct('a', 1))", 1, 2, bindToJSON),
	entry("get_json_object", "get_json_object(s, path)", "What a path such as $.a[0].b finds in JSON text.", `get_json_object('{"a": 1}', '$.a')`, 2, 2, bindGetJSON),
	entry("json_array_length", "json_array_length(s)", "Number of elements of a JSON array.", "json_array_length('[1, 2]')", 1, 1, bindJSONLength),
	entry("json_object_keys", "json_object_keys(s)", "The names of a JSON object's members.", `json_object_keys('{"a": 1}')`, 1, 1, bindJSONKeys),
	entry("schema_of_json", "schema_of_json(s)", "The DDL of a JSON text that is constant.", `schema_of_json('{"a": 1}')`, 1, 1, bindSchemaOfJSON),
}

func bindNeedsSchema(name string, args []Expr) (Expr, error) {
	return nil, &TypeError{"INVALID_SCHEMA.NON_STRING_LITERAL", fmt.Sprintf("The input expression %s of %s must be string literal and not null.", args[1], name)}
}

// corruptField is the field that takes the text of a document that is malformed.
const corruptField = "_corrupt_record"

// FromJSON makes a value of a type of JSON text, as from_json does. With failFast a
// malformed document fails its row; otherwise it gives NULLs, and its text in a field
// _corrupt_record STRING if the type is a STRUCT that has one.
func FromJSON(e Expr, t columnar.Type, failFast bool) (Expr, error) {
	if !t.Nested() {
		return nil, mismatch("INVALID_JSON_SCHEMA", "from_json: the schema should be a STRUCT, an ARRAY or a MAP, got %s.", t)
	}
	if bad, ok := foreignKey(t); ok {
		return nil, mismatch("INVALID_JSON_MAP_KEY_TYPE", "from_json: the key of a MAP should be STRING, got %s.", bad)
	}
	if e.Type() != columnar.String && e.Type() != columnar.Null {
		return nil, unexpectedInput("from_json", 0, "STRING", e)
	}
	corrupt := -1
	if t.Kind == columnar.StructKind {
		corrupt = t.FieldIndex(corruptField)
	}
	run := func(f *frame) { f.fromJSON(t, corrupt, failFast) }
	text := fmt.Sprintf("from_json[%s]", t)
	if failFast {
		text = fmt.Sprintf("from_json[%s FAILFAST]", t)
	}
	return &call{name: text, args: []Expr{implicit(e, columnar.String)}, typ: t, nullable: true, run: run}, nil
}

// foreignKey finds a MAP whose key is not STRING.
func foreignKey(t columnar.Type) (key columnar.Type, found bool) {
	if t.Kind == columnar.MapKind && t.KeyType() != columnar.String {
		return t.KeyType(), true
	}
	for _, part := range t.Parts() {
		if key, found = foreignKey(part.Type); found {
			return key, true
		}
	}
	return columnar.Type{}, false
}

func (f *frame) fromJSON(t columnar.Type, corrupt int, failFast bool) {
	documents, err := f.documents(f.args[0])
	if err != nil {
		f.fault = err
		return
	}
	defer documents.Release()
	column, bad, err := decode.NewLenient(t, f.mem).Decode(documents)
	if err != nil {
		f.fault = err
		return
	}
	f.adopt(f.hold(column, t))
	if corrupt >= 0 {
		f.keepCorrupt(corrupt, bad)
	}
	for _, i := range bad {
		if failFast {
			f.fail(i, malformedJSON(t, f.args[0].bytesAt(i)))
		}
	}
}

// malformedJSON is the failure of a document that is not of a type.
func malformedJSON(t columnar.Type, document []byte) error {
	condition := "WITHOUT_SUGGESTION"
	if start := bytes.TrimLeft(document, " \t\r\n"); t.Kind == columnar.StructKind && len(start) > 0 && start[0] == '[' {
		condition = "CANNOT_PARSE_JSON_ARRAYS_AS_STRUCTS"
	}
	return &EvalError{"MALFORMED_RECORD_IN_PARSING." + condition, fmt.Sprintf("Malformed records are detected in record parsing: %s. Parse Mode: FAILFAST.", clipped(document))}
}

// documents makes a BINARY column of the texts of the live rows.
func (f *frame) documents(v *vector) (columnar.Column, error) {
	only := *v
	if only.typ = columnar.Binary; v.one {
		only = *f.spreadAny(&vector{typ: columnar.Binary, one: true, data: v.data, start: v.start, end: v.end})
	}
	only.null = f.nulls()
	for i := range only.null {
		only.null[i] = 1
	}
	for _, i := range f.rows {
		only.null[i] = 0
	}
	return f.bytesColumn(&only, f.rows)
}

func (f *frame) keepCorrupt(k int, bad []int32) {
	kept := f.vector(columnar.String)
	kept.null = f.nulls()
	for i := range kept.null {
		kept.null[i] = 1
	}
	for _, i := range bad {
		kept.null[i] = 0
		f.put(kept, i, f.args[0].bytesAt(i))
	}
	f.out.kids[k] = kept
}

func bindToJSON(name string, args []Expr) (Expr, error) {
	t := args[0].Type()
	if t == columnar.Null {
		return typedNull(columnar.String), nil
	}
	if !t.Nested() {
		return nil, mismatch("INVALID_JSON_SCHEMA", "to_json: the value should be a STRUCT, an ARRAY or a MAP, got %s.", t)
	}
	w := jsonWriter{}
	if len(args) == 2 {
		options, ok := ConstantMap(args[1])
		if w.nulls = strings.EqualFold(options["ignoreNullFields"], "false"); !ok || len(options) != 1 || options["ignoreNullFields"] == "" {
			return nil, &TypeError{"INVALID_OPTIONS.NON_MAP_FUNCTION", "to_json: the only option is ignoreNullFields, write map('ignoreNullFields', 'false')."}
		}
	}
	run := func(f *frame) {
		for _, i := range f.rows {
			at := len(f.out.data)
			f.out.data = w.value(f.out.data, f.args[0], i)
			f.close(f.out, i, at)
		}
	}
	return &call{name: name + w.suffix(), args: args[:1], typ: columnar.String, run: run}, nil
}

// jsonWriter writes values as Spark's JSON generator does.
type jsonWriter struct {
	nulls bool // write the fields of a STRUCT that are NULL
}

// suffix tells calls with other options apart.
func (w jsonWriter) suffix() string {
	if w.nulls {
		return "[nulls]"
	}
	return ""
}

func (w jsonWriter) value(dst []byte, v *vector, row int32) []byte {
	if v.typ == columnar.Null || v.isNull(row) {
		return append(dst, "null"...)
	}
	switch v.typ.Kind {
	case columnar.StructKind:
		return w.fields(dst, v, row)
	case columnar.ArrayKind, columnar.MapKind:
		return w.list(dst, v, row)
	case columnar.StringKind:
		return decode.AppendString(dst, v.bytesAt(row))
	case columnar.BinaryKind:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.bytesAt(row)), '"')
	case columnar.TimestampKind, columnar.TimestampNTZKind:
		return appendJSONTime(dst, valueAt[int64](v, row), v.typ == columnar.Timestamp)
	case columnar.DateKind, columnar.DayTimeIntervalKind, columnar.YearMonthIntervalKind:
		return append(appendText(append(dst, '"'), v, row), '"')
	case columnar.FloatKind, columnar.DoubleKind:
		if text := appendText(nil, v, row); text[len(text)-1] > '9' {
			return append(append(append(dst, '"'), text...), '"')
		}
	}
	return appendText(dst, v, row)
}

func (w jsonWriter) fields(dst []byte, v *vector, row int32) []byte {
	dst = append(dst, '{')
	first := true
	for k, part := range v.typ.Parts() {
		if !w.nulls && (part.Type == columnar.Null || v.kids[k].isNull(row)) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(decode.AppendString(dst, []byte(part.Name)), ':')
		dst = w.value(dst, v.kids[k], row)
	}
	return append(dst, '}')
}

func (w jsonWriter) list(dst []byte, v *vector, row int32) []byte {
	open, last := byte('['), byte(']')
	if v.typ.Kind == columnar.MapKind {
		open, last = '{', '}'
	}
	dst = append(dst, open)
	from, until := v.rangeAt(row)
	for k := from; k < until; k++ {
		if k > from {
			dst = append(dst, ',')
		}
		if open == '{' {
			dst = append(appendJSONKey(dst, v.kids[0], k), ':')
		}
		dst = w.value(dst, v.kids[len(v.kids)-1], k)
	}
	return append(dst, last)
}

// appendJSONKey writes a key as a name. As in Spark, dates and times are their numbers.
func appendJSONKey(dst []byte, v *vector, row int32) []byte {
	plain := *v
	switch v.typ.Kind {
	case columnar.DateKind, columnar.YearMonthIntervalKind:
		plain.typ = columnar.Int
	case columnar.TimestampKind, columnar.TimestampNTZKind, columnar.DayTimeIntervalKind:
		plain.typ = columnar.BigInt
	}
	return decode.AppendString(dst, appendText(nil, &plain, row))
}

// appendJSONTime writes milliseconds, and Z for a time in UTC.
func appendJSONTime(dst []byte, us int64, zoned bool) []byte {
	whole := floorDiv(us, sqltext.Second)
	text := sqltext.AppendTimestamp(nil, whole*sqltext.Second)
	dst = append(append(dst, '"'), strings.Replace(string(text), " ", "T", 1)...)
	dst = fmt.Appendf(dst, ".%03d", (us-whole*sqltext.Second)/1000)
	if zoned {
		dst = append(dst, 'Z')
	}
	return append(dst, '"')
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// bindGetJSON compiles a constant path once.
func bindGetJSON(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.String, columnar.String)
	if err != nil {
		return nil, err
	}
	constant, known := textLiteral(list[1])
	path, valid := decode.ParsePath(constant)
	run := func(f *frame) {
		var r decode.PathReader
		for _, i := range f.rows {
			way, ok := path, valid
			if !known {
				way, ok = decode.ParsePath(string(f.args[1].bytesAt(i)))
			}
			var text []byte
			if ok {
				text, ok = r.Get(f.args[0].bytesAt(i), way)
			}
			if !ok {
				f.setNull(f.out, i)
				continue
			}
			f.put(f.out, i, text)
		}
	}
	return &call{name: name, args: list, typ: columnar.String, nullable: true, eager: true, run: run}, nil
}

func bindJSONLength(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.String)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		var r decode.PathReader
		out := slice[int32](f.out)
		for _, i := range f.rows {
			n, ok := r.Length(f.args[0].bytesAt(i))
			if out[i] = int32(n); !ok {
				f.setNull(f.out, i)
			}
		}
	}
	return &call{name: name, args: list, typ: columnar.Int, nullable: true, run: run}, nil
}

func bindJSONKeys(name string, args []Expr) (Expr, error) {
	list, err := parameters(name, args, columnar.String)
	if err != nil {
		return nil, err
	}
	run := func(f *frame) {
		var r decode.PathReader
		names := f.out.kids[0]
		for _, i := range f.rows {
			from := names.n
			ok := r.Keys(f.args[0].bytesAt(i), func(name []byte) {
				if names.null != nil {
					names.null = append(names.null, 0)
				}
				names.pushText(name)
			})
			if f.closeList(f.out, i, from); !ok {
				f.setNull(f.out, i)
			}
		}
	}
	return &call{name: name, args: list, typ: columnar.Array(columnar.String), nullable: true, run: run}, nil
}

func bindSchemaOfJSON(name string, args []Expr) (Expr, error) {
	text, ok := textLiteral(Fold(args[0]))
	if !ok {
		return nil, mismatch("NON_FOLDABLE_INPUT", "the input of %s should be a foldable STRING expression; however, got %s.", name, args[0])
	}
	t, err := decode.InferJSON([]byte(text))
	if err != nil {
		return nil, &TypeError{"MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", err.Error()}
	}
	return Text(t.String()), nil
}
