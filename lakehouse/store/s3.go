package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// S3 is a folder of a bucket of Amazon S3, or of another store that speaks its protocol and honours If-None-Match on writes.
// [S3.Probe] finds out whether it does.
//
// # How a name is taken
//
//  1. PUT with If-None-Match: *, as one request, with an id of this call in the metadata of the object.
//  2. 200: created. 409: nothing happened, again from 1.
//  3. Anything else leaves a question (412 is also the answer to our own object, if something on the way has sent the request
//     twice), so the object is read back. With our id it was created by this call; with another it exists; where there is none the
//     same bytes are sent again under the same id, so that it does not matter which of the two requests lands.
//  4. After all attempts the outcome is unknown, unless no request got as far as a connection.
//
// Large objects are uploaded in parts, which nobody sees before the upload is completed.
type S3 struct {
	config   S3Config
	bucket   string
	prefix   string // "" or a folder without slashes at its ends
	client   *minio.Core
	keys     *keychain
	requests requestCounters
	slots    chan struct{} // one for each part on its way
}

var _ Store = (*S3)(nil)

// S3Config says where a store is and how to talk to it. The zero value is Amazon S3 with the credentials that the
// environment gives.
type S3Config struct {
	Endpoint   string // "https://host:port" or "http://host:port"; "": Amazon S3
	Region     string // "": asked for at Amazon, us-east-1 elsewhere
	Addressing Addressing

	// AccessKey, SecretKey and SessionToken are used if set; else the environment (AWS_ACCESS_KEY_ID and so on), the shared
	// file, and the role of the machine, container or web identity are tried in this order. Roles are renewed in time.
	AccessKey, SecretKey, SessionToken string
	CredentialsFile, Profile           string // of the shared file; "": its usual place, and the profile of AWS_PROFILE
	IdentityEndpoint                   string // of STS or the metadata service; "": those of Amazon

	TLS *tls.Config // nil: the roots of the system

	// UnsafeSingleWriter writes to a store that ignores If-None-Match. Two writers at once lose commits there.
	UnsafeSingleWriter bool

	PartSize int64         // bytes, at least 5 MiB; 0: 8 MiB. Objects that are larger are uploaded in parts
	Uploads  int           // parts on their way at once; 0: 4
	Attempts int           // of a request; 0: 10
	Timeout  time.Duration // of a request without a large body; 0: 20 s

	Now    func() time.Time                                 // nil: the system's
	Sleep  func(ctx context.Context, d time.Duration) error // nil: the system's
	Random func() float64                                   // in [0, 1), for the pauses between attempts; nil: random
	NewID  func() string                                    // nil: random UUIDs
	Base   http.RoundTripper                                // carries the requests; nil: a pool of connections of its own
}

// String names the place, and no secret.
func (c S3Config) String() string { return fmt.Sprintf("S3 at %s, region %s", c.Endpoint, c.Region) }

// GoString is String, so that no format shows a secret.
func (c S3Config) GoString() string { return c.String() }

// Addressing is how a request names the bucket.
type Addressing int

// The kinds of addressing.
const (
	AddressAuto Addressing = iota // by host at Amazon and those who do likewise, by path elsewhere
	AddressPath
	AddressHost
)

const (
	defaultPartSize = 8 << 20
	leastPartSize   = 5 << 20
	defaultUploads  = 4
	defaultAttempts = 10
	defaultTimeout  = 20 * time.Second
	amazonEndpoint  = "https://s3.amazonaws.com"
)

// s3Scheme begins the paths of objects in S3.
const s3Scheme = "s3://"

// IsS3 reports whether a path is one of S3.
func IsS3(path string) bool { return strings.HasPrefix(path, s3Scheme) }

// ParseS3 splits s3://bucket/prefix; the prefix may be empty.
func ParseS3(path string) (bucket, prefix string, err error) {
	rest, ok := strings.CutPrefix(path, s3Scheme)
	if !ok {
		return "", "", fmt.Errorf("%q is not of the form s3://bucket/prefix", path)
	}
	if who, _, found := strings.Cut(rest, "@"); found && strings.Contains(who, ":") {
		return "", "", errors.New("s3:// holds what looks like an access key before an @: keys belong into s3.access_key and s3.secret_key, or into the environment")
	}
	bucket, prefix, _ = strings.Cut(rest, "/")
	prefix = strings.TrimSuffix(prefix, "/")
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return "", "", fmt.Errorf("%q: %w", path, err)
	}
	if prefix != "" && (!fs.ValidPath(prefix) || strings.ContainsAny(prefix, "\x00?#")) {
		return "", "", fmt.Errorf("%q: a prefix has no empty names, . or .., and none of ? #", path)
	}
	return bucket, prefix, nil
}

// NewS3 returns the store of s3://bucket/prefix. It sends no request.
func NewS3(place string, c S3Config) (*S3, error) {
	bucket, prefix, err := ParseS3(place)
	if err != nil {
		return nil, err
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	s := &S3{config: c, bucket: bucket, prefix: prefix, slots: make(chan struct{}, c.Uploads), keys: newKeychain(c)}
	host, secure, err := parseEndpoint(c.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("s3 endpoint: %w", err)
	}
	s.client, err = minio.NewCore(host, &minio.Options{
		Creds: s.keys.credentials, Secure: secure, Region: c.Region, BucketLookup: lookups[c.Addressing],
		Transport:  &counted{base: c.Base, counters: &s.requests},
		MaxRetries: 1, // retries would hide whose object a 412 is about
	})
	if err != nil {
		return nil, fmt.Errorf("s3 endpoint %s: %w", c.Endpoint, err)
	}
	s.client.SetAppInfo("lakewheel", "1")
	return s, nil
}

var lookups = map[Addressing]minio.BucketLookupType{AddressAuto: minio.BucketLookupAuto, AddressPath: minio.BucketLookupPath, AddressHost: minio.BucketLookupDNS}

// complete puts in what was left out.
func (c *S3Config) complete() error {
	if c.PartSize != 0 && c.PartSize < leastPartSize {
		return fmt.Errorf("s3 part size of %d bytes: the least that stores take is %d", c.PartSize, leastPartSize)
	}
	if (c.AccessKey == "") != (c.SecretKey == "") {
		return errors.New("s3 access key and secret key belong together")
	}
	if c.Region == "" && c.Endpoint != "" {
		c.Region = "us-east-1"
	}
	setDefault(&c.Endpoint, amazonEndpoint)
	setDefault(&c.PartSize, defaultPartSize)
	setDefault(&c.Uploads, defaultUploads)
	setDefault(&c.Attempts, defaultAttempts)
	setDefault(&c.Timeout, defaultTimeout)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Base == nil {
		c.Base = NewS3Transport(c.TLS)
	}
	return nil
}

func setDefault[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CheckEndpoint says what is wrong with the form of an endpoint.
func CheckEndpoint(text string) error {
	_, _, err := parseEndpoint(text)
	return err
}

func parseEndpoint(text string) (host string, secure bool, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false, errors.New("it is not of the form https://host:port or http://host:port")
	}
	return u.Host, u.Scheme == "https", nil
}

// NewS3Transport is a pool of connections that several stores may share.
func NewS3Transport(t *tls.Config) http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := base.Clone()
	own.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if t != nil {
		own.TLSClientConfig = t.Clone()
	}
	own.ForceAttemptHTTP2 = false
	own.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{} // one connection a request: a stalled one holds up no other
	own.DisableCompression = true                                             // bytes and lengths as they are stored
	own.MaxIdleConnsPerHost = 32
	return own
}

// WithEnvironment puts in what the usual variables say of places and regions, where the configuration says nothing.
func (c S3Config) WithEnvironment(env func(string) (string, bool)) S3Config {
	first := func(names ...string) string {
		for _, n := range names {
			if v, _ := env(n); v != "" {
				return v
			}
		}
		return ""
	}
	setDefault(&c.Endpoint, first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
	setDefault(&c.Region, first("AWS_REGION", "AWS_DEFAULT_REGION"))
	return c
}

// String returns s3://bucket/prefix.
func (s *S3) String() string { return s3Scheme + path.Join(s.bucket, s.prefix) }

// key is the name of an object in the bucket.
func (s *S3) key(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	return join(s.prefix, name), nil
}

// place names an object for people.
func (s *S3) place(key string) string { return s3Scheme + s.bucket + "/" + key }
