//go:build integration

// Package integration proves what unit tests cannot: a real Kafka broker, the built binary killed at random moments, and tables read
// by programs that we did not write.
//
// It needs Java 17 and Maven for the broker and Python 3 for the readers. KAFKA_BROKERS and KAFKA_SASL_BROKERS name a broker that runs
// already, LAKEWHEEL_PYTHON a Python that has readers/requirements.txt, LAKEWHEEL_VERSITYGW the binary of an S3 server; without them all
// are set up in .cache. LAKEWHEEL_SKIP_S3=1 leaves out what needs an S3 server.
package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lakewheel/lakewheel/integration/internal/pyenv"
)

var (
	binary      string
	brokers     string
	saslBrokers string
	python      string
)

func TestMain(m *testing.M) {
	code, err := setUp(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func setUp(m *testing.M) (int, error) {
	cache, err := filepath.Abs("../.cache")
	if err != nil {
		return 1, err
	}
	work, err := os.MkdirTemp("", "lakewheel-integration-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(work)
	binary = filepath.Join(work, "lakewheel")
	build := exec.Command("go", "build", "-o", binary, "../cmd/lakewheel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := loud(build); err != nil {
		return 1, err
	}
	if python, err = readers(cache); err != nil {
		return 1, err
	}
	stop, err := broker(cache, work)
	if err != nil {
		return 1, err
	}
	defer stop()
	s3Cache, s3Work = cache, work
	defer stopGateway()
	return m.Run(), nil
}

func loud(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// readers is a Python with the independent readers.
func readers(cache string) (string, error) {
	if p := os.Getenv("LAKEWHEEL_PYTHON"); p != "" {
		return p, nil
	}
	return pyenv.Python(filepath.Join(cache, "venv"), "readers/requirements.txt")
}

// broker starts a broker in the work folder, on ports of its own; the jars are kept in the cache.
func broker(cache, work string) (stop func(), err error) {
	if b := os.Getenv("KAFKA_BROKERS"); b != "" {
		brokers, saslBrokers = b, os.Getenv("KAFKA_SASL_BROKERS")
		return func() {}, nil
	}
	port, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	env := append(os.Environ(), fmt.Sprintf("KAFKA_PORT=%d", port), "KAFKA_LIB="+filepath.Join(cache, "kafka"))
	dir := filepath.Join(work, "broker")
	run := func(what string) error {
		log, err := os.Create(filepath.Join(work, "kafka-"+what+".log"))
		if err != nil {
			return err
		}
		defer log.Close()
		cmd := exec.Command("kafka/run-kafka.sh", what, dir)
		cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
		if err := cmd.Run(); err != nil {
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("%s: %w\n%s", cmd, err, text)
		}
		return nil
	}
	if err := run("start"); err != nil {
		return nil, err
	}
	brokers, saslBrokers = fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("127.0.0.1:%d", port+2)
	return func() {
		if err := run("stop"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}, nil
}

// freePorts finds the first of n ports in a row that nothing listens on.
func freePorts(n int) (int, error) {
	for range 100 {
		first := 20_000 + rand.IntN(10_000)
		free := true
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+i))
			if err != nil {
				free = false
				break
			}
			defer l.Close()
		}
		if free {
			return first, nil
		}
	}
	return 0, errors.New("no free ports for a broker")
}

// newTopic makes a topic with a name of its own.
func newTopic(t *testing.T, partitions int32, configs map[string]string) string {
	name := strings.ToLower(strings.NewReplacer("/", "-", " ", "_").Replace(t.Name())) + fmt.Sprintf("-%d", time.Now().UnixNano())
	set := map[string]*string{}
	for k, v := range configs {
		set[k] = &v
	}
	_, err := admin(t).CreateTopic(t.Context(), partitions, 1, set, name)
	require.NoError(t, err)
	return name
}

func client(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner())}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func admin(t *testing.T) *kadm.Client { return kadm.NewClient(client(t)) }

// produce writes values to a partition, in order.
func produce(t *testing.T, cl *kgo.Client, topic string, partition int32, values ...string) {
	var records []*kgo.Record
	for _, v := range values {
		records = append(records, &kgo.Record{Topic: topic, Partition: partition, Value: []byte(v)})
	}
	require.NoError(t, cl.ProduceSync(t.Context(), records...).FirstErr())
}

// pipeline writes a pipeline file into a folder of the test. More replaces or adds top-level YAML.
func pipeline(t *testing.T, topic, kafka, more string) (file, table string) {
	dir := t.TempDir()
	file, table = filepath.Join(dir, "p.yaml"), filepath.Join(dir, "table")
	text := fmt.Sprintf("name: p\nsources:\n  events:\n    kafka: {brokers: [%q], topic: %q%s}\n    schema: id STRING, n BIGINT\nquery: SELECT id, n FROM events WHERE n >= 0\nsink: {delta: {path: %q}}\n%s", brokers, topic, kafka, table, more)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file, table
}

// result of a finished process.
type result struct {
	code           int
	stdout, stderr string
}

func lakewheel(t *testing.T, args ...string) result {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// tableCount is what the independent readers find in a table.
type tableCount struct{ Rows, Distinct, Version, Files int }

func read(t *testing.T, args ...string) (c tableCount) {
	ask(t, &c, args...)
	return c
}

// ask runs the independent readers and reads their answer.
func ask(t *testing.T, answer any, args ...string) {
	out, err := exec.Command(python, append([]string{"readers/readers.py"}, args...)...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.Fail(t, "reader failed", "%v\n%s", args, exit.Stderr)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, answer))
}
