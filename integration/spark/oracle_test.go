//go:build integration

// Package spark compares expressions, queries, schemas and streams, made at random, with what Spark makes of them.
//
// It needs Java 17 and Python 3. LAKEWHEEL_SPARK_PYTHON names a Python that has requirements.txt; without it
// one is set up in .cache. LAKEWHEEL_SKIP_SPARK=1 leaves the package out. Every run has a seed of its own,
// which it prints; SPARK_SEED repeats it. SPARK_EXPRESSIONS and SPARK_STREAMS say how many expressions and streams are tried;
// SPARK_STREAM=N tries the stream with the number N alone.
package spark

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/integration/internal/pyenv"
)

// oracle is a running answer.py.
type oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

var (
	spark *oracle
	seed  uint64
)

func TestMain(m *testing.M) {
	if os.Getenv("LAKEWHEEL_SKIP_SPARK") == "1" {
		fmt.Println("LAKEWHEEL_SKIP_SPARK=1: nothing is compared with Spark")
		return
	}
	code, err := setUp(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "comparing with Spark needs Java 17, Python 3 and pyspark from a package index (LAKEWHEEL_SKIP_SPARK=1 leaves it out):", err)
		code = 1
	}
	os.Exit(code)
}

func setUp(m *testing.M) (int, error) {
	seed = uint64(time.Now().UnixNano()) % 1_000_000
	if text := os.Getenv("SPARK_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 1, err
		}
	}
	fmt.Printf("SPARK_SEED=%d\n", seed)
	python, err := sparkPython()
	if err != nil {
		return 1, err
	}
	cmd := exec.Command(python, "answer.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	log, err := os.CreateTemp("", "lakewheel-spark-*.log")
	if err != nil {
		return 1, err
	}
	defer os.Remove(log.Name())
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	spark = &oracle{in, bufio.NewReader(out)}
	var answers int
	if err := spark.ask(&answers, map[string]any{"do": "table", "schema": "id BIGINT", "rows": []string{`{"id":1}`}}); err != nil {
		_ = cmd.Wait()
		text, _ := os.ReadFile(log.Name())
		return 1, fmt.Errorf("%w\n%s", err, text)
	}
	code := m.Run()
	_ = in.Close()
	return code, cmd.Wait()
}

// sparkPython is a Python with pyspark.
func sparkPython() (string, error) {
	if _, err := exec.LookPath("java"); err != nil && os.Getenv("JAVA_HOME") == "" {
		return "", fmt.Errorf("there is no Java: %w", err)
	}
	if p := os.Getenv("LAKEWHEEL_SPARK_PYTHON"); p != "" {
		return p, nil
	}
	venv, err := filepath.Abs("../../.cache/spark")
	if err != nil {
		return "", err
	}
	return pyenv.Python(venv, "requirements.txt")
}

func (o *oracle) ask(answer, request any) error {
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := o.in.Write(append(text, '\n')); err != nil {
		return err
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("Spark ended without an answer: %w", err)
	}
	return json.Unmarshal(line, answer)
}

func ask(t *testing.T, answer any, request map[string]any) {
	t.Helper()
	require.NoError(t, spark.ask(answer, request))
}

// random is a source of its own for each test.
func random(t *testing.T) *rand.Rand {
	t.Logf("SPARK_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, uint64(len(t.Name()))))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
