package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/minio/minio-go/v7"
)

// Rename copies an object within the bucket, without its bytes coming here, and removes the old one. S3 copies objects of up to 5 GiB in one request.
//
//  1. PUT with x-amz-copy-source. Sent again, it makes the same object.
//  2. 404: an earlier call, or an attempt whose answer was lost, has got to 3; an object under the new name tells.
//  3. DELETE of the old one, which nobody asks for before the copy was answered with 200.
//
// Names are unique by construction, so a stranger's object under the new name is not looked for.
func (s *S3) Rename(ctx context.Context, from, to string) error {
	old, err := s.key(from)
	if err != nil {
		return err
	}
	key, err := s.key(to)
	if err != nil {
		return err
	}
	err = s.retry(ctx, "PUT copy to", key, 0, func(ctx context.Context) error {
		_, err := s.client.Client.CopyObject(ctx, minio.CopyDestOptions{Bucket: s.bucket, Object: key}, minio.CopySrcOptions{Bucket: s.bucket, Object: old})
		return completeError(err)
	})
	if errors.Is(err, ErrNotExist) {
		return s.copied(ctx, old, to)
	}
	if err != nil {
		return err
	}
	return s.Delete(ctx, from)
}

// copied settles a copy whose source is not there.
func (s *S3) copied(ctx context.Context, old, to string) error {
	_, err := s.Stat(ctx, to)
	if errors.Is(err, ErrNotExist) {
		return fmt.Errorf("%s: %w", s.place(old), ErrNotExist)
	}
	return err
}
