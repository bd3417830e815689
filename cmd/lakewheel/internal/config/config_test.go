package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

func noEnv(string) (string, bool) { return "", false }

func TestFaults(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			p, err := Parse("p.yaml", d.Input, noEnv)
			if err != nil {
				return err.Error()
			}
			text := "ok: " + p.TableSchema().String()
			if keys, ok := p.KeyColumns(); ok {
				text += fmt.Sprint("\nreplaced by ", keys)
			}
			return text
		})
	})
}

func TestExpand(t *testing.T) {
	env := func(name string) (string, bool) {
		return map[string]string{"A": "x", "EMPTY": ""}[name], name == "A" || name == "EMPTY"
	}
	for in, want := range map[string]string{
		"plain": "plain", "${A}": "x", "-${A}-${A}-": "-x-x-", "${B:-y}": "y", "${EMPTY:-y}": "y", "${EMPTY}": "", "$${A}": "${A}", "$A": "$A",
		"${B}": "error: environment variable B is not set; set it, or give a default: ${B:-...}", "${A": "error: ${ without }; write $${ for a literal ${",
	} {
		got, err := expand(in, env)
		if err != nil {
			got = "error: " + err.Error()
		}
		require.Equal(t, want, got, in)
	}
}

// object is the part of a JSON Schema that says which keys there are.
type object struct {
	Properties           map[string]object `json:"properties"`
	AdditionalProperties any               `json:"additionalProperties"`
}

// The JSON Schema has exactly the keys that the reader knows, but for those it knows only to refuse.
func TestJSONSchemaMatchesTheReader(t *testing.T) {
	b, err := JSONSchema()
	require.NoError(t, err)
	var root object
	require.NoError(t, json.Unmarshal(b, &root))
	refused := map[string]bool{"sources.s.files": true, "sources.s.delta": true}
	check := func(path string, o object) {
		known := knownKeys(t, path)
		for key := range o.Properties {
			require.Contains(t, known, key, "the reader does not know %s %s", path, key)
		}
		for _, key := range known {
			_, ok := o.Properties[key]
			require.True(t, ok || refused[strings.TrimPrefix(path+"."+key, ".")], "the schema lacks %s %s", path, key)
		}
	}
	check("", root)
	source := decodeObject(t, root.Properties["sources"].AdditionalProperties)
	check("sources.s", source)
	check("sources.s.kafka", source.Properties["kafka"])
	check("sources.s.kafka.sasl", source.Properties["kafka"].Properties["sasl"])
	for _, key := range []string{"bad_records", "watermark", "dedup"} {
		check("sources.s."+key, source.Properties[key])
	}
	for _, path := range []string{"sink", "trigger", "commit", "limits", "side_tables", "s3", "watermark", "state"} {
		check(path, root.Properties[path])
	}
	for _, key := range []string{"delta", "parquet"} {
		check("sink."+key, root.Properties["sink"].Properties[key])
	}
}

func decodeObject(t *testing.T, v any) (o object) {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &o))
	return o
}

// knownKeys asks the reader which keys it knows at a path, by giving it one that it cannot know.
func knownKeys(t *testing.T, path string) []string {
	text, indent := "", ""
	for _, key := range strings.Split(path, ".") {
		if key != "" {
			text += indent + key + ":\n"
			indent += "  "
		}
	}
	_, err := Parse("p.yaml", text+indent+"qqqqqqqqqqqqqqqq: 1\n", noEnv)
	require.Error(t, err)
	for _, line := range strings.Split(err.Error(), "\n") {
		if _, list, ok := strings.Cut(line, "unknown key qqqqqqqqqqqqqqqq; known are "); ok {
			return strings.Split(list, ", ")
		}
	}
	require.Fail(t, "no list of keys", "%s: %v", path, err)
	return nil
}

func FuzzParse(f *testing.F) {
	f.Add("name: a\nsources: {e: {memory: {}, schema: id BIGINT}}\nquery: SELECT id FROM e\nsink: {console: {}}\n")
	f.Add("name: &x a\nsources: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 2000 {
			_, _ = Parse("p.yaml", text, noEnv)
		}
	})
}

// Sources come in the order of the file.
func TestSources(t *testing.T) {
	kafka := "{kafka: {brokers: [b], topic: t}, schema: id BIGINT}"
	p, err := Parse("p.yaml", "name: q\nsources:\n  z: "+kafka+"\n  a: "+kafka+"\nquery: SELECT id FROM a UNION ALL SELECT id FROM z\nsink: {console: {}}\n", noEnv)
	require.NoError(t, err)
	require.Len(t, p.Sources, 2)
	for i, name := range []string{"z", "a"} {
		require.Equal(t, name, p.Sources[i].Name)
	}
}
