package strictjson

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	type file struct {
		Format int
		N      int64
		Any    any
	}
	for body, want := range map[string]string{
		`{"format":1,"n":9007199254740993,"any":1}`: "",
		`{"format":2}`:         "f has format 2, this program reads format 1",
		`{}`:                   "f has format 0",
		`{"format":1,"m":1}`:   `unknown field "m"`,
		`{"format":1,"n":"x"}`: "cannot unmarshal",
		`{"format":1}{}`:       "after top-level value",
		`{"format":1`:          "unexpected end",
		`[1]`:                  "cannot unmarshal",
	} {
		var f file
		err := Decode("f", []byte(body), 1, &f)
		if want == "" {
			require.NoError(t, err)
			require.EqualValues(t, 9007199254740993, f.N)
			continue
		}
		require.ErrorContains(t, err, want, body)
	}
	body, err := Encode(file{Format: 1, N: 3})
	require.NoError(t, err)
	var back file
	require.NoError(t, Decode("f", body, 1, &back))
	require.EqualValues(t, 3, back.N)
}
