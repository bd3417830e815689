package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"
)

// putID is the metadata that says which call created an object.
const putID = "lakewheel-put"

// PutIfAbsent creates an object, as the comment of S3 says.
func (s *S3) PutIfAbsent(ctx context.Context, name string, body []byte) (Info, error) {
	key, err := s.key(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Info{}, err
	}
	p := &claim{s: s, name: name, key: key, body: body, id: s.config.NewID()}
	for n := 1; ; n++ {
		settled, err := p.step(ctx)
		switch {
		case settled:
			return p.info, err
		case n == s.config.Attempts:
			return Info{}, p.giveUp(fmt.Errorf("%w, after %d attempts", err, n))
		case ctx.Err() != nil:
			return Info{}, p.giveUp(err)
		}
		if err := s.pause(ctx, n); err != nil {
			return Info{}, p.giveUp(err)
		}
	}
}

// claim is a PutIfAbsent on its way.
type claim struct {
	s         *S3
	name, key string
	body      []byte
	id        string
	perhaps   bool // a request may have been applied
	met       bool // an object was there
	info      Info
}

// step sends the object once and, if that leaves a question, reads back. It reports whether the claim is settled.
func (c *claim) step(ctx context.Context) (bool, error) {
	if c.s.config.UnsafeSingleWriter { // the store does not look, so this does
		if settled, err := c.readBack(ctx); settled || err != nil {
			return settled, err
		}
	}
	a, err := c.put(ctx)
	switch a {
	case done:
		if c.info.ETag != "" {
			return true, nil
		}
		c.perhaps = true // it was, but who compares the entry later needs its ETag
	case refused, absent:
		return true, c.giveUp(err)
	case postponed:
		return false, err
	case uncertain:
		c.perhaps = true
	case taken:
		c.met = true
	}
	if settled, backErr := c.readBack(ctx); settled {
		return true, backErr
	} else if backErr != nil {
		return false, fmt.Errorf("%w, and it cannot be read back: %w", cmp.Or(err, errNoETag), backErr)
	}
	c.met = false
	return false, cmp.Or(err, errNoETag)
}

var errNoETag = errors.New("the store answered a put without the ETag of the object")

func (c *claim) put(ctx context.Context) (answer, error) {
	return c.s.attempt(ctx, "PUT", c.key, int64(len(c.body)), func(ctx context.Context) error {
		opts := minio.PutObjectOptions{DisableMultipart: true, UserMetadata: map[string]string{putID: c.id}}
		if !c.s.config.UnsafeSingleWriter {
			opts.SetMatchETagExcept("*")
		}
		etag, err := c.s.send(ctx, c.key, c.body, opts)
		c.info = Info{Name: c.name, Size: int64(len(c.body)), ETag: etag}
		return err
	})
}

// readBack asks for the object. It is settled if there is one.
func (c *claim) readBack(ctx context.Context) (settled bool, err error) {
	var there minio.ObjectInfo
	var body []byte
	a, err := c.s.attempt(ctx, "GET", c.key, int64(len(c.body)), func(ctx context.Context) error {
		r, in, _, err := c.s.client.GetObject(ctx, c.s.bucket, c.key, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer r.Close()
		there = in
		body, err = io.ReadAll(io.LimitReader(r, int64(len(c.body))+1)) // one more than ours: enough to tell
		return err
	})
	switch {
	case a == absent:
		return false, nil
	case a != done:
		return false, err
	case c.ours(there, body):
		c.info = objectInfo(c.name, there)
		return true, nil
	}
	c.info = Info{}
	return true, fmt.Errorf("%s: %w", c.s.place(c.key), ErrExists)
}

// ours reports whether this call created what is there. A store that keeps no metadata leaves the content to tell.
func (c *claim) ours(there minio.ObjectInfo, body []byte) bool {
	id := metadata(there, putID)
	return bytes.Equal(body, c.body) && (id == c.id || id == "" && c.perhaps)
}

func metadata(o minio.ObjectInfo, name string) string {
	for k, v := range o.UserMetadata {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// giveUp is the outcome of a claim that cannot be settled.
func (c *claim) giveUp(err error) error {
	switch {
	case c.perhaps:
		return c.s.unknownPut(c.key, err)
	case c.met:
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	return err
}

// Put writes an object as one request.
func (s *S3) Put(ctx context.Context, name string, body []byte) error {
	key, err := s.key(name)
	if err != nil {
		return err
	}
	return s.put(ctx, key, body)
}

func (s *S3) put(ctx context.Context, key string, body []byte) error {
	return s.retry(ctx, "PUT", key, int64(len(body)), func(ctx context.Context) error {
		_, err := s.send(ctx, key, body, minio.PutObjectOptions{DisableMultipart: true})
		return err
	})
}

// send puts an object. The hash of the body is signed, so that what arrives is what was sent, also without TLS.
func (s *S3) send(ctx context.Context, key string, body []byte, opts minio.PutObjectOptions) (etag string, err error) {
	opts.DisableContentSha256 = true // signed as a whole, not in chunks
	up, err := s.client.PutObject(ctx, s.bucket, key, bytes.NewReader(body), int64(len(body)), "", hexSHA256(body), opts)
	return up.ETag, err
}

func hexSHA256(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
