package committer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"

	"github.com/lakewheel/lakewheel/internal/strictjson"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// BackfillFormat is the version of the files of a backfill. docs/formats/backfill.md describes them.
const BackfillFormat = 1

// backfillsFolder holds a folder for each backfill of a pipeline that is not over, or whose end is not rolled forward.
func backfillsFolder(name string) string { return path.Join("_lakewheel", name, "backfills") }

// file is the place of a file of the backfill.
func (b *Backfill) file(name string) string {
	return path.Join(backfillsFolder(b.c.opts.Name), strconv.FormatInt(b.intent.Token, 10), name)
}

func endName(token int64) string { return fmt.Sprintf("end-%d.json", token) }

// prefix begins the names of the files that are staged.
func (b *Backfill) prefix() string {
	return backfillPrefix(b.c.opts.Name) + strconv.FormatInt(b.intent.Token, 10)
}

// put writes a file whose name nobody else uses for another content.
func (b *Backfill) put(ctx context.Context, name string, content any) error {
	body, err := strictjson.Encode(content)
	if err == nil {
		err = b.c.opts.Objects.Put(ctx, name, body)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (b *Backfill) get(ctx context.Context, name string, to any) error {
	body, _, err := b.c.opts.Objects.Get(ctx, name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return decodeFile(name, body, to)
}

// decodeFile reads a file of a backfill; a newer format or unknown fields are refused, never guessed.
func decodeFile(name string, body []byte, to any) error {
	if err := strictjson.Decode(name, body, BackfillFormat, to); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// putOnce writes a file that only one process may write. ErrFenced: another one has.
func (b *Backfill) putOnce(ctx context.Context, name string, content any) error {
	body, err := strictjson.Encode(content)
	if err != nil {
		return err
	}
	for ask := 1; ; ask++ {
		_, err := b.c.opts.Objects.PutIfAbsent(ctx, name, body)
		if errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnknown) {
			there, _, readErr := b.c.opts.Objects.Get(ctx, name)
			switch {
			case readErr == nil && bytes.Equal(there, body):
				return nil
			case readErr == nil:
				return fmt.Errorf("%w: another process is at this backfill, too: it has written %s", ErrFenced, name)
			}
			err = errors.Join(err, readErr)
		}
		if err == nil || ask == maxAsks || !errors.Is(err, store.ErrUnknown) {
			return err
		}
		if err := b.c.opts.Sleep(ctx, pause(ask)); err != nil {
			return err
		}
	}
}
