package wire

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
)

// drain loads a pipeline and takes in what is there.
func drain(t *testing.T, dir, pipeline string) error {
	file := filepath.Join(dir, "p.yaml")
	require.NoError(t, os.WriteFile(file, []byte(pipeline+"\ntrigger: {available_now: true}\n"), 0o600))
	w := Real(slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil)))
	p, err := config.LoadWith(file, func(name string) (string, bool) { return dir, name == "DIR" }, w.TableSchema(context.Background()))
	if err != nil {
		return err
	}
	q, closeAll, err := Build(context.Background(), p, w)
	if err != nil {
		return err
	}
	defer closeAll()
	return microbatch.Run(context.Background(), q)
}

func localRows(t *testing.T, path string) int {
	objects, err := store.NewLocal(path)
	require.NoError(t, err)
	return countRows(t, objects)
}

func put(t *testing.T, name, body string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(body), 0o600))
}

const fromFiles = `name: p
sources: {events: {files: {path: "${DIR}/in", min_age: 0s}, schema: "id BIGINT"}}
query: SELECT id FROM events
sink: {delta: {path: "${DIR}/out"}}`

// A folder into a table, the table into another one, over restarts.
func TestFilesAndTables(t *testing.T) {
	dir := t.TempDir()
	next := `name: q
sources: {events: {delta: {path: "${DIR}/out"}}}
query: SELECT id, _file AS f FROM events
sink: {delta: {path: "${DIR}/copy"}}`
	require.ErrorContains(t, drain(t, dir, next), "there is no Delta table in "+dir+"/out")
	for i := range 3 {
		put(t, fmt.Sprintf("%s/in/day=%d/x.json", dir, 2-i), "{\"id\":1}\n{\"id\":2}\n")
		require.NoError(t, drain(t, dir, fromFiles))
		require.NoError(t, drain(t, dir, next))
	}
	require.Equal(t, 6, localRows(t, dir+"/out"))
	require.Equal(t, 6, localRows(t, dir+"/copy"))
}

// A folder that cannot be read is told at the start; an empty one is waited for.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, drain(t, dir, fromFiles), "source events: the folder "+dir+"/in does not exist: correct path, or make the folder")
	put(t, dir+"/in", "")
	require.ErrorContains(t, drain(t, dir, fromFiles), "source events: "+dir+"/in is a file: give its folder as path, and its name as glob")
	require.NoError(t, os.Remove(dir+"/in"))
	require.NoError(t, os.Mkdir(dir+"/in", 0o755))
	require.NoError(t, drain(t, dir, fromFiles))
	require.NoDirExists(t, dir+"/out", "nothing to do, no table")
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	put(t, dir+"/in/secret/x.json", "{}")
	require.NoError(t, os.Chmod(dir+"/in/secret", 0))
	defer os.Chmod(dir+"/in/secret", 0o755)
	require.ErrorContains(t, drain(t, dir, fromFiles), "permission denied: give this user the right to use it")
}

// Objects of a bucket, found in any order of names.
func TestFilesInS3(t *testing.T) {
	r := newRig(t, "trigger: {available_now: true}\n")
	in, err := r.world.S3(r.p.S3, "s3://lake/in")
	require.NoError(t, err)
	r.p.Sources[0].Files = &config.Files{Path: "s3://lake/in", Glob: []string{"**", "*.json"}}
	for i := range 3 {
		require.NoError(t, in.Put(context.Background(), fmt.Sprintf("a/%d.json", 9-i), []byte("{\"id\":1}\n{\"id\":2}\n")))
		require.NoError(t, in.Put(context.Background(), fmt.Sprintf("a/%d.txt", 9-i), []byte("none")))
		_, stop := r.run(t)
		stop()
		require.Equal(t, 2*i+2, countRows(t, r.stores["s3://lake/tables/t"]))
	}
}

// An archive of files, then a topic from exactly the offsets where the archive ends.
func TestArchiveBeforeTopic(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "t"))
	require.NoError(t, err)
	defer cluster.Close()
	producer, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer producer.Close()
	produce := func(from, until int) {
		for i := from; i < until; i++ {
			require.NoError(t, producer.ProduceSync(context.Background(), &kgo.Record{Topic: "t", Partition: int32(i % 2), Value: fmt.Appendf(nil, `{"id":%d}`, i)}).FirstErr())
		}
	}
	produce(0, 20)
	dir := t.TempDir()
	put(t, dir+"/in/a.json", "{\"id\":0}\n{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"id\":4}\n{\"id\":5}\n{\"id\":6}\n{\"id\":7}\n{\"id\":9}\n")
	pipeline := func(bootstrap string) string {
		return fmt.Sprintf(`name: p
sources: {events: {kafka: {brokers: [%q], topic: t}, schema: "id BIGINT"%s}}
query: SELECT id FROM events
sink: {delta: {path: "${DIR}/out"}}
limits: {rows_per_batch: 3}`, cluster.ListenAddrs()[0], bootstrap)
	}
	archive := `, bootstrap: {files: {path: "${DIR}/in"}, until: {offsets: {0: 4, 1: 5}}}`
	require.NoError(t, drain(t, dir, pipeline(archive)))
	require.Equal(t, 20, localRows(t, dir+"/out"))
	produce(20, 25)
	require.NoError(t, drain(t, dir, pipeline(archive)))
	produce(25, 30)
	require.NoError(t, drain(t, dir, pipeline("")), "the archive was read")
	require.Equal(t, 30, localRows(t, dir+"/out"))
}
