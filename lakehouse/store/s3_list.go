package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
)

// List returns the objects of a folder, in pages of the store's own size.
func (s *S3) List(ctx context.Context, folder, startAfter string) ([]Info, error) {
	prefix := s.prefix
	if folder != "" {
		var err error
		if prefix, err = s.key(folder); err != nil {
			return nil, err
		}
	}
	if prefix != "" {
		prefix += "/"
	}
	l := &listing{s: s, folder: folder, prefix: prefix, after: startAfter}
	if err := s.retry(ctx, "LIST", prefix, 0, l.run); err != nil {
		return nil, err
	}
	slices.SortFunc(l.out, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return l.out, nil
}

// listing goes on behind what it has when it runs again.
type listing struct {
	s              *S3
	folder, prefix string
	after          string
	out            []Info
}

// run lists what comes after the last name. Some stores pay no attention to where to start, so names are looked at, too.
func (l *listing) run(ctx context.Context) error {
	opts := minio.ListObjectsOptions{Prefix: l.prefix, FetchOwner: new(bool)}
	if l.after != "" {
		opts.StartAfter = l.prefix + l.after
	}
	from := l.after
	for o := range l.s.client.ListObjectsIter(ctx, l.s.bucket, opts) {
		if o.Err != nil {
			return o.Err
		}
		renew(ctx, 0) // another page may follow
		base, below := strings.CutPrefix(o.Key, l.prefix)
		if !below || base == "" || strings.Contains(base, "/") || base <= from {
			continue
		}
		l.out = append(l.out, objectInfo(join(l.folder, base), o))
		l.after = max(l.after, base)
	}
	return ctx.Err()
}

// Delete removes an object; in a bucket with versions it hides it.
func (s *S3) Delete(ctx context.Context, name string) error {
	key, err := s.key(name)
	if err != nil {
		return err
	}
	err = s.retry(ctx, "DELETE", key, 0, func(ctx context.Context) error {
		return s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{})
	})
	return ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, ErrNotExist) {
		return nil
	}
	return err
}
