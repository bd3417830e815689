//go:build integration

package integration

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// s3Fault is what a proxy does with a request.
type s3Fault string

const (
	noFault       s3Fault = ""
	applyThen503  s3Fault = "apply, then 503"
	applyThenDrop s3Fault = "apply, then drop"
	hangFault     s3Fault = "hang"
	conflict      s3Fault = "409"
	slowFault     s3Fault = "slow"
	throttle      s3Fault = "throttle"
)

var s3Faults = []s3Fault{applyThen503, applyThenDrop, hangFault, conflict, slowFault, throttle}

// s3Proxy stands before the server and fails as told.
type s3Proxy struct {
	*httptest.Server
	target string

	mu     sync.Mutex
	n      int
	before func(n int, r *http.Request) s3Fault
	after  func(n int, r *http.Request)
}

func newS3Proxy(t *testing.T) *s3Proxy {
	p := &s3Proxy{target: s3Server(t)}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// meet counts requests from 0 again. before says what happens to the n-th one, after is called when it was applied and not yet answered.
func (p *s3Proxy) meet(before func(n int, r *http.Request) s3Fault, after func(n int, r *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n, p.before, p.after = 0, before, after
}

func (p *s3Proxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

func (p *s3Proxy) next(r *http.Request) (n int, f s3Fault, after func(int, *http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = p.n
	p.n++
	if p.before != nil {
		f = p.before(n, r)
	}
	return n, f, p.after
}

func (p *s3Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client died
	}
	n, fault, after := p.next(r)
	switch fault {
	case conflict:
		sayFault(w, http.StatusConflict, "ConditionalRequestConflict")
		return
	case throttle:
		sayFault(w, http.StatusServiceUnavailable, "SlowDown")
		return
	case hangFault:
		<-r.Context().Done()
		return
	case slowFault:
		time.Sleep(300 * time.Millisecond)
	}
	res, err := p.forward(r, body)
	if err != nil {
		sayFault(w, http.StatusBadGateway, "BadGateway")
		return
	}
	defer res.Body.Close()
	if after != nil {
		after(n, r)
	}
	switch fault {
	case applyThen503:
		sayFault(w, http.StatusServiceUnavailable, "ServiceUnavailable")
	case applyThenDrop:
		panic(http.ErrAbortHandler)
	default:
		for k, v := range res.Header {
			w.Header()[k] = v
		}
		w.WriteHeader(res.StatusCode)
		_, _ = io.Copy(w, res.Body)
	}
}

// forward sends the request on as it was signed. It is applied even if the client dies meanwhile.
func (p *s3Proxy) forward(r *http.Request, body []byte) (*http.Response, error) {
	out, err := http.NewRequest(r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header, out.Host, out.ContentLength = r.Header.Clone(), r.Host, int64(len(body))
	return http.DefaultTransport.RoundTrip(out)
}

func sayFault(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code></Error>")
}

// isEntry reports whether a request writes a log entry of the table.
func isEntry(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/tables/p/_delta_log/") && strings.HasSuffix(r.URL.Path, ".json")
}

// scan is what delta-rs finds in a table.
func scan(t *testing.T, table string) (rows []string) {
	ask(t, &rows, "scan", table)
	return rows
}

// requireIDs checks that a table holds so many different rows, each once.
func requireIDs(t *testing.T, table string, n int) {
	t.Helper()
	rows := scan(t, table)
	seen := map[string]int{}
	for _, r := range rows {
		seen[r]++
	}
	require.Len(t, seen, n, "different rows")
	require.Len(t, rows, n, "each once")
}
