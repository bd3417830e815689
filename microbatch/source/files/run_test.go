package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/source/files"
	"github.com/lakewheel/lakewheel/microbatch/source/internal/sourcetest"
)

// Files that come later are found whatever their names are, and each is read once.
func TestFilesAreFoundInAnyOrderOfNames(t *testing.T) {
	r := newRig(t)
	r.put("b.ndjson", ndjson(0, 5))
	r.put("z/y.ndjson", ndjson(5, 10))
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 10), r.Rows("t"))
	r.put("a.ndjson", ndjson(10, 12))
	r.put("z/a.ndjson", ndjson(12, 20))
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 20), r.Rows("t"))
	batches := len(r.Lines)
	require.NoError(t, r.Run())
	require.Len(t, r.Lines, batches, "nothing new, no batch")
}

// However small the batches are, and however often the process starts again, the table is that of one run.
func TestManyBatchesAreOneCatchUp(t *testing.T) {
	for name, c := range map[string]struct {
		limit  microbatch.Limits
		files  int64
		commit time.Duration
	}{
		"one run":                   {},
		"a row at a time":           {limit: microbatch.Limits{RowsPerBatch: 1, Workers: 1}},
		"batches within files":      {limit: microbatch.Limits{RowsPerBatch: 4, Workers: 3}},
		"two files a batch":         {files: 2},
		"batches fold into commits": {limit: microbatch.Limits{RowsPerBatch: 4}, commit: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Limits, r.c.MaxFiles, r.Commit = c.limit, c.files, c.commit
			r.Limits.Workers = max(1, r.Limits.Workers)
			for i := range 8 {
				r.put(fmt.Sprintf("f%d.ndjson", 7-i), ndjson(10*i, 10*i+10))
				if i%3 == 0 {
					require.NoError(t, r.Run())
				}
			}
			require.NoError(t, r.Run())
			require.Equal(t, want(0, 80), r.Rows("t"))
		})
	}
}

// A crash after any write, and a start again: every row once.
func TestCrashesAtEveryWrite(t *testing.T) {
	for k, crashed := 0, true; crashed; k++ {
		r := newRig(t)
		r.Limits.RowsPerBatch = 6
		for i := range 3 {
			r.put(fmt.Sprintf("f%d.ndjson", i), ndjson(10*i, 10*i+10))
		}
		r.Out.CrashAfter(k)
		err := r.Run()
		if crashed = err != nil; crashed {
			require.ErrorIs(t, err, store.ErrCrashed)
		}
		r.put("late.ndjson", ndjson(30, 40))
		r.Out = r.Out.Reopen()
		require.NoError(t, r.Run(), "crash after write %d", k)
		require.Equal(t, want(0, 40), r.Rows("t"), "crash after write %d", k)
	}
}

func packed(t *testing.T, suffix, text string) string {
	var b bytes.Buffer
	if suffix == ".gz" {
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, errors.Join(err, w.Close()))
		return b.String()
	}
	w, err := zstd.NewWriter(&b)
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, errors.Join(err, w.Close()))
	return b.String()
}

// Every form of text gives the same rows, with the places where they stand.
func TestForms(t *testing.T) {
	csv := "1,one\r\n2,two\n\n3,\"th,ree\""
	forms := []string{`{"id":1,"name":"one","_offset":%d}`, `{"id":2,"name":"two","_offset":%d}`, `{"id":3,"name":"th,ree","_offset":%d}`}
	for name, c := range map[string]struct {
		file, body string
		set        func(r *rig)
		at         []any
	}{
		"ndjson":           {"a.json", "{\"id\":1,\"name\":\"one\"}\n{\"id\":2,\"name\":\"two\"}\n{\"id\":3,\"name\":\"th,ree\"}", func(*rig) {}, []any{0, 22, 44}},
		"csv":              {"a.csv", csv, func(r *rig) { r.Format = "csv" }, []any{0, 7, 14}},
		"byte order mark":  {"a.csv", "\xef\xbb\xbf" + csv, func(r *rig) { r.Format = "csv" }, []any{0, 10, 17}},
		"header":           {"a.csv", "id,name\n" + csv, func(r *rig) { r.Format, r.text.Header = "csv", []string{"id", "name"} }, []any{8, 15, 22}},
		"gzip":             {"a.csv.gz", packed(t, ".gz", csv), func(r *rig) { r.Format = "csv" }, []any{0, 7, 14}},
		"zstd with header": {"a.csv.zst", packed(t, ".zst", "id,name\n"+csv), func(r *rig) { r.Format, r.text.Header = "csv", []string{"id", "name"} }, []any{8, 15, 22}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Query = "SELECT id, name, _offset FROM events"
			c.set(r)
			r.Limits.RowsPerBatch = 1
			r.put(c.file, c.body)
			require.NoError(t, r.Run())
			require.Equal(t, strings.Split(fmt.Sprintf(strings.Join(forms, "\n"), c.at...), "\n"), r.Rows("t"))
		})
	}
}

// A value with line breaks is one with multiline, and two bad records without.
func TestMultiline(t *testing.T) {
	for multiline, want := range map[bool][]string{true: {`{"id":1,"name":"a\nb \"c\""}`, `{"id":2,"name":"x"}`}, false: {`{"id":2,"name":"x"}`}} {
		r := newRig(t)
		r.Format, r.text = "csv", files.Text{Multiline: multiline}
		r.put("a.csv", "1,\"a\nb \"\"c\"\"\"\n2,x\n")
		require.NoError(t, r.Run())
		require.Equal(t, want, r.Rows("t"))
		require.Equal(t, !multiline, len(r.Rows("dead")) == 2)
	}
}

// What is wrong with a file says so in a sentence with its place, and nothing is committed.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(r *rig)
		want string
	}{
		"a column too many": {func(r *rig) { r.Format, r.OnBad = "csv", microbatch.FailOnBad; r.put("a.csv", "1,x\n2,y,z\n") },
			"source events, file a.csv, byte 4: expected 2 values, there are more at byte 4 (on_bad_record: fail)"},
		"a header of another schema": {func(r *rig) { r.Format, r.text.Header = "csv", []string{"id", "name"}; r.put("a.csv", "id,nom\n1,x\n") },
			`source events, file a.csv in memory: row 1, the header, calls column 2 "nom", and the schema calls it name: correct the schema or the file`},
		"a header with too few": {func(r *rig) { r.Format, r.text.Header = "csv", []string{"id", "name"}; r.put("a.csv", "id\n1\n") },
			`source events, file a.csv in memory: row 1, the header, names 1 columns, "id", and the schema has 2: correct the schema or the file`},
		"a damaged archive": {func(r *rig) { r.put("a.json.gz", packed(t, ".gz", ndjson(0, 1000))[:200]) },
			"source events, file a.json.gz in memory: unexpected EOF"},
		"no archive": {func(r *rig) { r.put("a.json.gz", "{}") }, "source events, file a.json.gz in memory: "},
		"another type": {func(r *rig) {
			r.Format, r.Schema = "parquet", sourcetest.Schema(r, "id STRING, name STRING")
			r.putParquet("a.parquet", 0, 2)
		},
			"source events, file a.parquet in memory: column id: it is STRING here, and BIGINT in the file"},
		"another schema": {func(r *rig) {
			r.Format, r.Schema, r.Query = "parquet", sourcetest.Schema(r, "x STRING"), "SELECT x FROM events"
			r.putParquet("a.parquet", 0, 2)
		},
			"source events, file a.parquet in memory: it has none of the columns of the schema (x STRING): correct the schema, or take the file out"},
		"a column is missing": {func(r *rig) {
			r.Format, r.Schema = "parquet", sourcetest.Schema(r, "id BIGINT, name STRING, x INT NOT NULL")
			r.putParquet("a.parquet", 0, 2)
		},
			"source events, file a.parquet in memory: it has no column x, which the schema says is NOT NULL: correct the schema, or take the file out"},
		"no parquet": {func(r *rig) { r.Format = "parquet"; r.put("a.parquet", "hello, this is text") },
			"source events, file a.parquet in memory: the Parquet file is damaged: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c.set(r)
			err := r.Run()
			require.ErrorContains(t, err, c.want)
			require.Empty(t, r.Rows("t"))
			require.Empty(t, r.Rows("dead"))
		})
	}
}

// Dead letters have the file and the place in it, and of columns the row as JSON.
func TestDeadLetters(t *testing.T) {
	r := newRig(t)
	r.put("x/a.ndjson", "{\"id\":1}\n{\"id\":no}\n")
	require.NoError(t, r.Run())
	require.Equal(t, []string{`{"id":1,"name":null}`}, r.Rows("t"))
	require.Len(t, r.Rows("dead"), 1)
	require.Contains(t, r.Rows("dead")[0], `"source":"events","topic":"x/a.ndjson","partition":0,"offset":9,`)
	r = newRig(t)
	r.Format, r.Query = "parquet", "SELECT 10 / (id - 3) AS q, name FROM events"
	r.putParquet("a.parquet", 0, 6)
	require.NoError(t, r.Run())
	require.Len(t, r.Rows("t"), 5)
	require.Contains(t, r.Rows("dead")[0], `"topic":"a.parquet","partition":0,"offset":3,`)
	require.Contains(t, r.Rows("dead")[0], fmt.Sprintf("%x", `{"id":3,"name":"n3"}`))
}

// Columns are held to what documents are: NOT NULL, and text that is UTF-8.
func TestColumnsThatBreakTheSchema(t *testing.T) {
	r := newRig(t)
	r.Format, r.Schema, r.Query = "parquet", sourcetest.Schema(r, "id BIGINT NOT NULL, name STRING"), "SELECT id, upper(name) AS name FROM events"
	var names columnar.BinaryBuffer
	for _, name := range []string{"a", "\xff", "b", "c"} {
		names.AppendString(name)
	}
	ids := columnar.NewInt64Column([]int64{0, 1, 2, 3}, []bool{true, true, false, true})
	schema := columnar.NewSchema(columnar.Field{Name: "id", Type: columnar.BigInt, Nullable: true}, columnar.Field{Name: "name", Type: columnar.Binary, Nullable: true})
	r.write("a.parquet", columnar.NewBatch(schema, []columnar.Column{ids, names.Finish()}, 4))
	require.NoError(t, r.Run())
	require.Equal(t, []string{`{"id":0,"name":"A"}`, `{"id":3,"name":"C"}`}, r.Rows("t"))
	require.Len(t, r.Rows("dead"), 2)
	require.Contains(t, r.Rows("dead")[0], "name: [INVALID_UTF8_STRING]")
	require.Contains(t, r.Rows("dead")[1], "id: a value is needed (NOT NULL), got null")
}

// The first batch is cut as later ones are: a file tells by its beginning, or its footer, how many rows its bytes have.
func TestTheFirstBatchHoldsTheLimit(t *testing.T) {
	text := sourcetest.NDJSON(0, 40000)
	packed := func(w io.WriteCloser, b *bytes.Buffer) string {
		_, _ = w.Write([]byte(text))
		require.NoError(t, w.Close())
		return b.String()
	}
	var zipped bytes.Buffer
	for name, write := range map[string]func(r *rig){
		"text":       func(r *rig) { r.put("a.json", text) },
		"compressed": func(r *rig) { r.put("a.json.gz", packed(gzip.NewWriter(&zipped), &zipped)) },
		"parquet": func(r *rig) {
			r.Format = "parquet"
			for at := 0; at < 40000; at += 500 {
				r.putParquet(fmt.Sprintf("%05d.parquet", at), at, at+500)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Limits.RowsPerBatch = 5000
			write(r)
			require.NoError(t, r.Run())
			require.Len(t, r.Rows("t"), 40000)
			if first := r.Lines[0]; name == "compressed" {
				require.EqualValues(t, 40000, first.NumInputRows, "it cannot be cut")
			} else {
				require.InDelta(t, 5000, first.NumInputRows, 1000, "%v", first)
				require.Contains(t, []string{"rows", "commit"}, first.LimitedBy)
			}
		})
	}
	r := newRig(t)
	r.Limits.BytesPerBatch, r.c.MaxFiles = 100<<10, 3
	for i := range 10 {
		r.put(fmt.Sprint(i), sourcetest.NDJSON(i*1000, i*1000+1000))
	}
	require.NoError(t, r.Run())
	require.Contains(t, []string{"bytes", "commit"}, r.Lines[0].LimitedBy)
	r = newRig(t)
	r.c.MaxFiles = 3
	for i := range 10 {
		r.put(fmt.Sprint(i), sourcetest.NDJSON(i*1000, i*1000+1000))
	}
	require.NoError(t, r.Run())
	require.Contains(t, []string{"files", "commit"}, r.Lines[0].LimitedBy)
}

// Files that are still written are left for later.
func TestYoungFilesWait(t *testing.T) {
	r := newRig(t)
	r.folder.MinAge = 10 * time.Second
	r.put("a.ndjson", ndjson(0, 5))
	require.NoError(t, r.Run())
	require.Empty(t, r.Lines)
	r.Clock.Move(11 * time.Second)
	r.put("b.ndjson", ndjson(5, 9))
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 5), r.Rows("t"))
}

// A file that changes after it was read is reported once for good, and not read again.
func TestChangedFilesAreNotReadAgain(t *testing.T) {
	r := newRig(t)
	r.put("a.ndjson", ndjson(0, 5))
	require.NoError(t, r.Run())
	r.put("a.ndjson", ndjson(0, 6))
	for i := range 3 {
		r.put(fmt.Sprintf("b%d.ndjson", i), ndjson(10+i, 11+i))
		require.NoError(t, r.Run())
	}
	require.Equal(t, want(0, 5, 10, 13), r.Rows("t"))
	require.Equal(t, 1, strings.Count(r.Logged.String(), "a file has changed after it was read; it is not read again"))
}

// A file that changes before it is read is read as it is then.
func TestFilesThatWaitMayChange(t *testing.T) {
	r := newRig(t)
	r.Limits.RowsPerBatch, r.c.MaxFiles = 1000, 1
	r.put("a.ndjson", ndjson(0, 5))
	r.put("b.ndjson", ndjson(5, 6))
	r.put("c.ndjson", ndjson(20, 25))
	require.NoError(t, r.RunBatches(1))
	require.Equal(t, want(0, 5), r.Rows("t"))
	r.put("b.ndjson", ndjson(5, 20))
	for range 2 {
		require.NoError(t, r.Run())
		require.Equal(t, want(0, 25), r.Rows("t"))
	}
}

// A file that vanishes before it is read is data loss, unless it may be stepped over; what comes before it is kept.
func TestVanishedFiles(t *testing.T) {
	prepare := func(skip bool) *rig {
		r := newRig(t)
		r.SkipLoss, r.c.MaxFiles = skip, 1
		for i := range 5 {
			r.put(fmt.Sprintf("f%d.ndjson", i), ndjson(10*i, 10*i+10))
		}
		require.NoError(t, r.RunBatches(1))
		for _, name := range []string{"f2.ndjson", "f3.ndjson"} {
			require.NoError(t, r.in.Delete(context.Background(), name))
		}
		return r
	}
	r := prepare(false)
	err := r.Run()
	require.ErrorIs(t, err, source.ErrDataLoss)
	require.ErrorContains(t, err, "data loss: source events, file f2.ndjson in memory, offsets [440,670): the file has vanished since it was listed; nothing of it was committed: restore it, or go on without it with on_data_loss: skip")
	require.Equal(t, want(0, 10), r.Rows("t"), "nothing goes on")
	r.put("f2.ndjson", ndjson(20, 30))
	r.put("f3.ndjson", ndjson(30, 40))
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 50), r.Rows("t"), "they are back")
	r = prepare(true)
	require.NoError(t, r.Run())
	require.Equal(t, want(0, 20, 40, 50), r.Rows("t"))
	var holes []string
	for _, p := range r.Lines {
		holes = append(holes, p.Holes...)
	}
	require.Len(t, holes, 2)
}

// A file that vanishes between listing and reading.
func TestFilesThatVanishWhileTheyAreRead(t *testing.T) {
	for skip, want := range map[bool][]string{false: nil, true: want(0, 10, 20, 30)} {
		r := newRig(t)
		r.SkipLoss = skip
		for i := range 3 {
			r.put(fmt.Sprintf("f%d.ndjson", i), ndjson(10*i, 10*i+10))
		}
		r.folder.Objects = &vanishing{Mem: r.in, name: "f1.ndjson"}
		err := r.Run()
		if !skip {
			require.ErrorIs(t, err, source.ErrDataLoss)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, want, r.Rows("t"))
	}
}

// vanishing is a store where a file goes as it is opened.
type vanishing struct {
	*store.Mem
	name string
}

func (v *vanishing) Open(ctx context.Context, name string) (store.Reader, error) {
	if name == v.name {
		_ = v.Delete(ctx, name)
	}
	return v.Mem.Open(ctx, name)
}

// Hidden files, those of other tables and those that the pattern does not take are not read.
func TestPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"**/*":           "a.json a=1/b.json a/b/c.json d.txt",
		"*":              "a.json d.txt",
		"*.json":         "a.json",
		"**/*.json":      "a.json a=1/b.json a/b/c.json",
		"a/**":           "a/b/c.json",
		"a*/**/?.json":   "a=1/b.json a/b/c.json",
		"**/b/**/c.json": "a/b/c.json",
		"[a-c].json":     "a.json",
	} {
		g, err := files.ParseGlob(pattern)
		require.NoError(t, err)
		var got []string
		for _, name := range []string{"a.json", "a=1/b.json", "a/b/c.json", "d.txt", "_delta_log/0.json", ".x.json", "a/_b/c.json", "a/.c.json"} {
			if g.Match(name) && !files.Hidden(name) {
				got = append(got, name)
			}
		}
		require.Equal(t, want, strings.Join(got, " "), pattern)
	}
	for pattern, want := range map[string]string{"a//b": "empty part", "../in/*": "has the part ..", "./*": "has the part .", "*.{csv,tsv}": "has braces", " *.csv": "has blanks", "[a": "is no pattern"} {
		_, err := files.ParseGlob(pattern)
		require.ErrorContains(t, err, want, pattern)
	}
}

// Another folder under the name of a source is refused: its files would be taken for those that were read.
func TestAnotherFolder(t *testing.T) {
	r := newRig(t)
	r.put("x/a.ndjson", ndjson(0, 5))
	require.NoError(t, r.Run())
	q := r.Build()
	folder := &files.Folder{Format: files.Text{}, Objects: store.Sub(r.in, "x"), Glob: files.Glob{"*"}, Now: r.Clock.Now}
	q.Inputs[0].Source = files.New(files.Config{Name: "events", Kind: "files", Feed: folder, Now: r.Clock.Now})
	require.ErrorContains(t, microbatch.Run(context.Background(), q), "source events was read from memory, and its path is memory/x now")
}
