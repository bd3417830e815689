package decode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

func one(name string, t columnar.Type) *columnar.Schema {
	return columnar.NewSchema(columnar.Field{Name: name, Type: t, Nullable: true})
}

func documents(docs ...string) columnar.Column {
	var b columnar.BinaryBuffer
	for _, d := range docs {
		b.Append([]byte(d))
	}
	return b.Finish()
}

// decodeOne decodes {"v": value} and prints the row, or the error.
func decodeOne(t testing.TB, typ columnar.Type, doc string) string {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	values := documents(doc)
	defer values.Release()
	b, errs, err := NewJSON(one("v", typ), mem).Decode(values)
	require.NoError(t, err)
	defer func() { b.Release(); mem.AssertSize(t.(*testing.T), 0) }()
	if len(errs) > 0 {
		return errs[0].Err.Error()
	}
	return string(columnar.AppendValueJSON(nil, b.Column(0), 0))
}

// One line a case: type, value as it stands in the document, result.
func TestValues(t *testing.T) {
	dec := columnar.Decimal(5, 2)
	for _, c := range []struct {
		typ        columnar.Type
		value, out string
	}{
		{columnar.BigInt, `0`, `0`},
		{columnar.BigInt, `-7`, `-7`},
		{columnar.BigInt, `9007199254740993`, `9007199254740993`},
		{columnar.BigInt, `9223372036854775807`, `9223372036854775807`},
		{columnar.BigInt, `-9223372036854775808`, `-9223372036854775808`},
		{columnar.BigInt, `null`, `null`},
		{columnar.Int, `2147483647`, `2147483647`},
		{columnar.SmallInt, `-32768`, `-32768`},
		{columnar.TinyInt, `127`, `127`},
		{columnar.Double, `1.5`, `1.5`},
		{columnar.Double, `-0.1`, `-0.1`},
		{columnar.Double, `1e300`, `1e+300`},
		{columnar.Double, `123456789012345678`, `123456789012345680`},
		{columnar.Double, `0.30000000000000004`, `0.30000000000000004`},
		{columnar.Double, `"NaN"`, `"NaN"`},
		{columnar.Double, `"-Infinity"`, `"-Infinity"`},
		{columnar.Float, `0.1`, `0.1`},
		{dec, `1`, `"1.00"`},
		{dec, `-12.345`, `"-12.35"`},
		{dec, `999.99`, `"999.99"`},
		{dec, `1.5e2`, `"150.00"`},
		{dec, `"7.1"`, `"7.10"`},
		{dec, `0.001`, `"0.00"`},
		{columnar.Decimal(38, 0), `12345678901234567890123456789012345678`, `"12345678901234567890123456789012345678"`},
		{columnar.String, `"a\"b\\c\/\n\u00e9\ud83d\ude00"`, `"a\"b\\c/\né😀"`},
		{columnar.String, `"grüße, a long text that is not ASCII"`, `"grüße, a long text that is not ASCII"`},
		{columnar.String, `12`, `"12"`},
		{columnar.String, `{"a":[1, 2]}`, `"{\"a\":[1, 2]}"`},
		{columnar.String, `true`, `"true"`},
		{columnar.String, `""`, `""`},
		{columnar.Binary, `"aGk="`, `"6869"`},
		{columnar.Boolean, `true`, `true`},
		{columnar.Boolean, `false`, `false`},
		{columnar.Date, `"2024-02-29"`, `"2024-02-29"`},
		{columnar.Timestamp, `"2024-02-29T01:02:03.004Z"`, `"2024-02-29T01:02:03.004Z"`},
		{columnar.Timestamp, `"1970-01-01T00:00:10+01:00"`, `"1969-12-31T23:00:10.000Z"`},
		{columnar.Timestamp, `10`, `"1970-01-01T00:00:10.000Z"`},

		{columnar.BigInt, `1.5`, `field "v": expected BIGINT, got "1.5}" at byte 5`},
		{columnar.BigInt, `9223372036854775808`, `field "v": expected BIGINT, got "9223372036854775808}" at byte 5`},
		{columnar.BigInt, `01`, `field "v": expected BIGINT, got "01}" at byte 5`},
		{columnar.BigInt, `"5"`, `field "v": expected BIGINT, got "\"5\"}" at byte 5`},
		{columnar.BigInt, ``, `field "v": expected BIGINT, got "}" at byte 5`},
		{columnar.Int, `2147483648`, `field "v": expected INT, got "2147483648}" at byte 5`},
		{columnar.Double, `1.`, `field "v": expected a digit, got "}" at byte 7`},
		{columnar.Double, `1e999`, `field "v": expected DOUBLE, got "1e999}" at byte 5`},
		{columnar.Double, `NaN`, `field "v": expected a number, got "NaN}" at byte 5`},
		{dec, `1000`, `field "v": expected DECIMAL(5,2), got "1000}" at byte 5`},
		{dec, `999.995`, `field "v": expected DECIMAL(5,2), got "999.995}" at byte 5`},
		{dec, `"abc"`, `field "v": expected DECIMAL(5,2), got "\"abc\"}" at byte 5`},
		{columnar.Boolean, `1`, `field "v": expected BOOLEAN, got "1}" at byte 5`},
		{columnar.Date, `"2023-02-29"`, `field "v": expected DATE, got "\"2023-02-29\"}" at byte 5`},
		{columnar.Timestamp, `"yesterday"`, `field "v": expected TIMESTAMP, got "\"yesterday\"}" at byte 5`},
		{columnar.Binary, `"%%"`, `field "v": expected BINARY, got "\"%%\"}" at byte 5`},
	} {
		require.Equal(t, c.out, decodeOne(t, c.typ, `{"v":`+c.value+`}`), "%s %s", c.typ, c.value)
	}
}

// Documents that are not one strict JSON object.
func TestBadDocuments(t *testing.T) {
	for doc, want := range map[string]string{
		``:                            `expected an object, the document ends at byte 0`,
		`[]`:                          `expected an object, got "[]" at byte 0`,
		`{"v":1`:                      `expected , or }, the document ends at byte 6`,
		`{"v":1}x`:                    `expected nothing behind the object, got "x" at byte 7`,
		`{"v":1} {"v":2}`:             `expected nothing behind the object, got "{\"v\":2}" at byte 8`,
		`{"v":1,}`:                    `expected a string, got "}" at byte 7`,
		`{"v" 1}`:                     `expected :, got "1}" at byte 5`,
		`{"v":1,"v":2}`:               `field "v": the document has it twice`,
		`{"v":null,"v":2}`:            `field "v": the document has it twice`,
		`{"u":tru}`:                   `expected a value, got "tru}" at byte 5`,
		`{"u":[1,]}`:                  `expected a value, got "]}" at byte 8`,
		`{"u":"` + "\x01" + `"}`:      `expected no control character in a string, got "\x01\"}" at byte 6`,
		`{"u":"` + "\xff" + `"}`:      `expected valid UTF-8, got "\xff\"}" at byte 6`,
		`{"u":"\ud800"}`:              `expected a pair of surrogates, got "\\ud800\"}" at byte 6`,
		`{"u":"\x"}`:                  `expected an escape, got "\\x\"}" at byte 6`,
		`{"u":"\u12"}`:                `expected \u and four hex digits, got "\\u12\"}" at byte 6`,
		`{"u":"open`:                  `expected the end of a string, the document ends at byte 10`,
		`{"u":01}`:                    `expected no digit behind a leading zero, got "1}" at byte 6`,
		strings.Repeat(`{"u":`, 1000): `expected no more than 200 levels`,
	} {
		require.Contains(t, decodeOne(t, columnar.BigInt, doc), want, doc)
	}
}

// A bad document leaves nulls, and its neighbors as they are.
func TestNeighborsOfABadDocument(t *testing.T) {
	schema := columnar.NewSchema(
		columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
		columnar.Field{Name: "n", Type: columnar.BigInt, Nullable: true})
	values := documents(`{"s":"a","n":1}`, `{"s":"lost","n":"x"}`, `{"n":3,"other":{},"s":"c"}`, `{}`)
	defer values.Release()
	b, errs, err := NewJSON(schema, nil).Decode(values)
	require.NoError(t, err)
	defer b.Release()
	require.Len(t, errs, 1)
	require.EqualValues(t, 1, errs[0].Row)
	for i, want := range []string{`{"s":"a","n":1}`, `{"s":null,"n":null}`, `{"s":"c","n":3}`, `{"s":null,"n":null}`} {
		require.Equal(t, want, string(columnar.AppendRowJSON(nil, b, i)))
	}
}

func TestNotNull(t *testing.T) {
	schema := columnar.NewSchema(columnar.Field{Name: "v", Type: columnar.BigInt})
	values := documents(`{}`, `{"v":1}`, `{"v":null}`)
	defer values.Release()
	b, errs, err := NewJSON(schema, nil).Decode(values)
	require.NoError(t, err)
	defer b.Release()
	require.Len(t, errs, 2)
	require.EqualError(t, errs[0].Err, `field "v": NOT NULL, and the document has no value for it`)
}

// Against an independent strict parser: whatever is accepted here is valid there with the same value, and, as a STRING
// takes any value, whatever is a valid object there is accepted here.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"v":"x"}`, `{"v":12.5e3,"w":[{"v":null}]}`, `{"v":"\ud83d\ude00\n"}`, `{"v":"` + "\xff" + `"}`, `{"v":1}{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if len(doc) > 4096 {
			return
		}
		values := documents(string(doc))
		defer values.Release()
		b, errs, err := NewJSON(one("v", columnar.String), nil).Decode(values)
		require.NoError(t, err)
		defer b.Release()
		var want map[string]jsontext.Value
		wantErr := json.Unmarshal(doc, &want, jsontext.AllowDuplicateNames(true))
		if len(errs) > 0 {
			if wantErr == nil && len(doc) > 0 && strings.TrimSpace(string(doc)) != "null" && !strings.Contains(errs[0].Err.Error(), "twice") && !strings.Contains(errs[0].Err.Error(), "levels") {
				t.Fatalf("refused %q: %v", doc, errs[0].Err)
			}
			return
		}
		require.NoError(t, wantErr, "accepted %q", doc)
		v, there := want["v"]
		if !there || v.Kind() == 'n' {
			require.True(t, b.Column(0).IsNull(0))
			return
		}
		text := string(v)
		if v.Kind() == '"' {
			require.NoError(t, json.Unmarshal(v, &text))
		}
		require.Equal(t, text, columnar.StringAt(b.Column(0), 0))
	})
}

// FuzzTypes only asks that no document of any type panics or disturbs the shape.
func FuzzTypes(f *testing.F) {
	schema := columnar.NewSchema()
	for i, typ := range []columnar.Type{columnar.Boolean, columnar.Int, columnar.BigInt, columnar.Double, columnar.Decimal(10, 3), columnar.Binary, columnar.Date, columnar.Timestamp} {
		schema.Fields = append(schema.Fields, columnar.Field{Name: string(rune('a' + i)), Type: typ, Nullable: true})
	}
	f.Add([]byte(`{"a":true,"b":1,"c":-2,"d":1.5,"e":"2.25","f":"aGk=","g":"2024-01-01","h":"2024-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		values := documents(string(doc), `{"b":7}`)
		defer values.Release()
		b, _, err := NewJSON(schema, nil).Decode(values)
		require.NoError(t, err)
		defer b.Release()
		require.Equal(t, `{"a":null,"b":7,"c":null,"d":null,"e":null,"f":null,"g":null,"h":null}`, string(columnar.AppendRowJSON(nil, b, 1)))
	})
}

var eventSchema = columnar.NewSchema(
	columnar.Field{Name: "event_id", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "ts", Type: columnar.Timestamp, Nullable: true},
	columnar.Field{Name: "user_id", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "page", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "country", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "amount", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "kind", Type: columnar.String, Nullable: true},
)

// The benchmark's record: 7 fields, 156 bytes.
func BenchmarkJSON(b *testing.B) {
	const rows = 32 << 10
	var buf columnar.BinaryBuffer
	size := 0
	for i := range rows {
		doc := fmt.Appendf(nil, `{"event_id":"%032x","ts":"2026-01-01T00:%02d:%02d.%03dZ","user_id":%d,"page":"/p/%d","country":"DE","amount":%d.%02d,"kind":"view"}`, i*7919, i/60%60, i%60, i%1000, i%100001, i%1000, i%500, i%100)
		buf.Append(doc)
		size += len(doc)
	}
	values := buf.Finish()
	defer values.Release()
	d := NewJSON(eventSchema, nil)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		batch, errs, err := d.Decode(values)
		if err != nil || len(errs) > 0 {
			b.Fatal(errors.Join(err, errs[0].Err))
		}
		batch.Release()
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
