package committer

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/offsets"
)

// Part is what a backfill has staged of some offsets, and where the next part goes on.
type Part struct {
	Format     int                         `json:"format"`
	Token      int64                       `json:"token"` // of the intent
	Number     int                         `json:"number"`
	FirstBatch int64                       `json:"first_batch"` // within the backfill
	LastBatch  int64                       `json:"last_batch"`
	Sources    map[string]offsets.Progress `json:"sources"`
	Watermarks map[string]int64            `json:"watermarks"`
	Watermark  Watermark                   `json:"watermark"`
	NoDataDue  bool                        `json:"no_data_due,omitempty"`
	State      []StateFile                 `json:"state"`
	Operators  []Operator                  `json:"operators,omitempty"`
	Files      []lakehouse.DataFile        `json:"files"`
	Side       []SideFiles                 `json:"side"`
}

// partsFolder lies in the folder of a backfill.
const partsFolder = "parts"

func (b *Backfill) partFile(n int) string {
	return b.file(path.Join(partsFolder, fmt.Sprintf("%08d.json", n)))
}

// readParts reads the parts that are there, in order.
func (b *Backfill) readParts(ctx context.Context) error {
	for b.parts = nil; ; {
		var p Part
		name := b.partFile(len(b.parts))
		switch err := b.get(ctx, name, &p); {
		case errors.Is(err, store.ErrNotExist):
			return nil
		case err != nil:
			return err
		case p.Token != b.intent.Token || p.Number != len(b.parts):
			return fmt.Errorf("%w: %s is part %d of backfill %d", errDamaged, name, p.Number, p.Token)
		}
		b.parts = append(b.parts, p)
	}
}

// NewOutput opens an output for the rows of the next part. End it with Stage or Abort.
func (b *Backfill) NewOutput(ctx context.Context) (*Output, error) {
	stage := *b.c
	stage.prefix = b.prefix()
	return stage.NewOutput(ctx)
}

// Stage makes the rows of an output, and where the sources are after them, the next part. ErrFenced: another process has staged it.
func (b *Backfill) Stage(ctx context.Context, in Batch) (Result, error) {
	p := Part{Format: BackfillFormat, Token: b.intent.Token, Number: len(b.parts), FirstBatch: in.First, LastBatch: in.Last, Sources: in.Sources, Watermarks: in.Watermarks,
		Watermark: in.Watermark, NoDataDue: in.NoDataDue, State: in.State, Operators: in.Operators}
	if in.Output != nil {
		var err error
		if p.Files, p.Side, err = in.Output.finish(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := b.c.step("stage"); err != nil {
		return Result{}, err
	}
	if err := b.putOnce(ctx, b.partFile(p.Number), p); err != nil {
		return Result{}, err
	}
	b.parts = append(b.parts, p)
	res := Result{Version: b.c.base.Version, Files: len(p.Files), Rows: rowsOf(p.Files), Bytes: bytesOf(p.Files), SideRows: map[string]int64{}}
	for _, s := range p.Side {
		res.SideRows[s.Kind] += rowsOf(s.Files)
	}
	return res, b.c.step("part")
}

// Files are the staged data files.
func (b *Backfill) Files() (out []lakehouse.DataFile) {
	for _, p := range b.parts {
		out = append(out, p.Files...)
	}
	return out
}

// SideFiles are the staged files of the side tables, by kind.
func (b *Backfill) SideFiles() map[string][]lakehouse.DataFile {
	out := map[string][]lakehouse.DataFile{}
	for _, p := range b.parts {
		for _, s := range p.Side {
			out[s.Kind] = append(out[s.Kind], s.Files...)
		}
	}
	return out
}
