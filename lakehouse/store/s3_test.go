package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/lifecycle"
	"github.com/stretchr/testify/require"
)

// Whatever happens to the requests, a claim ends with what is true of the object.
func TestPutIfAbsentThroughFaults(t *testing.T) {
	ctx := context.Background()
	shortly := func(c *S3Config) { c.Timeout = 300 * time.Millisecond }
	for name, c := range map[string]struct {
		wrong wrong
		every bool  // every PUT, instead of the first
		other bool  // another writer was first
		want  error // nil: created
		there string
	}{
		"200":                             {wrong: nothing, there: "mine"},
		"200 and taken":                   {wrong: nothing, other: true, want: ErrExists, there: "other"},
		"applied, then 503":               {wrong: applyThen503, there: "mine"},
		"applied, then 503, always":       {wrong: applyThen503, every: true, there: "mine"},
		"applied, then 503, taken":        {wrong: applyThen503, other: true, want: ErrExists, there: "other"},
		"applied, then dropped":           {wrong: applyThenDrop, there: "mine"},
		"applied, then dropped, taken":    {wrong: applyThenDrop, other: true, want: ErrExists, there: "other"},
		"applied, then no answer":         {wrong: applyThenHang, there: "mine"},
		"no ETag in the answer":           {wrong: noETag, there: "mine"},
		"applied late":                    {wrong: applyLate, there: "mine"},
		"applied late, taken":             {wrong: applyLate, other: true, want: ErrExists, there: "other"},
		"sent twice on the way":           {wrong: applyTwice, there: "mine"},
		"sent twice on the way, taken":    {wrong: applyTwice, other: true, want: ErrExists, there: "other"},
		"503":                             {wrong: refuse503, there: "mine"},
		"503, taken":                      {wrong: refuse503, other: true, want: ErrExists, there: "other"},
		"503, always":                     {wrong: refuse503, every: true, want: ErrUnknown},
		"throttled":                       {wrong: slowDown, there: "mine"},
		"409":                             {wrong: conflict409, there: "mine"},
		"409, taken":                      {wrong: conflict409, other: true, want: ErrExists, there: "other"},
		"409, always":                     {wrong: conflict409, every: true, want: errCertain},
		"dropped":                         {wrong: drop, there: "mine"},
		"dropped, always":                 {wrong: drop, every: true, want: ErrUnknown},
		"no answer":                       {wrong: hang, there: "mine"},
		"slow":                            {wrong: slow, there: "mine"},
		"credentials ran out":             {wrong: expiredToken, there: "mine"},
		"credentials ran out for good":    {wrong: expiredToken, every: true, want: errCertain},
		"not allowed":                     {wrong: forbidden, want: errCertain},
		"not allowed, and another's name": {wrong: forbidden, other: true, want: errCertain, there: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeS3(t)
			s := f.open(t, shortly)
			if c.other {
				_, err := s.PutIfAbsent(ctx, "log/1", []byte("other"))
				require.NoError(t, err)
			}
			if c.every {
				f.fail(func(_ int, r *http.Request) wrong {
					if r.Method == http.MethodPut {
						return c.wrong
					}
					return nothing
				})
			} else {
				f.failNth(http.MethodPut, 0, c.wrong)
			}
			in, err := s.PutIfAbsent(ctx, "log/1", []byte("mine"))
			requireOutcome(t, c.want, err)
			f.fail(nil)
			body, there, err := s.Get(ctx, "log/1")
			if c.there == "" {
				require.ErrorIs(t, err, ErrNotExist)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.there, string(body))
			if c.want == nil {
				require.Equal(t, []any{there.Name, there.Size, there.ETag}, []any{in.Name, in.Size, in.ETag})
			}
		})
	}
}

// errCertain stands for any error that says that the object was not created.
var errCertain = errors.New("certainly not created")

func requireOutcome(t *testing.T, want, err error) {
	t.Helper()
	switch want {
	case nil:
		require.NoError(t, err)
	case errCertain:
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrUnknown)
		require.NotErrorIs(t, err, ErrExists)
	default:
		require.ErrorIs(t, err, want)
	}
	if err != nil {
		require.NotContains(t, err.Error(), fakeSecret)
	}
}

// An outcome that cannot be asked about stays unknown, whatever cuts off the answer.
func TestUnknownStaysUnknown(t *testing.T) {
	for name, w := range map[string]wrong{"after an applied put": applyThenDrop, "after a lost put": drop} {
		t.Run(name, func(t *testing.T) {
			f := newFakeS3(t)
			s := f.open(t)
			f.fail(func(n int, r *http.Request) wrong {
				if n == 0 {
					return w
				}
				return drop
			})
			_, err := s.PutIfAbsent(context.Background(), "a", []byte("x"))
			require.ErrorIs(t, err, ErrUnknown)
		})
	}
	t.Run("cancelled while it waits", func(t *testing.T) {
		f := newFakeS3(t)
		ctx, cancel := context.WithCancel(context.Background())
		s := f.open(t)
		f.fail(func(_ int, r *http.Request) wrong { time.AfterFunc(20*time.Millisecond, cancel); return applyThenHang })
		_, err := s.PutIfAbsent(ctx, "a", []byte("x"))
		require.ErrorIs(t, err, ErrUnknown)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("nobody listens: certain", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t)
		f.Close()
		_, err := s.PutIfAbsent(context.Background(), "a", []byte("x"))
		requireOutcome(t, errCertain, err)
	})
}

// Two calls with the same bytes are still two: one has created the object.
func TestSameBytesAreTwoClaims(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t)
	_, err := s.PutIfAbsent(context.Background(), "lock", nil)
	require.NoError(t, err)
	f.failNth(http.MethodPut, 0, applyThen503)
	_, err = s.PutIfAbsent(context.Background(), "lock", nil)
	require.ErrorIs(t, err, ErrExists)
}

// Every request that may be repeated is.
func TestReadsAndWritesThroughFaults(t *testing.T) {
	ctx := context.Background()
	for name, w := range map[string]wrong{"503": refuse503, "applied, then 503": applyThen503, "dropped": drop, "applied, then dropped": applyThenDrop, "throttled": slowDown,
		"no answer": hang, "slow": slow, "409": conflict409} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeS3(t)
			s := f.open(t, func(c *S3Config) { c.Timeout = 300 * time.Millisecond })
			require.NoError(t, s.Put(ctx, "d/a", []byte("x")))
			ops := map[string]func() error{
				"put":    func() error { return s.Put(ctx, "d/a", []byte("x")) },
				"get":    func() error { _, _, err := s.Get(ctx, "d/a"); return err },
				"open":   func() error { _, err := s.Open(ctx, "d/a"); return err },
				"stat":   func() error { _, err := s.Stat(ctx, "d/a"); return err },
				"list":   func() error { _, err := s.List(ctx, "d", ""); return err },
				"create": func() error { return writeAll(s, "d/b", []byte("y")) },
				"delete": func() error { return s.Delete(ctx, "d/b") },
			}
			for op, run := range ops {
				f.fail(func(n int, _ *http.Request) wrong {
					if n == 0 {
						return w
					}
					return nothing
				})
				require.NoError(t, run(), op)
				f.fail(nil)
			}
			body, _, err := s.Get(ctx, "d/a")
			require.NoError(t, err)
			require.Equal(t, "x", string(body))
		})
	}
}

func writeAll(s Store, name string, body []byte) error {
	w, err := s.Create(context.Background(), name)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// An answer that ends early is not an object that ends early.
func TestShortAnswersAreReadAgain(t *testing.T) {
	ctx := context.Background()
	f := newFakeS3(t)
	s := f.open(t)
	require.NoError(t, s.Put(ctx, "a", []byte("0123456789")))
	f.failNth(http.MethodGet, 0, cutShort)
	body, in, err := s.Get(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(body))
	require.EqualValues(t, 10, in.Size)
}

// Files larger than a part arrive whole and at once; every request of the upload may fail.
func TestUploadsInParts(t *testing.T) {
	ctx := context.Background()
	body := make([]byte, 2*leastPartSize+leastPartSize/2)
	rng := rand.NewChaCha8([32]byte{1})
	_, _ = rng.Read(body)
	small := func(c *S3Config) { c.PartSize, c.Timeout = leastPartSize, 2*time.Second }
	t.Run("whole", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t, small)
		w, err := s.Create(ctx, "d/big")
		require.NoError(t, err)
		for at := 0; at < len(body); at += 1 << 20 {
			_, err = w.Write(body[at:min(at+1<<20, len(body))])
			require.NoError(t, err)
		}
		_, err = s.Stat(ctx, "d/big")
		require.ErrorIs(t, err, ErrNotExist, "nothing is there before Close")
		require.NoError(t, w.Close())
		got, _, err := s.Get(ctx, "d/big")
		require.NoError(t, err)
		require.True(t, bytes.Equal(body, got))
		require.EqualValues(t, 3, s.Requests().Part)
		require.EqualValues(t, 2, s.Requests().Upload)
	})
	two := body[:leastPartSize+1000]
	for nth := range 4 { // begin, a part, another, complete
		for name, w := range map[string]wrong{"503": refuse503, "applied, then 503": applyThen503, "applied, then dropped": applyThenDrop} {
			t.Run(fmt.Sprintf("request %d %s", nth, name), func(t *testing.T) {
				f := newFakeS3(t)
				s := f.open(t, small)
				f.fail(func(n int, _ *http.Request) wrong {
					if n == nth {
						return w
					}
					return nothing
				})
				require.NoError(t, writeAll(s, "big", two))
				got, _, err := s.Get(ctx, "big")
				require.NoError(t, err)
				require.True(t, bytes.Equal(two, got))
			})
		}
	}
	t.Run("not begun", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t, small)
		f.fail(func(int, *http.Request) wrong { return forbidden })
		w, err := s.Create(ctx, "big")
		require.NoError(t, err)
		_, err = w.Write(body)
		require.ErrorContains(t, err, "403 AccessDenied")
		f.fail(nil)
		require.ErrorContains(t, w.Close(), "403 AccessDenied", "a writer that failed stays failed")
		_, err = s.Stat(ctx, "big")
		require.ErrorIs(t, err, ErrNotExist)
	})
	t.Run("given up", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t, small)
		f.fail(func(n int, r *http.Request) wrong {
			if n > 0 && r.Method == http.MethodPut {
				return forbidden
			}
			return nothing
		})
		require.ErrorContains(t, writeAll(s, "big", body), "403 AccessDenied")
		list, err := s.client.ListMultipartUploads(ctx, fakeBucket, "", "", "", "", 10)
		require.NoError(t, err)
		require.Empty(t, list.Uploads, "no upload stays behind")
	})
	t.Run("aborted after its context ended", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t, small)
		short, cancel := context.WithCancel(ctx)
		w, err := s.Create(short, "big")
		require.NoError(t, err)
		_, err = w.Write(body)
		require.NoError(t, err)
		cancel()
		w.Abort()
		list, err := s.client.ListMultipartUploads(ctx, fakeBucket, "", "", "", "", 10)
		require.NoError(t, err)
		require.Empty(t, list.Uploads)
		_, err = s.Stat(ctx, "big")
		require.ErrorIs(t, err, ErrNotExist)
	})
}

// Random reads of objects around the sizes of tails and blocks are those of the bytes.
func TestRangedReads(t *testing.T) {
	ctx := context.Background()
	f := newFakeS3(t)
	s := f.open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, tailBytes - 1, tailBytes, tailBytes + 1, blockBytes, blockBytes + tailBytes, 3*blockBytes + tailBytes + 7} {
		body := make([]byte, size)
		for i := range body {
			body[i] = byte(rng.Uint32())
		}
		require.NoError(t, s.Put(ctx, "x", body))
		r, err := s.Open(ctx, "x")
		require.NoError(t, err)
		require.EqualValues(t, size, r.Size())
		for range 40 {
			off, n := rng.IntN(size+10), rng.IntN(size+10)
			if rng.IntN(2) == 0 {
				n = rng.IntN(100)
			}
			got := make([]byte, n)
			read, err := r.ReadAt(got, int64(off))
			want := body[min(off, size):min(off+n, size)]
			require.Equal(t, len(want), read)
			require.True(t, bytes.Equal(want, got[:read]))
			require.Equal(t, len(want) < n, errors.Is(err, io.EOF))
		}
		_, err = r.ReadAt(make([]byte, 1), -1)
		require.Error(t, err)
		require.NoError(t, r.Close())
	}
}

// A small file costs one request, a footer none beyond it, neighbouring reads one for a block.
func TestReadsAreFew(t *testing.T) {
	ctx := context.Background()
	f := newFakeS3(t)
	s := f.open(t)
	require.NoError(t, s.Put(ctx, "x", make([]byte, 2*blockBytes+tailBytes)))
	before := s.Requests()
	r, err := s.Open(ctx, "x")
	require.NoError(t, err)
	_, err = r.ReadAt(make([]byte, 8), r.Size()-8)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Requests().Minus(before).Total())
	for at := int64(0); at < blockBytes; at += 4096 {
		_, err = r.ReadAt(make([]byte, 4096), at)
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, s.Requests().Minus(before).Total())
}

func TestReplacedWhileRead(t *testing.T) {
	ctx := context.Background()
	f := newFakeS3(t)
	s := f.open(t)
	require.NoError(t, s.Put(ctx, "x", make([]byte, 2*blockBytes)))
	r, err := s.Open(ctx, "x")
	require.NoError(t, err)
	require.NoError(t, s.Put(ctx, "x", bytes.Repeat([]byte{1}, 2*blockBytes)))
	_, err = r.ReadAt(make([]byte, 10), 0)
	require.ErrorContains(t, err, "was replaced while it was read")
}

// Folders with more objects than a page has, and names beside the folder.
func TestListingInPages(t *testing.T) {
	ctx := context.Background()
	f := newFakeS3(t)
	s := f.open(t)
	for i := range 1003 {
		require.NoError(t, s.Put(ctx, fmt.Sprintf("log/%04d", i), nil))
	}
	require.NoError(t, s.Put(ctx, "log/below/1", nil))
	require.NoError(t, s.Put(ctx, "logs/1", nil))
	f.failNth(http.MethodGet, 1, refuse503)
	list, err := s.List(ctx, "log", "0001")
	require.NoError(t, err)
	require.Len(t, list, 1001)
	require.Equal(t, "log/0002", list[0].Name)
	require.Equal(t, "log/1002", list[1000].Name)
}

func TestProbe(t *testing.T) {
	ctx := context.Background()
	t.Run("a store that decides", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t)
		warnings, err := s.Probe(ctx)
		require.NoError(t, err)
		require.Empty(t, warnings)
		list, err := s.List(ctx, probeFolder, "")
		require.NoError(t, err)
		require.Empty(t, list, "nothing stays behind")
	})
	t.Run("a store that ignores the condition", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t)
		f.fail(func(int, *http.Request) wrong { return unconditionally })
		_, err := s.Probe(ctx)
		require.ErrorIs(t, err, ErrNoCondition)
		require.ErrorContains(t, err, "unsafe_single_writer")
	})
	t.Run("a store that looks, but not atomically", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t)
		puts := 0
		f.fail(func(_ int, r *http.Request) wrong {
			if r.Method != http.MethodPut {
				return nothing
			}
			if puts++; puts > 2 { // the first two come one after the other
				return unconditionally
			}
			return nothing
		})
		_, err := s.Probe(ctx)
		require.ErrorIs(t, err, ErrNoCondition)
		require.ErrorContains(t, err, "8 of 8 writers at once")
	})
	t.Run("as a single writer", func(t *testing.T) {
		f := newFakeS3(t)
		s := f.open(t, func(c *S3Config) { c.UnsafeSingleWriter = true })
		f.fail(func(int, *http.Request) wrong { return unconditionally })
		warnings, err := s.Probe(ctx)
		require.NoError(t, err)
		require.Len(t, warnings, 1)
		_, err = s.PutIfAbsent(ctx, "a", []byte("x"))
		require.NoError(t, err)
		_, err = s.PutIfAbsent(ctx, "a", []byte("y"))
		require.ErrorIs(t, err, ErrExists, "one after the other it still holds")
	})
	t.Run("no such bucket", func(t *testing.T) {
		s, err := NewS3("s3://other/t", newFakeS3(t).config())
		require.NoError(t, err)
		_, err = s.Probe(ctx)
		require.ErrorContains(t, err, "make the bucket first")
	})
	t.Run("a certificate that nobody vouches for", func(t *testing.T) {
		s := newFakeS3(t).open(t, func(c *S3Config) { c.TLS = nil })
		_, err := s.Probe(ctx)
		require.ErrorContains(t, err, "certificate")
	})
}

func TestLifecycleRules(t *testing.T) {
	rule := func(prefix, status string, abort, days int) lifecycle.Rule {
		return lifecycle.Rule{ID: "r", Status: status, RuleFilter: lifecycle.Filter{Prefix: prefix},
			AbortIncompleteMultipartUpload: lifecycle.AbortIncompleteMultipartUpload{DaysAfterInitiation: lifecycle.ExpirationDays(abort)},
			Expiration:                     lifecycle.Expiration{Days: lifecycle.ExpirationDays(days)}}
	}
	for name, c := range map[string]struct {
		rule lifecycle.Rule
		want string
	}{
		"uploads after a day":           {rule("", "Enabled", 1, 0), "gives up uploads after 1 day"},
		"uploads after a week":          {rule("", "Enabled", 7, 0), ""},
		"switched off":                  {rule("", "Disabled", 1, 1), ""},
		"another prefix":                {rule("logs/", "Enabled", 1, 1), ""},
		"a prefix that is longer":       {rule("tables/tt", "Enabled", 1, 1), ""},
		"objects of the table":          {rule("tables/", "Enabled", 0, 30), "removes objects that grow old"},
		"objects of a part of it":       {rule("tables/t/x", "Enabled", 0, 30), "removes objects that grow old"},
		"objects of the whole bucket":   {rule("", "Enabled", 0, 30), "removes objects that grow old"},
		"old versions and moves do not": {lifecycle.Rule{ID: "r", Status: "Enabled", NoncurrentVersionExpiration: lifecycle.NoncurrentVersionExpiration{NoncurrentDays: 1}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(ruleWarnings("s3://lake/tables/t", "tables/t", []lifecycle.Rule{c.rule}), "\n")
			if c.want == "" {
				require.Empty(t, got)
				return
			}
			require.Contains(t, got, c.want)
		})
	}
}

func TestPlaces(t *testing.T) {
	for place, want := range map[string]struct{ bucket, prefix, fault string }{
		"s3://lake/a/b":   {"lake", "a/b", ""},
		"s3://lake/a/b/":  {"lake", "a/b", ""},
		"s3://lake":       {"lake", "", ""},
		"s3://lake/":      {"lake", "", ""},
		"s3://lake//a":    {"", "", "no empty names"},
		"s3://lake/../a":  {"", "", "no empty names"},
		"s3://lake/a?b":   {"", "", "no empty names"},
		"s3:///a":         {"", "", "Bucket name"},
		"s3://UP_per$/a":  {"", "", "ucket name"},
		"s3a://lake/a":    {"", "", "not of the form"},
		"/local/folder":   {"", "", "not of the form"},
		"s3://lake/a\x00": {"", "", "no empty names"},
	} {
		bucket, prefix, err := ParseS3(place)
		if want.fault != "" {
			require.ErrorContains(t, err, want.fault, place)
			continue
		}
		require.NoError(t, err, place)
		require.Equal(t, []string{want.bucket, want.prefix}, []string{bucket, prefix}, place)
	}
}

func FuzzParseS3(f *testing.F) {
	f.Add("s3://lake/a/b")
	f.Fuzz(func(t *testing.T, place string) {
		bucket, prefix, err := ParseS3(place)
		if err != nil {
			return
		}
		again, samePrefix, err := ParseS3("s3://" + bucket + "/" + prefix)
		require.NoError(t, err)
		require.Equal(t, []string{bucket, prefix}, []string{again, samePrefix})
	})
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 5-9/10")
	f.Fuzz(func(t *testing.T, text string) {
		at, size, err := parseContentRange(text)
		if err == nil {
			require.True(t, 0 <= at && at < size)
		}
	})
}

func TestConfigurations(t *testing.T) {
	for name, c := range map[string]struct {
		config S3Config
		want   string
	}{
		"half a key":              {S3Config{AccessKey: "a"}, "belong together"},
		"a part too small":        {S3Config{PartSize: 1}, "part size"},
		"no scheme":               {S3Config{Endpoint: "localhost:9000"}, "not of the form"},
		"a path":                  {S3Config{Endpoint: "https://host/path"}, "not of the form"},
		"a password in the place": {S3Config{Endpoint: "https://user:hunter2@host"}, "not of the form"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewS3("s3://lake/t", c.config)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
	env := func(name string) (string, bool) { return "of " + name, true }
	c := S3Config{Region: "mine"}.WithEnvironment(env)
	require.Equal(t, []string{"of AWS_ENDPOINT_URL_S3", "mine"}, []string{c.Endpoint, c.Region})
}

// Pauses double up to their bound and are random below it.
func TestPauses(t *testing.T) {
	var pauses []time.Duration
	f := newFakeS3(t)
	s := f.open(t, func(c *S3Config) {
		c.Attempts = 10
		c.Sleep = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	})
	f.fail(func(int, *http.Request) wrong { return slowDown })
	_, err := s.Stat(context.Background(), "a")
	require.ErrorContains(t, err, "after 10 attempts")
	require.Equal(t, []time.Duration{50e6, 100e6, 200e6, 400e6, 800e6, 1600e6, 3200e6, 5000e6, 5000e6}, pauses)
}

// Requests are counted by kind; each attempt counts.
func TestRequestCounts(t *testing.T) {
	ctx := context.Background()
	f := newFakeS3(t)
	s := f.open(t)
	f.failNth(http.MethodPut, 0, refuse503)
	require.NoError(t, s.Put(ctx, "a", []byte("xyz")))
	_, _, err := s.Get(ctx, "a")
	require.NoError(t, err)
	_, err = s.Stat(ctx, "a")
	require.NoError(t, err)
	_, err = s.List(ctx, "", "")
	require.NoError(t, err)
	require.NoError(t, s.Delete(ctx, "a"))
	got := s.Requests()
	require.Equal(t, int64(6), got.Total())
	require.Equal(t, []int64{2, 1, 1, 1, 1, 1, 6}, []int64{got.Put, got.Get, got.Head, got.List, got.Delete, got.Failed, got.BytesSent})
}

// Writers race for names while requests are lost, repeated, delayed and refused: no name is given to two, and what a writer was told
// is what is there.
func TestClaimsUnderRandomFaults(t *testing.T) {
	const writers, names = 4, 40
	ctx := context.Background()
	f := newFakeS3(t)
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	kinds := []wrong{applyThen503, applyThenDrop, applyLate, applyTwice, refuse503, slowDown, conflict409, drop, hang, slow}
	f.fail(func(int, *http.Request) wrong {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(3) > 0 {
			return nothing
		}
		return kinds[rng.IntN(len(kinds))]
	})
	outcomes := [names][writers]error{}
	var group sync.WaitGroup
	for w := range writers {
		s := f.open(t, func(c *S3Config) { c.Timeout = 30 * time.Millisecond })
		group.Go(func() {
			for n := range names {
				_, outcomes[n][w] = s.PutIfAbsent(ctx, fmt.Sprintf("log/%d", n), fmt.Appendf(nil, "writer %d", w))
			}
		})
	}
	group.Wait()
	f.fail(nil)
	s := f.open(t)
	for n := range names {
		body, _, err := s.Get(ctx, fmt.Sprintf("log/%d", n))
		there := string(body)
		require.True(t, err == nil || errors.Is(err, ErrNotExist))
		for w, outcome := range outcomes[n] {
			mine := there == fmt.Sprintf("writer %d", w)
			switch {
			case outcome == nil:
				require.True(t, mine, "name %d: writer %d was told that it is its own, there is %q", n, w, there)
			case errors.Is(outcome, ErrUnknown): // either
			default:
				require.False(t, mine, "name %d: writer %d was told %v, and its object is there", n, w, outcome)
			}
		}
	}
}
