package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// logFolder holds the log of a table.
const logFolder = "_delta_log"

// sidecarFolder holds the parts of V2 checkpoints.
const sidecarFolder = logFolder + "/_sidecars"

const lastCheckpointName = logFolder + "/_last_checkpoint"

func entryName(version int64) string { return fmt.Sprintf("%s/%020d.json", logFolder, version) }

func checkpointName(version int64) string {
	return fmt.Sprintf("%s/%020d.checkpoint.parquet", logFolder, version)
}

// lastCheckpoint is the hint in _last_checkpoint.
type lastCheckpoint struct {
	Version int64 `json:"version"`
	Size    int64 `json:"size"`
	Parts   int   `json:"parts,omitempty"`
}

// logFile is the name of an object of the log, taken apart.
type logFile struct {
	version     int64
	entry       bool
	checkpoint  bool
	unique      bool // its name has a UUID: a V2 checkpoint
	part, parts int  // of a checkpoint in several files, from 1; 0 of 0 for one file
}

// parseLogName reads "<version>.json", "<version>.checkpoint.parquet", "<version>.checkpoint.<part>.<parts>.parquet"
// and "<version>.checkpoint.<uuid>.parquet" or ".json".
func parseLogName(name string) (f logFile, ok bool) {
	fields := strings.Split(path.Base(name), ".")
	version, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || len(fields[0]) != 20 || version < 0 {
		return f, false
	}
	f.version = version
	switch rest := fields[1:]; {
	case len(rest) == 1 && rest[0] == "json":
		f.entry = true
	case len(rest) < 2 || rest[0] != "checkpoint":
		return f, false
	case len(rest) == 2 && rest[1] == "parquet":
		f.checkpoint = true
	case len(rest) == 3 && (rest[2] == "parquet" || rest[2] == "json"):
		f.checkpoint, f.unique = uuid.Validate(rest[1]) == nil, true
	case len(rest) == 4 && rest[3] == "parquet":
		f.part, err = strconv.Atoi(rest[1])
		if err == nil {
			f.parts, err = strconv.Atoi(rest[2])
		}
		f.checkpoint = err == nil && f.part >= 1 && f.part <= f.parts
	}
	return f, f.entry || f.checkpoint
}

// checkpoint is a complete one: the names of its files.
type checkpoint struct {
	version int64
	files   []string
}

// listing is what a log folder holds.
type listing struct {
	entries     []int64
	checkpoints []checkpoint // complete ones, ascending
}

// list reads the names of the log from a version on.
func (t *Table) list(ctx context.Context, from int64) (listing, error) {
	infos, err := t.objects.List(ctx, logFolder, fmt.Sprintf("%020d", max(0, from)))
	if err != nil {
		return listing{}, err
	}
	var out listing
	parts := map[[2]int64][]string{}
	for _, in := range infos {
		f, ok := parseLogName(in.Name)
		switch {
		case !ok:
		case f.entry:
			out.entries = append(out.entries, f.version)
		case f.unique:
			out.checkpoints = append(out.checkpoints, checkpoint{version: f.version, files: []string{in.Name}})
		default:
			key := [2]int64{f.version, int64(f.parts)}
			parts[key] = append(parts[key], in.Name)
		}
	}
	for key, names := range parts {
		if len(names) == max(1, int(key[1])) {
			out.checkpoints = append(out.checkpoints, checkpoint{version: key[0], files: names})
		}
	}
	slices.SortFunc(out.checkpoints, func(a, b checkpoint) int { return int(a.version - b.version) })
	slices.Sort(out.entries)
	return out, nil
}

// replayed is a head or a state.
type replayed interface {
	apply(version int64, actions []action)
	read(in store.Info)
	at() int64
}

// replay reads the log up to a version, -1 for the newest, into what fresh makes. It also returns the version of the checkpoint it began
// with, -1 for none.
//
//  1. The hint says from where the folder is listed.
//  2. The newest checkpoint that can be read is the base; failing all, an empty table.
//  3. The entries after it are applied; none may be missing.
func replay[R replayed](ctx context.Context, t *Table, until int64, fresh func() R, wanted func(string) bool) (R, int64, error) {
	from, err := t.hint(ctx)
	if err != nil {
		return fresh(), -1, err
	}
	if until >= 0 && from > until {
		from = -1
	}
	out, base, err := replayFrom(ctx, t, from, until, fresh, wanted)
	misled := err == nil && base < 0 || errors.Is(err, errDamaged) || errors.Is(err, store.ErrNotExist)
	if from >= 0 && misled {
		return replayFrom(ctx, t, -1, until, fresh, wanted)
	}
	return out, base, err
}

// hint is the version that _last_checkpoint names, -1 if it names none: it is a hint only. One that could not be read this time is an error,
// as the whole log might have to be listed without it.
func (t *Table) hint(ctx context.Context) (int64, error) {
	var hint lastCheckpoint
	body, _, err := t.objects.Get(ctx, lastCheckpointName)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return -1, nil
	case err != nil:
		return -1, err
	case json.Unmarshal(body, &hint) != nil || hint.Version < 0:
		return -1, nil
	}
	return hint.Version, nil
}

func replayFrom[R replayed](ctx context.Context, t *Table, from, until int64, fresh func() R, wanted func(string) bool) (R, int64, error) {
	out := fresh()
	l, err := t.list(ctx, from)
	if err != nil {
		return out, -1, err
	}
	var broken error
	for _, c := range slices.Backward(l.checkpoints) {
		if until >= 0 && c.version > until {
			continue
		}
		base := fresh()
		err := t.readCheckpoint(ctx, c, base, wanted)
		if err == nil {
			out = base
			break
		}
		if !errors.Is(err, errDamaged) && !errors.Is(err, store.ErrNotExist) && !errors.Is(err, lakehouse.ErrUnsupported) {
			return out, -1, err
		}
		broken = errors.Join(broken, err)
	}
	base := out.at()
	if err := applyEntries(ctx, t, out, l, until); err != nil {
		return out, -1, errors.Join(err, broken)
	}
	return out, base, t.statBase(ctx, out, base)
}

// applyEntries applies the entries after the checkpoint.
func applyEntries(ctx context.Context, t *Table, out replayed, l listing, until int64) error {
	for _, v := range l.entries {
		if v <= out.at() || until >= 0 && v > until {
			continue
		}
		if v != out.at()+1 {
			return fmt.Errorf("%w: version %d is missing, %d is there", errDamaged, out.at()+1, v)
		}
		if _, err := t.readInto(ctx, out, v); err != nil {
			return err
		}
	}
	if until >= 0 && out.at() != until {
		return fmt.Errorf("version %d is not there: the log reaches to %d", until, out.at())
	}
	return nil
}

// statBase describes the newest entry if the checkpoint stands for it: the base check needs it.
func (t *Table) statBase(ctx context.Context, out replayed, base int64) error {
	if base < 0 || out.at() != base {
		return nil
	}
	in, err := t.objects.Stat(ctx, entryName(base))
	if err == nil {
		out.read(in)
	}
	return err
}

// readCheckpoint applies the files of a checkpoint, and those that they name.
func (t *Table) readCheckpoint(ctx context.Context, c checkpoint, into replayed, wanted func(string) bool) error {
	seen := &checkpointParts{}
	apply := func(actions []action) {
		into.apply(c.version, actions)
		seen.add(actions)
	}
	files := c.files
	for i := 0; i < len(files); i++ {
		if err := t.readCheckpointFile(ctx, files[i], wanted, apply); err != nil {
			return fmt.Errorf("%s: %w", files[i], err)
		}
		if i == len(c.files)-1 { // a sidecar names no others
			files = append(slices.Clip(files), seen.sidecars...)
		}
	}
	if !seen.protocol || !seen.meta {
		return fmt.Errorf("%s: %w: no protocol or metaData", c.files[0], errDamaged)
	}
	return nil
}

// checkpointParts is what was found in a checkpoint.
type checkpointParts struct {
	protocol, meta bool
	sidecars       []string
}

func (c *checkpointParts) add(actions []action) {
	for _, a := range actions {
		c.protocol, c.meta = c.protocol || a.Protocol != nil, c.meta || a.MetaData != nil
		if a.Sidecar != nil {
			c.sidecars = append(c.sidecars, sidecarFolder+"/"+decodePath(a.Sidecar.Path))
		}
	}
}

func (t *Table) readCheckpointFile(ctx context.Context, name string, wanted func(string) bool, apply func([]action)) error {
	if strings.HasSuffix(name, ".json") {
		body, _, err := t.objects.Get(ctx, name)
		if err != nil {
			return err
		}
		actions, err := parseEntry(name, body)
		if err == nil {
			apply(actions)
		}
		return err
	}
	f, err := t.objects.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	return parseCheckpoint(f, wanted, apply)
}

// readInto reads an entry and applies it to what is known of the version before it.
func (t *Table) readInto(ctx context.Context, into replayed, version int64) (lakehouse.Entry, error) {
	e, err := t.readEntry(ctx, version)
	if err != nil {
		return lakehouse.Entry{}, err
	}
	into.apply(version, e.actions)
	into.read(e.in)
	return entry(version, e.actions), nil
}
