package exec

import "github.com/lakewheel/lakewheel/columnar"

// sharded is what the states of all operators have in common: rows by the hash of their key in shards.
type sharded[S stateShard] struct {
	schema *columnar.Schema // of what is stored
	keys   int              // the first columns of it
	shards []S
	runs   int64
}

// stateShard is a part of the state.
type stateShard interface {
	rows() int
	bytes() int64
	// changedSince lists the rows that are stored anew after a run: those that later runs changed.
	changedSince(run int64) columnar.Selection
	// stored copies rows into the columns of the schema.
	stored(rows columnar.Selection) []columnar.Column
}

func (s *sharded[S]) Runs() int64              { return s.runs }
func (s *sharded[S]) KeyColumns() int          { return s.keys }
func (s *sharded[S]) Schema() *columnar.Schema { return s.schema }

func (s *sharded[S]) Rows() (n int64) {
	for _, sh := range s.shards {
		n += int64(sh.rows())
	}
	return n
}

func (s *sharded[S]) Bytes() (n int64) {
	for _, sh := range s.shards {
		n += sh.bytes()
	}
	return n
}

func (s *sharded[S]) Changed(after int64) Changes {
	out := make(Changes, len(s.shards))
	for i, sh := range s.shards {
		out[i] = sh.changedSince(after)
	}
	return out
}

func (s *sharded[S]) Copy(c Changes) (*columnar.Batch, error) {
	var parts []*columnar.Batch
	for i, rows := range c {
		if len(rows) > 0 {
			parts = append(parts, columnar.NewBatch(s.schema, s.shards[i].stored(rows), len(rows)))
		}
	}
	return joined(parts)
}

// Changes are rows of a state, by shard; they are good until the next Run.
type Changes []columnar.Selection

// Rows is their number.
func (c Changes) Rows() (n int64) {
	for _, rows := range c {
		n += int64(len(rows))
	}
	return n
}

// laterThan lists what a later run changed.
func laterThan(changed []int64, run int64) columnar.Selection {
	var ids columnar.Selection
	for id, last := range changed {
		if last > run {
			ids = append(ids, int32(id))
		}
	}
	return ids
}
