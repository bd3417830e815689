//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// The S3 server of the tests. Before 1.8.0 it let several writers win the same name.
const (
	gatewayModule  = "github.com/versity/versitygw/cmd/versitygw"
	gatewayVersion = "v1.8.0"
	gatewayKey     = "lakewheel-test"
	gatewaySecret  = "lakewheel-test-secret"
)

var (
	s3Cache, s3Work string
	theGateway      gateway
)

// gateway is the S3 server, started by the first test that needs it.
type gateway struct {
	once sync.Once
	url  string
	cmd  *exec.Cmd
	err  error
}

// s3Server returns the address of the S3 server.
func s3Server(t *testing.T) string {
	if os.Getenv("LAKEWHEEL_SKIP_S3") != "" {
		t.Skip("LAKEWHEEL_SKIP_S3 is set: nothing that needs an S3 server is tested")
	}
	theGateway.once.Do(func() { theGateway.err = theGateway.start() })
	require.NoError(t, theGateway.err)
	return theGateway.url
}

func (g *gateway) start() error {
	file, err := gatewayBinary()
	if err != nil {
		return err
	}
	port, err := freePorts(1)
	if err != nil {
		return err
	}
	dir := filepath.Join(s3Work, "buckets")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s3Work, "versitygw.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	g.url = "http://" + address
	g.cmd = exec.Command(file, "--port", address, "--keep-alive", "--quiet", "posix", dir)
	g.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+gatewayKey, "ROOT_SECRET_KEY="+gatewaySecret)
	g.cmd.Stdout, g.cmd.Stderr = log, log
	if err := g.cmd.Start(); err != nil {
		return err
	}
	for range 100 {
		if res, err := http.Get(g.url); err == nil {
			return res.Body.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	return fmt.Errorf("%s does not answer\n%s", g.cmd, text)
}

func stopGateway() {
	if cmd := theGateway.cmd; cmd != nil && cmd.Process != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// gatewayBinary finds or builds the server. Building takes minutes, so it is kept in the cache.
func gatewayBinary() (string, error) {
	if file := os.Getenv("LAKEWHEEL_VERSITYGW"); file != "" {
		return file, nil
	}
	dir := filepath.Join(s3Cache, "versitygw-"+gatewayVersion)
	file := filepath.Join(dir, "versitygw")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		return file, err
	}
	made := dir + fmt.Sprintf("-%d", os.Getpid())
	defer os.RemoveAll(made)
	install := exec.Command("go", "install", gatewayModule+"@"+gatewayVersion)
	install.Env = append(os.Environ(), "GOBIN="+made, "CGO_ENABLED=0", "GOFLAGS=")
	install.Dir = s3Work // outside of this module
	if err := loud(install); err != nil {
		return "", err
	}
	if err := os.Rename(made, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return file, nil
}

// s3Settings talk to an address.
func s3Settings(url string) store.S3Config {
	return store.S3Config{Endpoint: url, AccessKey: gatewayKey, SecretKey: gatewaySecret}
}

// newBucket makes a bucket for a test.
func newBucket(t *testing.T) string {
	host := strings.TrimPrefix(s3Server(t), "http://")
	c, err := minio.New(host, &minio.Options{Creds: credentials.NewStaticV4(gatewayKey, gatewaySecret, "")})
	require.NoError(t, err)
	name := fmt.Sprintf("test-%d", time.Now().UnixNano())
	require.NoError(t, c.MakeBucket(context.Background(), name, minio.MakeBucketOptions{}))
	return name
}

// s3Environment lets readers and commands of the test find the server.
func s3Environment(t *testing.T) {
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": s3Server(t), "AWS_ACCESS_KEY_ID": gatewayKey, "AWS_SECRET_ACCESS_KEY": gatewaySecret,
		"AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
}

// s3Pipeline writes a pipeline file whose table is in a bucket of its own. The endpoint is that of the server, or a proxy before it.
func s3Pipeline(t *testing.T, topic, endpoint, more string) (file, table string) {
	file = filepath.Join(t.TempDir(), "p.yaml")
	table = "s3://" + newBucket(t) + "/tables/p"
	text := fmt.Sprintf(`name: p
sources:
  events:
    kafka: {brokers: [%q], topic: %q}
    schema: id STRING, n BIGINT
query: SELECT id, n FROM events WHERE n >= 0
sink: {delta: {path: %q}}
s3: {endpoint: %q, access_key: %q, secret_key: "${S3_SECRET:-%s}", timeout: 2s}
%s`, brokers, topic, table, endpoint, gatewayKey, gatewaySecret, more)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file, table
}
