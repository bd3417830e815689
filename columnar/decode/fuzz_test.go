package decode

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

var fuzzSchema = columnar.NewSchema(
	columnar.Field{Name: "i", Type: columnar.BigInt, Nullable: true},
	columnar.Field{Name: "s", Type: columnar.String, Nullable: true},
	columnar.Field{Name: "x", Type: columnar.Double, Nullable: true},
	columnar.Field{Name: "b", Type: columnar.Boolean, Nullable: true})

// FuzzJSON compares with jsontext: the same documents are good, with the same values.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"i":1,"s":"x","x":1.5,"b":true}`, `{"x":1e22,"i":-9223372036854775808}`, `{"s":"\ud83d\ude00é\u0000"}`, `{"s":{"a":[1,2,"é"]}}`,
		`{"u":[[],{}],"i":null}`, `{"i":01}`, `{"i":1}}`, `{"s":"\ud800"}`, "{\"s\":\"\xff\"}", `{"x":123456789.123456789e-5}`, `{"i":1,"i":2}`, `{"b":false ,"s" : "abcdefghijklmnop"}`,
		`{"x":0.000000000000000000000000001}`, `{"x":-0.0}`, `{"x":"NaN"}`, ` {} `, `{"x":9007199254740993}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		want, good := reference(doc)
		var values columnar.BinaryBuffer
		values.Append([]byte(`{"i":7}`))
		values.Append(doc)
		values.Append([]byte(`{"s":"after"}`))
		in := values.Finish()
		defer in.Release()
		b, errs, err := NewJSON(fuzzSchema, nil).Decode(in)
		require.NoError(t, err)
		defer b.Release()
		require.Equal(t, `{"i":7,"s":null,"x":null,"b":null}`, string(columnar.AppendRowJSON(nil, b, 0)))
		require.Equal(t, `{"i":null,"s":"after","x":null,"b":null}`, string(columnar.AppendRowJSON(nil, b, 2)))
		if !good {
			require.Len(t, errs, 1, "accepted %q", doc)
			require.Less(t, len(errs[0].Err.Error()), 300)
			return
		}
		require.Empty(t, errs, "refused %q", doc)
		require.Equal(t, want, string(columnar.AppendRowJSON(nil, b, 1)))
	})
}

// reference decodes with jsontext. Duplicates count for known fields only.
func reference(doc []byte) (row string, good bool) {
	d := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return "", false
	}
	if _, err := d.ReadToken(); err != nil {
		return "", false
	}
	found := map[string]string{}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil || key.Kind() != '"' {
			return "", false
		}
		name := key.String()
		value, err := d.ReadValue()
		if err != nil {
			return "", false
		}
		k := fuzzSchema.Index(name)
		if k < 0 || fuzzSchema.Fields[k].Name != name {
			continue
		}
		if _, twice := found[name]; twice {
			return "", false
		}
		if found[name], good = referenceValue(fuzzSchema.Fields[k].Type, value); !good {
			return "", false
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return "", false
	}
	if _, err := d.ReadToken(); err == nil || err.Error() != "EOF" {
		return "", false
	}
	out := "{"
	for i, f := range fuzzSchema.Fields {
		if i > 0 {
			out += ","
		}
		v, ok := found[f.Name]
		if !ok {
			v = "null"
		}
		out += `"` + f.Name + `":` + v
	}
	return out + "}", true
}

func referenceValue(t columnar.Type, v jsontext.Value) (string, bool) {
	kind := v.Kind()
	switch {
	case kind == 'n':
		return "null", true
	case t == columnar.Boolean:
		return string(v), kind == 't' || kind == 'f'
	case t == columnar.BigInt:
		n, err := strconv.ParseInt(string(v), 10, 64)
		return strconv.FormatInt(n, 10), kind == '0' && err == nil
	case t == columnar.Double && kind == '"':
		text, _ := jsontext.AppendUnquote(nil, v)
		x, ok := nonNumeric[string(text)]
		return printFloat(x), ok
	case t == columnar.Double:
		x, err := strconv.ParseFloat(string(v), 64)
		return printFloat(x), kind == '0' && err == nil
	}
	text := []byte(v)
	if kind == '"' {
		text, _ = jsontext.AppendUnquote(nil, v)
	}
	return string(columnar.AppendValueJSON(nil, columnar.NewStringColumn([]string{string(text)}), 0)), true
}

func printFloat(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		text, _ := json.Marshal(map[bool]string{true: "NaN", false: "Infinity"}[math.IsNaN(x)])
		if math.IsInf(x, -1) {
			return `"-Infinity"`
		}
		return string(text)
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}
