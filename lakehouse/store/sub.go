package store

import (
	"context"
	"strings"
)

// Sub returns the objects of a store below a folder as a store of their own.
func Sub(s Store, folder string) Store { return &sub{s: s, folder: strings.Trim(folder, "/")} }

type sub struct {
	s      Store
	folder string
}

func (s *sub) PutIfAbsent(ctx context.Context, name string, body []byte) (Info, error) {
	in, err := s.s.PutIfAbsent(ctx, join(s.folder, name), body)
	return s.inside(in), err
}
func (s *sub) Put(ctx context.Context, name string, body []byte) error {
	return s.s.Put(ctx, join(s.folder, name), body)
}
func (s *sub) Create(ctx context.Context, name string) (Writer, error) {
	return s.s.Create(ctx, join(s.folder, name))
}
func (s *sub) Get(ctx context.Context, name string) ([]byte, Info, error) {
	body, in, err := s.s.Get(ctx, join(s.folder, name))
	return body, s.inside(in), err
}
func (s *sub) Open(ctx context.Context, name string) (Reader, error) {
	return s.s.Open(ctx, join(s.folder, name))
}
func (s *sub) Stat(ctx context.Context, name string) (Info, error) {
	in, err := s.s.Stat(ctx, join(s.folder, name))
	return s.inside(in), err
}
func (s *sub) List(ctx context.Context, folder, startAfter string) ([]Info, error) {
	list, err := s.s.List(ctx, strings.TrimSuffix(join(s.folder, folder), "/"), startAfter)
	for i := range list {
		list[i] = s.inside(list[i])
	}
	return list, err
}
func (s *sub) Walk(ctx context.Context, folder string, fn func(Info) error) error {
	return s.s.Walk(ctx, strings.TrimSuffix(join(s.folder, folder), "/"), func(in Info) error { return fn(s.inside(in)) })
}
func (s *sub) Rename(ctx context.Context, from, to string) error {
	return s.s.Rename(ctx, join(s.folder, from), join(s.folder, to))
}
func (s *sub) Delete(ctx context.Context, name string) error {
	return s.s.Delete(ctx, join(s.folder, name))
}

// inside names an object relative to the folder.
func (s *sub) inside(in Info) Info {
	in.Name = strings.TrimPrefix(in.Name, s.folder+"/")
	return in
}

func (s *sub) String() string { return s.s.String() + "/" + s.folder }
