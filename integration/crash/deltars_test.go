//go:build integration

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

const oneByOne = "limits: {rows_per_batch: 1}\ncommit: {interval: 0s}\n" // a version for each record

// A table of more than 100 versions opens in delta-rs from our checkpoint alone.
func TestDeltaRsReadsOurCheckpoint(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, table := pipeline(t, topic, oneByOne)
	produce(t, client(t), topic, events(0, 120)...)
	drain(t, file)
	require.Equal(t, 119, version(t, table))
	copied := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(copied, os.DirFS(table)))
	checkpoint := checkpointOf(t, copied)
	require.Positive(t, checkpoint)
	require.Equal(t, checkpoint, cutLog(t, copied, checkpoint))
	require.Equal(t, 119, version(t, copied))
	requireEvents(t, copied, 120)
	require.Equal(t, query(t, table, "from t order by all"), query(t, copied, "from t order by all"))
}

// checkpointOf is the version of the newest checkpoint.
func checkpointOf(t *testing.T, table string) int {
	files, err := filepath.Glob(filepath.Join(table, "_delta_log", "*.checkpoint.parquet"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	v := 0
	_, err = fmt.Sscanf(filepath.Base(files[len(files)-1]), "%d.", &v)
	require.NoError(t, err)
	return v
}

// cutLog removes the entries below a version and says how many there were.
func cutLog(t *testing.T, table string, below int) (n int) {
	for v := range below {
		name := filepath.Join(table, "_delta_log", fmt.Sprintf("%020d.json", v))
		if err := os.Remove(name); err == nil {
			n++
		}
	}
	return n
}

// delta-rs changes the table between our runs in every way that leaves our position alone, and we go on from it.
func TestDeltaRsBetweenRuns(t *testing.T) {
	topic := newTopic(t, 2, nil)
	file, table := pipeline(t, topic, oneByOne)
	cl := client(t)
	n, foreignRows, deleted := 0, 0, []string{"-1"}
	run := func() {
		t.Helper()
		for range 6 {
			require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Partition: int32(n % 2), Value: event(n)}).FirstErr())
			n++
		}
		produce(t, cl, topic, []byte("bad"))
		drain(t, file)
	}
	check := func() {
		t.Helper()
		without := strings.Join(deleted, ", ")
		requireExactly(t, table, "coalesce(id, 'delta-rs ' || row_number() over (partition by id))", fmt.Sprintf(`select printf('id-%%08d', i) k from range(%d) r(i) where i not in (%s)
			union all select 'delta-rs ' || i from range(1, %d) r(i)`, n, without, foreignRows+1))
	}
	letters := 0
	steps := [][]string{{"append"}, {"delete", "n = 3"}, {"optimize"}, {"checkpoint"}, {"vacuum"}, {"append"}, {"delete", "n = 8"}, {"checkpoint"}, {"expire"}, {"optimize"}, {"vacuum"}}
	run()
	letters++
	for _, step := range steps {
		for _, path := range []string{table, table + "_dead_letter"} {
			if step[0] == "optimize" || step[0] == "checkpoint" || step[0] == "vacuum" || path == table {
				foreign(t, append([]string{step[0], path}, step[1:]...)...)
			}
		}
		switch step[0] {
		case "append":
			foreignRows++
		case "delete":
			deleted = append(deleted, strings.TrimPrefix(step[1], "n = "))
		}
		check()
		run()
		letters++
		check()
		require.Equal(t, letters, number(t, table+"_dead_letter", `select count(distinct (partition, "offset")) from t`))
		require.Equal(t, letters, number(t, table+"_dead_letter", `select count(*) from t`))
	}
}

// delta-rs commits while we run: our commits go on top of its own.
func TestDeltaRsBesideARun(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, table := pipeline(t, topic, quick)
	stop := make(chan struct{})
	total := feed(t, topic, stop)
	p := start(t, "run", file)
	require.Eventually(t, func() bool { return p.batches() > 1 }, 20*time.Second, 10*time.Millisecond)
	for range 3 {
		foreign(t, "append", table)
		foreign(t, "checkpoint", table)
	}
	close(stop)
	n := <-total
	time.Sleep(time.Second)
	p.signal(t, os.Interrupt)
	require.Zero(t, p.code(t, 10*time.Second), p.err.String())
	drain(t, file)
	require.Equal(t, 3, number(t, table, "select count(*) from t where id is null"))
	require.Equal(t, n, number(t, table, "select count(distinct id) from t"))
	require.Equal(t, n+3, number(t, table, "select count(*) from t"))
}

// RESTORE and overwrite take our rows but not our offsets: the next run stops with 4, whatever has happened since, and publishes nothing. A run
// that is under way stops, too.
func TestRowsTakenByDeltaRs(t *testing.T) {
	for _, how := range [][]string{{"restore", "1"}, {"restore", "0"}, {"overwrite"}} {
		for _, when := range []string{"between runs", "under a run"} {
			t.Run(strings.Join(how, " ")+" "+when, func(t *testing.T) {
				topic := newTopic(t, 1, nil)
				file, table := pipeline(t, topic, oneByOne+"trigger: {interval: 50ms}\n")
				cl := client(t)
				produce(t, cl, topic, append(events(0, 3), []byte("bad"))...)
				drain(t, file)
				take := func() { foreign(t, append([]string{how[0], table}, how[1:]...)...) }
				args := []string{"run", file}
				var p *process
				if when == "under a run" {
					p = start(t, args...)
					time.Sleep(time.Second)
					take()
				} else {
					take()
					foreign(t, "append", table)
					foreign(t, "checkpoint", table)
				}
				taken, letters := version(t, table), logOf(t, table+"_dead_letter")
				produce(t, cl, topic, event(3), []byte("bad"))
				if p == nil {
					p = start(t, args...)
				}
				require.Equal(t, 4, p.code(t, 10*time.Second), p.err.String())
				require.Contains(t, p.err.String(), "took rows but not the offsets they came from")
				require.Equal(t, taken, version(t, table))
				require.Equal(t, letters, logOf(t, table+"_dead_letter"))
			})
		}
	}
}

func logOf(t *testing.T, table string) []string {
	files, err := filepath.Glob(filepath.Join(table, "_delta_log", "*"))
	require.NoError(t, err)
	return files
}
