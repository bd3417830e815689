package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
)

// Pauses between attempts: random up to a bound that doubles.
const (
	firstPause = 100 * time.Millisecond
	mostPause  = 10 * time.Second
)

// slowest is how many bytes a second a body moves at least, before its request is given up.
const slowest = 256 << 10

// answer is what an attempt says about its request.
type answer int

const (
	done      answer = iota
	refused          // certainly not applied, and not worth another attempt
	postponed        // certainly not applied, worth another attempt
	uncertain        // perhaps applied, worth another attempt
	taken            // 412
	absent           // 404 of an object
)

// patience is how long a request may go on without a sign of life. Whoever gets a part of the answer may renew it.
type patience struct {
	timer *time.Timer
	small time.Duration
}

type patienceKey struct{}

func (p *patience) limit(size int64) time.Duration {
	return p.small + time.Duration(size)*time.Second/slowest
}

// renew gives the request of a context the time that size more bytes need.
func renew(ctx context.Context, size int64) {
	if p, ok := ctx.Value(patienceKey{}).(*patience); ok {
		p.timer.Reset(p.limit(size))
	}
}

// attempt sends one request that moves size bytes.
func (s *S3) attempt(ctx context.Context, op, key string, size int64, send func(context.Context) error) (answer, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &patience{small: s.config.Timeout}
	p.timer = time.AfterFunc(p.limit(size), cancel)
	defer p.timer.Stop()
	within = context.WithValue(within, patienceKey{}, p)
	var connected atomic.Bool
	err := send(httptrace.WithClientTrace(within, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}))
	if err == nil {
		return done, nil
	}
	a := judge(err)
	if a == uncertain && !connected.Load() {
		a = postponed
	}
	if isExpired(err) {
		s.keys.credentials.Expire()
	}
	if within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("no answer in time: it was given %s", p.limit(size))
	}
	return a, s.explain(ctx, op, key, err)
}

// judge reads an error of the client.
func judge(err error) answer {
	var r minio.ErrorResponse
	if !errors.As(err, &r) {
		if hopeless(err) {
			return refused
		}
		return uncertain
	}
	switch {
	case r.StatusCode == http.StatusPreconditionFailed:
		return taken
	case r.StatusCode == http.StatusConflict:
		return postponed
	case r.StatusCode == http.StatusNotFound && slices.Contains(absentCodes, r.Code): // there is also a 404 for users
		return absent
	case r.StatusCode == http.StatusNotImplemented:
		return refused
	case slices.Contains(damagedOnTheWay, r.Code), isExpired(err):
		return postponed
	case r.StatusCode >= 500, slices.Contains(transientStatus, r.StatusCode), slices.Contains(transientCodes, r.Code):
		return uncertain
	}
	return refused
}

var (
	absentCodes     = []string{minio.NoSuchKey, "NoSuchUpload", "NotFound"}
	transientStatus = []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, 499}
	transientCodes  = []string{"RequestTimeout", "InternalError", "SlowDown", "SlowDownRead", "SlowDownWrite", "Throttling", "ThrottlingException", "RequestThrottled", "RequestLimitExceeded", "ServiceUnavailable"}
	damagedOnTheWay = []string{"BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch"}
)

func isExpired(err error) bool {
	var r minio.ErrorResponse
	return errors.As(err, &r) && (r.Code == "ExpiredToken" || r.Code == "ExpiredTokenException" || r.Code == "RequestExpired")
}

// hopeless reports errors of a connection that no attempt will mend.
func hopeless(err error) bool {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		missing   *noCredentialsError
	)
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &verify) || errors.As(err, &record) ||
		errors.As(err, &missing) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// pause waits before attempt n, from 1.
func (s *S3) pause(ctx context.Context, n int) error {
	most := min(mostPause, firstPause<<min(n-1, 20))
	return s.config.Sleep(ctx, time.Duration(s.config.Random()*float64(most)))
}

// retry sends a request that may be sent any number of times until it is answered for certain.
func (s *S3) retry(ctx context.Context, op, key string, size int64, send func(context.Context) error) error {
	return s.retryUpTo(ctx, s.config.Attempts, op, key, size, send)
}

func (s *S3) retryUpTo(ctx context.Context, attempts int, op, key string, size int64, send func(context.Context) error) error {
	for n := 1; ; n++ {
		a, err := s.attempt(ctx, op, key, size, send)
		switch {
		case a == done:
			return nil
		case a == absent:
			return fmt.Errorf("%s: %w", s.place(key), ErrNotExist)
		case a == refused, a == taken, ctx.Err() != nil:
			return err
		case n >= attempts:
			return fmt.Errorf("%w, after %d attempts", err, n)
		}
		if err := s.pause(ctx, n); err != nil {
			return err
		}
	}
}
