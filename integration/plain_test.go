//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asPlainFiles makes the table of a pipeline file plain Parquet files, in partitions by k.
func asPlainFiles(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := strings.NewReplacer("sink: {delta: {", "sink: {parquet: {partition_by: [k], ", "SELECT id, n FROM", "SELECT id, n, n % 3 AS k FROM").Replace(string(text))
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o644))
}

// requireFolder checks that each reader of a folder finds the ids 0 to n once each, in the partitions that they belong to.
func requireFolder(t *testing.T, folder string, n int) {
	t.Helper()
	var found map[string][]string
	ask(t, &found, "folder", folder)
	require.NotEmpty(t, found)
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf(`{"id": "x%d", "k": %d, "n": %d}`, i, i%3, i))
	}
	for reader, rows := range found {
		require.ElementsMatch(t, want, rows, reader)
	}
}

// A pipeline that is killed while it writes plain files: readers of names find each row once, and no name that they look for is anywhere else.
func TestPlainFilesThroughKills(t *testing.T) {
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := pipeline(t, topic, "", "trigger: {interval: 0s}\ncommit: {interval: 0s}\nlimits: {rows_per_batch: 7}\n")
	asPlainFiles(t, file)
	n := 0
	feed := func(rows int) {
		var values []string
		for range rows {
			values = append(values, fmt.Sprintf(`{"id":"x%d","n":%d}`, n, n))
			n++
		}
		produce(t, cl, topic, 0, append(values, "not json")...)
	}
	for i := range 8 {
		feed(100)
		cmd := exec.Command(binary, "run", file)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(150+100*i) * time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		_ = cmd.Wait()
	}
	feed(1)
	res := lakewheel(t, "run", "--available-now", file)
	require.Zero(t, res.code, res.stderr)
	requireFolder(t, table, n)
	require.NoError(t, filepath.WalkDir(filepath.Join(table, "_lakewheel"), func(name string, _ os.DirEntry, err error) error {
		require.False(t, strings.HasSuffix(name, ".parquet"), name)
		return err
	}))
	letters := lakewheel(t, "cat", table+"_dead_letter")
	require.Zero(t, letters.code, letters.stderr)
	require.Equal(t, 9, strings.Count(letters.stdout, "\n"))
	cat := lakewheel(t, "cat", "--where", "k = 2", table)
	require.Zero(t, cat.code, cat.stderr)
	require.Equal(t, n/3, strings.Count(cat.stdout, "\n"))
	vacuum := lakewheel(t, "vacuum", "--retain", "1ns", "--unsafe", "--yes", file)
	require.Zero(t, vacuum.code, vacuum.stderr)
	requireFolder(t, table, n)
}

// The process is killed after each request of a run was applied, and each request fails in another way: readers of the bucket find each row once.
func TestPlainFilesInS3(t *testing.T) {
	s3Environment(t)
	proxy := newS3Proxy(t)
	topic := newTopic(t, 1, nil)
	cl := client(t)
	file, table := s3Pipeline(t, topic, proxy.URL, "")
	asPlainFiles(t, file)
	n := 0
	start := func() *exec.Cmd {
		produce(t, cl, topic, 0, fmt.Sprintf(`{"id":"x%d","n":%d}`, n, n))
		n++
		return exec.Command(binary, "run", "--available-now", file)
	}
	for range 2 {
		proxy.meet(nil, nil)
		require.NoError(t, start().Run())
	}
	requests := proxy.count()
	t.Logf("%d requests in a run with one record, probe and fence included", requests)
	for at := range requests {
		cmd := start()
		proxy.meet(func(i int, _ *http.Request) s3Fault {
			if i == at {
				return applyThenDrop
			}
			return noFault
		}, func(i int, _ *http.Request) {
			if i == at {
				_ = cmd.Process.Signal(syscall.SIGKILL)
			}
		})
		_ = cmd.Run()
		fault := s3Faults[at%len(s3Faults)]
		proxy.meet(func(i int, _ *http.Request) s3Fault {
			if i == at {
				return fault
			}
			return noFault
		}, nil)
		require.NoError(t, start().Run(), "request %d", at)
	}
	requireFolder(t, table, n)
}
