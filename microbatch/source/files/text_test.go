package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// piece reads the lines of a part of a text, and where they stand.
func piece(t *testing.T, f Text, name string, body []byte, from, until int64) (lines []string, at []int64) {
	objects := store.NewMem()
	require.NoError(t, objects.Put(context.Background(), name, body))
	in, err := objects.Open(context.Background(), name)
	require.NoError(t, err)
	rows, err := f.Open(in, &Entry{Info: store.Info{Name: name, Size: int64(len(body))}}, from, until)
	require.NoError(t, err)
	defer rows.Close()
	for {
		b, err := rows.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return lines, at
		}
		require.NoError(t, err)
		for i := range b.Rows() {
			lines, at = append(lines, string(columnar.BinaryAt(b.Column(0), i))), append(at, columnar.Int64At(b.Column(1), i))
		}
		b.Release()
	}
}

// However a text is cut, its parts have the lines of the whole, once and in order, and each stands where it says.
func FuzzCuts(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nccc\n"), uint(3), uint(4))
	f.Add([]byte("\xef\xbb\xbfa\nb"), uint(1), uint(2))
	f.Add([]byte("\n\n\n"), uint(1), uint(2))
	f.Add([]byte("no end"), uint(0), uint(5))
	f.Fuzz(func(t *testing.T, body []byte, a, b uint) {
		size := int64(len(body))
		if size == 0 {
			return
		}
		x, y := int64(a)%(size+1), int64(b)%(size+1)
		x, y = max(0, min(x, y)), max(0, max(x, y))
		whole, at := piece(t, Text{}, "x", body, 0, size)
		var parts []string
		for _, cut := range [][2]int64{{0, x}, {x, y}, {y, size}} {
			lines, _ := piece(t, Text{}, "x", body, cut[0], cut[1])
			parts = append(parts, lines...)
		}
		require.Equal(t, whole, parts)
		for i, line := range whole {
			require.True(t, bytes.HasPrefix(bytes.TrimPrefix(body[at[i]:], byteOrderMark), []byte(line)) || bytes.HasPrefix(body[at[i]:], []byte(line)))
			require.NotContains(t, line, "\n")
		}
	})
}

// With multiline, no line ends within quotes, and nothing is lost.
func FuzzMultiline(f *testing.F) {
	f.Add([]byte("1,\"a\nb\"\n2,\"\\\"\n\"\n"))
	f.Add([]byte("\"\n\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) == 0 {
			return
		}
		lines, at := piece(t, Text{Multiline: true}, "x", body, 0, int64(len(body)))
		again, _ := piece(t, Text{Multiline: true}, "x", body, 1, int64(len(body)))
		require.Empty(t, again, "the first part has the whole file")
		end := int64(0)
		for i, line := range lines {
			require.GreaterOrEqual(t, at[i], end)
			end = at[i] + int64(len(line))
		}
	})
}

// A line may be longer than what is read at once, and not longer than what a row may take.
func TestLongLines(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 3*blockBytes)
	got, _ := piece(t, Text{}, "x", append(append([]byte("a\n"), long...), "\nb"...), 0, int64(len(long)+4))
	require.Equal(t, []string{"a", string(long), "b"}, got)
	ended := &lines{in: io.MultiReader(bytes.NewReader(make([]byte, maxLine+1)), bytes.NewReader([]byte("\n")))}
	_, _, err := ended.next()
	require.ErrorContains(t, err, "the line at byte 0 is longer than 64 MiB")
	endless := &lines{in: zeros{}}
	_, _, err = endless.next()
	require.EqualError(t, err, "the line at byte 0 is longer than 64 MiB: cut it into several, or write the file as Parquet")
}

// Of several readers one has a large line at a time; the others go on when its batch was worked on, or when they are to end.
func TestLargeLinesOneByOne(t *testing.T) {
	line := append(bytes.Repeat([]byte("x"), largeLine+blockBytes), '\n')
	format := Text{Large: make(chan struct{}, 1)}
	open := func() Rows {
		objects := store.NewMem()
		require.NoError(t, objects.Put(t.Context(), "a", append(bytes.Clone(line), "short\n"...)))
		in, err := objects.Open(t.Context(), "a")
		require.NoError(t, err)
		rows, err := format.Open(in, &Entry{Info: store.Info{Name: "a", Size: in.Size()}}, 0, in.Size())
		require.NoError(t, err)
		return rows
	}
	first, second := open(), open()
	b, err := first.Next(t.Context())
	require.NoError(t, err)
	b.Release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = second.Next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the first one has it")
	require.NoError(t, first.Close())
	third := open()
	b, err = third.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, b.Rows())
	b.Release()
	require.NoError(t, third.Close())
	require.NoError(t, second.Close())
	require.Empty(t, format.Large)
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
