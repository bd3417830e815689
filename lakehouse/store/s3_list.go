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
	l := &listing{s: s, folder: folder, after: startAfter}
	if err := l.all(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(l.out, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return l.out, nil
}

// Walk lists a folder and those below it, as List does.
func (s *S3) Walk(ctx context.Context, folder string, fn func(Info) error) error {
	l := &listing{s: s, folder: folder, below: true}
	err := l.all(ctx)
	return each(l.out, err, fn)
}

// listing goes on behind what it has when it runs again.
type listing struct {
	s              *S3
	folder, prefix string
	below          bool // with the folders below
	after          string
	out            []Info
}

func (l *listing) all(ctx context.Context) error {
	l.prefix = l.s.prefix
	if l.folder != "" {
		var err error
		if l.prefix, err = l.s.key(l.folder); err != nil {
			return err
		}
	}
	if l.prefix != "" {
		l.prefix += "/"
	}
	return l.s.retry(ctx, "LIST", l.prefix, 0, l.run)
}

// run lists what comes after the last name. Some stores pay no attention to where to start, so names are looked at, too.
func (l *listing) run(ctx context.Context) error {
	opts := minio.ListObjectsOptions{Prefix: l.prefix, Recursive: l.below, FetchOwner: new(bool)}
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
		if !below || checkName(base) != nil || !l.below && strings.Contains(base, "/") || base <= from {
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
		return completeError(s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{})) // to the client any answer but 204 is an error
	})
	return ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, ErrNotExist) {
		return nil
	}
	return err
}
