package store

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// wrong is what goes wrong with a request.
type wrong int

const (
	nothing         wrong = iota
	applyThen503          // the answer is that of a proxy
	applyThenDrop         // the connection ends before the answer
	applyThenHang         // no answer ever
	noETag                // applied, answered without ETag
	applyLate             // no answer, applied once the client has given up
	applyTwice            // a proxy sends it again and passes on the second answer
	refuse503             // not applied
	slowDown              // not applied: throttled
	conflict409           // not applied
	drop                  // not applied, no answer
	hang                  // not applied, no answer ever
	slow                  // applied after a moment
	expiredToken          // not applied
	forbidden             // not applied
	cutShort              // the body of the answer ends early
	unconditionally       // applied without its condition
)

// fakeS3 is a store in memory behind a proxy that fails as told.
type fakeS3 struct {
	*httptest.Server
	behind http.Handler

	mu     sync.Mutex
	faults func(n int, r *http.Request) wrong
	n      int
	log    []string
}

const (
	fakeBucket = "lake"
	fakeKey    = "AKIAFAKE"
	fakeSecret = "s3cr3t-of-the-fake-store"
)

func TestMain(m *testing.M) {
	minio.DefaultRetryUnit = time.Nanosecond // the client waits after its only attempt, too
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

// newFakeS3 starts a fake over TLS with one bucket.
func newFakeS3(t testing.TB) *fakeS3 {
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket(fakeBucket))
	f := &fakeS3{behind: gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

// fail sets what happens to the n-th request from now, from 0.
func (f *fakeS3) fail(faults func(n int, r *http.Request) wrong) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults, f.n, f.log = faults, 0, nil
}

// failNth lets one fault happen to the n-th request of a method.
func (f *fakeS3) failNth(method string, nth int, w wrong) {
	seen := -1
	f.fail(func(_ int, r *http.Request) wrong {
		if r.Method == method {
			seen++
			if seen == nth {
				return w
			}
		}
		return nothing
	})
}

func (f *fakeS3) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.log...)
}

func (f *fakeS3) meet(r *http.Request) wrong {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, r.Method)
	n := f.n
	f.n++
	if f.faults == nil {
		return nothing
	}
	return f.faults(n, r)
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch f.meet(r) {
	case applyThen503:
		f.apply(r)
		sayXML(w, 503, "ServiceUnavailable")
	case applyThenDrop:
		f.apply(r)
		panic(http.ErrAbortHandler)
	case applyThenHang:
		f.apply(r)
		<-r.Context().Done()
	case noETag:
		f.apply(r)
		w.WriteHeader(http.StatusOK)
	case applyLate:
		body, _ := io.ReadAll(r.Body)
		<-r.Context().Done()
		again := r.Clone(context.WithoutCancel(r.Context()))
		again.Body = io.NopCloser(bytes.NewReader(body))
		f.apply(again)
	case applyTwice:
		body, _ := io.ReadAll(r.Body)
		again := r.Clone(r.Context())
		again.Body, r.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
		f.apply(again)
		f.behind.ServeHTTP(w, r)
	case refuse503:
		sayXML(w, 503, "ServiceUnavailable")
	case slowDown:
		sayXML(w, 503, "SlowDown")
	case conflict409:
		sayXML(w, 409, "ConditionalRequestConflict")
	case drop:
		panic(http.ErrAbortHandler)
	case hang:
		_, _ = io.Copy(io.Discard, r.Body) // the end of the client is seen only once the body was read
		<-r.Context().Done()
	case slow:
		time.Sleep(20 * time.Millisecond)
		f.behind.ServeHTTP(w, r)
	case expiredToken:
		sayXML(w, 400, "ExpiredToken")
	case forbidden:
		sayXML(w, 403, "AccessDenied")
	case cutShort:
		rec := f.apply(r)
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("Last-Modified", rec.Header().Get("Last-Modified"))
		_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
		panic(http.ErrAbortHandler)
	case unconditionally:
		r.Header.Del("If-None-Match")
		f.behind.ServeHTTP(w, r)
	default:
		f.behind.ServeHTTP(w, r)
	}
}

func (f *fakeS3) apply(r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	f.behind.ServeHTTP(rec, r)
	return rec
}

func sayXML(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>said "+fakeSecret+"</Message></Error>")
}

// config talks to the fake without waiting between attempts.
func (f *fakeS3) config() S3Config {
	roots := x509.NewCertPool()
	roots.AddCert(f.Certificate())
	return S3Config{
		Endpoint: f.URL, AccessKey: fakeKey, SecretKey: fakeSecret, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		Timeout: 10 * time.Second, Attempts: 4,
		Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Random: func() float64 { return 0.5 },
	}
}

// open returns a store in a folder of the fake's bucket.
func (f *fakeS3) open(t testing.TB, change ...func(*S3Config)) *S3 {
	c := f.config()
	for _, edit := range change {
		edit(&c)
	}
	s, err := NewS3("s3://"+fakeBucket+"/tables/t", c)
	require.NoError(t, err)
	t.Cleanup(func() {
		if pool, ok := s.config.Base.(*http.Transport); ok {
			pool.CloseIdleConnections()
		}
	})
	return s
}

// OpenFakeS3 returns a store in a fake of its own.
func OpenFakeS3(t *testing.T) Store { return newFakeS3(t).open(t) }
