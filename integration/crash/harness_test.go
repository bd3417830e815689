//go:build integration

// Package crash holds the binary against the worst of the world: it is killed, raced and stopped, fed records that no one should send, and
// its tables are changed by delta-rs between runs. What counts is what independent readers find: every record once.
//
// KAFKA_BROKERS and LAKEWHEEL_PYTHON are as in package integration.
package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/integration/internal/pyenv"
)

var binary, brokers, python string

func TestMain(m *testing.M) {
	code, err := setUp(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func setUp(m *testing.M) (int, error) {
	cache, err := filepath.Abs("../../.cache")
	if err != nil {
		return 1, err
	}
	work, err := os.MkdirTemp("", "lakewheel-crash-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(work)
	binary = filepath.Join(work, "lakewheel")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/lakewheel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := loud(build); err != nil {
		return 1, err
	}
	unlock, err := lock(cache)
	if err != nil {
		return 1, err
	}
	stop, err := prepare(cache, work)
	unlock()
	if err != nil {
		return 1, err
	}
	defer stop()
	return m.Run(), nil
}

// lock keeps two processes from filling the cache at once.
func lock(cache string) (unlock func(), err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

// prepare finds or makes the Python of the readers and the broker.
func prepare(cache, work string) (stop func(), err error) {
	if python, err = readers(cache); err != nil {
		return nil, err
	}
	return broker(cache, work)
}

func loud(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

const requirements = "../readers/requirements.txt"

func readers(cache string) (string, error) {
	if p := os.Getenv("LAKEWHEEL_PYTHON"); p != "" {
		return p, nil
	}
	return pyenv.Python(filepath.Join(cache, "venv"), requirements)
}

// broker starts a broker in the work folder, unless one is given. Its ports are not those of package integration, which may run beside it.
func broker(cache, work string) (stop func(), err error) {
	if brokers = os.Getenv("KAFKA_BROKERS"); brokers != "" {
		return func() {}, nil
	}
	const port = 29492
	dir := filepath.Join(work, "broker")
	run := func(what string) error {
		log, err := os.Create(filepath.Join(work, "kafka-"+what+".log"))
		if err != nil {
			return err
		}
		defer log.Close()
		cmd := exec.Command("../kafka/run-kafka.sh", what, dir)
		cmd.Env = append(os.Environ(), fmt.Sprintf("KAFKA_PORT=%d", port), "KAFKA_LIB="+filepath.Join(cache, "kafka"))
		cmd.Stdout, cmd.Stderr = log, log // a file, not a pipe: the broker keeps it open
		if err := cmd.Run(); err != nil {
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("%s: %w\n%s", cmd, err, text)
		}
		return nil
	}
	if err := run("start"); err != nil {
		return nil, err
	}
	brokers = fmt.Sprintf("127.0.0.1:%d", port)
	return func() {
		if err := run("stop"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}, nil
}

func newTopic(t *testing.T, partitions int32, configs map[string]string) string {
	name := strings.ToLower(strings.NewReplacer("/", "-", " ", "_").Replace(t.Name())) + fmt.Sprintf("-%d", time.Now().UnixNano())
	set := map[string]*string{}
	for k, v := range configs {
		set[k] = &v
	}
	adm := kadm.NewClient(client(t))
	_, err := adm.CreateTopic(t.Context(), partitions, 1, set, name)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = adm.DeleteTopic(context.Background(), name) }) // runs before the client closes
	return name
}

func client(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// produce writes values to partition 0, in order; nil is a record without value.
func produce(t *testing.T, cl *kgo.Client, topic string, values ...[]byte) {
	var records []*kgo.Record
	for _, v := range values {
		records = append(records, &kgo.Record{Topic: topic, Value: v})
	}
	require.NoError(t, cl.ProduceSync(t.Context(), records...).FirstErr())
}

// event is the document with number i.
func event(i int) []byte { return fmt.Appendf(nil, `{"id":"id-%08d","n":%d}`, i, i) }

func events(from, until int) (out [][]byte) {
	for i := from; i < until; i++ {
		out = append(out, event(i))
	}
	return out
}

// pipeline writes a pipeline file into a folder of the test. More is further YAML at the top level.
func pipeline(t *testing.T, topic, more string) (file, table string) {
	dir := t.TempDir()
	file, table = filepath.Join(dir, "p.yaml"), filepath.Join(dir, "table")
	text := fmt.Sprintf("name: p\nsources:\n  events:\n    kafka: {brokers: [%q], topic: %q}\n    schema: id STRING, n BIGINT\nquery: SELECT id, n FROM events\nsink: {delta: {path: %q}}\n%s", brokers, topic, table, more)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file, table
}

// process is a run of the binary.
type process struct {
	*exec.Cmd
	ended    chan struct{}
	out, err safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func start(t *testing.T, args ...string) *process {
	p := &process{Cmd: exec.Command(binary, args...), ended: make(chan struct{})}
	p.Stdout, p.Stderr = &p.out, &p.err
	require.NoError(t, p.Start())
	go func() { _ = p.Wait(); close(p.ended) }()
	t.Cleanup(func() { _ = p.Process.Kill(); <-p.ended })
	return p
}

func (p *process) signal(t *testing.T, s os.Signal) { require.NoError(t, p.Process.Signal(s)) }

// code waits for the end and returns the exit code.
func (p *process) code(t *testing.T, within time.Duration) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		require.FailNow(t, "still running", "after %s: %s\n%s", within, p.Cmd, p.err.String())
	}
	return p.ProcessState.ExitCode()
}

// batches is how many batches the process has reported; each was committed before.
func (p *process) batches() int { return strings.Count(p.out.String(), `"batchId"`) }

func drain(t *testing.T, file string) {
	t.Helper()
	p := start(t, "run", "--available-now", file)
	require.Zero(t, p.code(t, 3*time.Minute), p.err.String())
}

// independent calls readers.py.
func independent(t *testing.T, into any, args ...string) {
	t.Helper()
	cmd := exec.Command(python, append([]string{"../readers/readers.py"}, args...)...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.FailNow(t, "reader failed", "%v\n%s", args, exit.Stderr)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, into), "%s", out)
}

// foreign lets delta-rs do something to a table.
func foreign(t *testing.T, args ...string) {
	t.Helper()
	var ignored any
	independent(t, &ignored, args...)
}

// query runs SQL over the rows of a table, called t, in DuckDB; delta-rs lists the files.
func query(t *testing.T, table, sql string) (rows [][]any) {
	t.Helper()
	independent(t, &rows, "query", table, sql)
	return rows
}

// number is the first value of a query.
func number(t *testing.T, table, sql string) int {
	t.Helper()
	return int(query(t, table, sql)[0][0].(float64))
}

func version(t *testing.T, table string) int {
	t.Helper()
	var c struct{ Version int }
	independent(t, &c, "count", table, "id")
	return c.Version
}

// requireExactly checks that a column holds every value of an SQL query once, and nothing else.
func requireExactly(t *testing.T, table, column, expected string) {
	t.Helper()
	sql := fmt.Sprintf(`with want as (%s), have as (select k, count(*) n from (select %s k from t) group by all)
		select count(*) filter (where have.k is null), count(*) filter (where want.k is null), count(*) filter (where n > 1)
		from want full join have on want.k = have.k`, expected, column)
	require.Equal(t, [][]any{{0.0, 0.0, 0.0}}, query(t, table, sql), "missing, unknown and doubled %s of %s", column, table)
}

// requireEvents checks that the table holds the events 0 to n once each, and nothing else.
func requireEvents(t *testing.T, table string, n int) {
	t.Helper()
	requireExactly(t, table, "id", fmt.Sprintf(`select printf('id-%%08d', i) k from range(%d) r(i)`, n))
}
