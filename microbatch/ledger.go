package microbatch

import (
	"context"
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/microbatch/state"
	"github.com/lakewheel/lakewheel/offsets"
)

// ledger keeps what a source knows beside its positions in files, as a keeper keeps the state of an operator.
type ledger struct {
	filed
	source string
	kept   source.Keeper
}

// ledgerName is what the files of a source's ledger say that they are of. No operator is called so: its name begins with a number.
func ledgerName(source string) string { return "source:" + source }

func newLedgers(inputs []Input) (out []*ledger) {
	for _, in := range inputs {
		if k, ok := in.Source.(source.Keeper); ok {
			out = append(out, &ledger{filed: newFiled(ledgerName(in.Name)), source: in.Name, kept: k})
		}
	}
	return out
}

// restore gives the source the rows of the newest commit.
func (l *ledger) restore(from stored, at offsets.Progress) error {
	l.goOn(from)
	var rows []*columnar.Batch
	defer func() {
		for _, b := range rows {
			b.Release()
		}
	}()
	for _, body := range from.bodies {
		err := state.Decode(body, l.name, l.kept.KeptSchema(), func(b *columnar.Batch) error {
			b.Retain()
			rows = append(rows, b)
			return nil
		})
		if err != nil {
			return fmt.Errorf("restore the ledger of source %s: %w", l.source, err)
		}
	}
	return l.kept.Restore(rows, at)
}

// RestoreLedger gives a source, if it keeps a ledger, the one of a record, for whoever asks it what there is without running a query.
func RestoreLedger(ctx context.Context, from *StateStore, r *committer.Record, name string, src source.Source) error {
	kept, ok := src.(source.Keeper)
	if !ok {
		return nil
	}
	found, err := from.readFiles(ctx, r.State)
	if err != nil {
		return err
	}
	l := &ledger{filed: newFiled(ledgerName(name)), source: name, kept: kept}
	return l.restore(found[l.name], r.Sources[name])
}

// changes copies what the commit has to write. It is called between batches.
func (l *ledger) changes() *unsaved {
	u := &unsaved{k: &l.filed, run: l.kept.Turn(), empty: l.kept.Kept() == 0}
	if u.empty {
		return u
	}
	u.choose(l.kept.Kept(), l.kept.AddedSince)
	u.rows = l.kept.KeptSince(u.after)
	return u
}
