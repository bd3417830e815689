package delta

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

func checkpointName(version int64) string {
	return fmt.Sprintf("%s/%020d.checkpoint.parquet", logFolder, version)
}

const lastCheckpointName = logFolder + "/_last_checkpoint"

// lastCheckpoint is the hint in _last_checkpoint.
type lastCheckpoint struct {
	Version int64 `json:"version"`
	Size    int64 `json:"size"`
	Parts   int   `json:"parts,omitempty"`
}

// loadCheckpoint reads the newest checkpoint up to a version (-1: any), or an empty state if there is none. The hint is only a
// hint: if it is missing or wrong, the folder is listed.
func (t *Table) loadCheckpoint(ctx context.Context, until int64) (*state, error) {
	body, _, err := t.objects.Get(ctx, lastCheckpointName)
	var hint lastCheckpoint
	if err == nil && json.Unmarshal(body, &hint) == nil && hint.Parts == 0 && (until < 0 || hint.Version <= until) {
		if s, err := t.readCheckpoint(ctx, hint.Version); err == nil {
			return s, nil
		}
	}
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		return nil, err
	}
	versions, err := t.checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range slices.Backward(versions) {
		if until < 0 || v <= until {
			return t.readCheckpoint(ctx, v)
		}
	}
	return newState(), nil
}

// checkpoints lists the versions of single-file checkpoints, ascending.
func (t *Table) checkpoints(ctx context.Context) ([]int64, error) {
	list, err := t.objects.List(ctx, logFolder, "")
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, in := range list {
		text, ok := strings.CutSuffix(path.Base(in.Name), ".checkpoint.parquet")
		if v, err := strconv.ParseInt(text, 10, 64); ok && err == nil && len(text) == 20 {
			out = append(out, v)
		}
	}
	return out, nil
}

func (t *Table) readCheckpoint(ctx context.Context, version int64) (*state, error) {
	f, err := t.objects.Open(ctx, checkpointName(version))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	actions, err := parseCheckpoint(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", checkpointName(version), err)
	}
	s := newState()
	s.apply(version, actions)
	if s.protocol == nil || s.meta == nil {
		return nil, fmt.Errorf("%s: %w: no protocol or metaData", checkpointName(version), errDamaged)
	}
	return s, nil
}

// parseCheckpoint reads the rows of a checkpoint of any writer: columns it lacks are absent actions, columns we do not know are left out.
func parseCheckpoint(f store.Reader) (out []action, err error) {
	defer func() { // parquet-go reports some damage by panicking
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	file, err := parquet.OpenFile(f, f.Size())
	if err != nil {
		return nil, err
	}
	r := parquet.NewGenericReader[action](file)
	defer r.Close()
	rows := make([]action, 256)
	for {
		clear(rows)
		n, err := r.Read(rows)
		for _, a := range rows[:n] {
			if a.Add != nil {
				a.Add.PartitionValues = pointers(a.Add.Partition)
			}
			out = append(out, a)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// pointers turns the values of a checkpoint into those of a log entry; "" is NULL in both.
func pointers(values map[string]string) map[string]*string {
	out := make(map[string]*string, len(values))
	for k, v := range values {
		if v == "" {
			out[k] = nil
			continue
		}
		out[k] = &v
	}
	return out
}

// checkpointRows are the rows of a checkpoint of a state: protocol, metadata and transactions first, so that a restart finds them in the first
// pages; then tombstones that readers may still need; then live files. No commitInfo.
func (s *state) checkpointRows(removedSince int64) []action {
	out := []action{{Protocol: s.protocol}, {MetaData: s.meta}}
	for _, app := range slices.Sorted(maps.Keys(s.txns)) {
		t := s.txns[app]
		out = append(out, action{Txn: &t})
	}
	for _, domain := range slices.Sorted(maps.Keys(s.domains)) {
		d := s.domains[domain]
		out = append(out, action{DomainMetadata: &d})
	}
	for _, p := range slices.Sorted(maps.Keys(s.removed)) {
		if r := s.removed[p]; r.DeletionTimestamp != nil && *r.DeletionTimestamp >= removedSince {
			r.DataChange = false
			out = append(out, action{Remove: &r})
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.files)) {
		a := s.files[p]
		a.Partition, a.DataChange = map[string]string{}, false
		for k, v := range a.PartitionValues {
			if v != nil {
				a.Partition[k] = *v
			} else {
				a.Partition[k] = ""
			}
		}
		out = append(out, action{Add: &a})
	}
	return out
}

func encodeCheckpoint(rows []action) ([]byte, error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[action](&b, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.DataPageVersion(1))
	if _, err := w.Write(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
