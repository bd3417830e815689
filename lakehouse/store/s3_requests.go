package store

import (
	"io"
	"maps"
	"net/http"
	"sync/atomic"
)

// Requests counts what a store has sent, by kind. Each attempt counts.
type Requests struct {
	Put, Get, Head, List, Delete int64
	Part                         int64 // parts of uploads
	Upload                       int64 // uploads begun, completed and given up
	Other                        int64 // about the bucket
	Failed                       int64 // among all of them: without an answer, or answered 429 or 5xx
	BytesSent, BytesReceived     int64 // of bodies
}

// Total is the number of requests.
func (r Requests) Total() int64 {
	return r.Put + r.Get + r.Head + r.List + r.Delete + r.Part + r.Upload + r.Other
}

// ByKind are the counts that are not 0, of requests alone.
func (r Requests) ByKind() map[string]int64 {
	out := map[string]int64{"put": r.Put, "get": r.Get, "head": r.Head, "list": r.List, "delete": r.Delete, "part": r.Part, "upload": r.Upload, "other": r.Other, "failed": r.Failed}
	maps.DeleteFunc(out, func(_ string, n int64) bool { return n == 0 })
	return out
}

// Minus is what was sent since an earlier count.
func (r Requests) Minus(earlier Requests) Requests {
	return Requests{
		Put: r.Put - earlier.Put, Get: r.Get - earlier.Get, Head: r.Head - earlier.Head, List: r.List - earlier.List, Delete: r.Delete - earlier.Delete,
		Part: r.Part - earlier.Part, Upload: r.Upload - earlier.Upload, Other: r.Other - earlier.Other, Failed: r.Failed - earlier.Failed,
		BytesSent: r.BytesSent - earlier.BytesSent, BytesReceived: r.BytesReceived - earlier.BytesReceived,
	}
}

// Requests returns the counts so far.
func (s *S3) Requests() Requests {
	c := &s.requests
	return Requests{
		Put: c.put.Load(), Get: c.get.Load(), Head: c.head.Load(), List: c.list.Load(), Delete: c.delete.Load(),
		Part: c.part.Load(), Upload: c.upload.Load(), Other: c.other.Load(), Failed: c.failed.Load(),
		BytesSent: c.sent.Load(), BytesReceived: c.received.Load(),
	}
}

type requestCounters struct {
	put, get, head, list, delete, part, upload, other, failed, sent, received atomic.Int64
}

// of is the counter of a request.
func (c *requestCounters) of(r *http.Request) *atomic.Int64 {
	q := r.URL.Query()
	switch {
	case q.Has("partNumber"):
		return &c.part
	case q.Has("uploads"), q.Has("uploadId"):
		return &c.upload
	case q.Has("list-type"):
		return &c.list
	case q.Has("location"), q.Has("lifecycle"):
		return &c.other
	}
	switch r.Method {
	case http.MethodPut:
		return &c.put
	case http.MethodGet:
		return &c.get
	case http.MethodHead:
		return &c.head
	case http.MethodDelete:
		return &c.delete
	}
	return &c.other
}

// counted carries requests and counts them.
type counted struct {
	base     http.RoundTripper
	counters *requestCounters
}

// RoundTrip sends a request.
func (t *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	t.counters.of(r).Add(1)
	t.counters.sent.Add(max(0, r.ContentLength))
	res, err := t.base.RoundTrip(r)
	if err != nil || res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
		t.counters.failed.Add(1)
	}
	if err == nil {
		res.Body = &countedBody{res.Body, &t.counters.received}
	}
	return res, err
}

type countedBody struct {
	io.ReadCloser
	n *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n.Add(int64(n))
	return n, err
}
