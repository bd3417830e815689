package delta

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/lakewheel/lakewheel/lakehouse/parquetfile"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// Checkpoints come from many writers, which agree on the names of columns and fields but not on their order, on which
// optional ones are there, or on the names of the levels of lists and maps. So they are read column by column, each leaf
// into its field of the rows' actions.

// scalars, lists and dictionaries are the leaves that are read, by the path of the field.
var scalars = map[string]func(a *action, v parquet.Value){
	"txn.appId":                            func(a *action, v parquet.Value) { a.txn().AppID = text(v) },
	"txn.version":                          func(a *action, v parquet.Value) { a.txn().Version = integer(v) },
	"txn.lastUpdated":                      func(a *action, v parquet.Value) { a.txn().LastUpdated = ptr(integer(v)) },
	"protocol.minReaderVersion":            func(a *action, v parquet.Value) { a.protocol().MinReaderVersion = int32(integer(v)) },
	"protocol.minWriterVersion":            func(a *action, v parquet.Value) { a.protocol().MinWriterVersion = int32(integer(v)) },
	"metaData.id":                          func(a *action, v parquet.Value) { a.metaData().ID = text(v) },
	"metaData.name":                        func(a *action, v parquet.Value) { a.metaData().Name = ptr(text(v)) },
	"metaData.description":                 func(a *action, v parquet.Value) { a.metaData().Description = ptr(text(v)) },
	"metaData.format.provider":             func(a *action, v parquet.Value) { a.metaData().Format.Provider = text(v) },
	"metaData.schemaString":                func(a *action, v parquet.Value) { a.metaData().SchemaString = text(v) },
	"metaData.createdTime":                 func(a *action, v parquet.Value) { a.metaData().CreatedTime = ptr(integer(v)) },
	"domainMetadata.domain":                func(a *action, v parquet.Value) { a.domainMetadata().Domain = text(v) },
	"domainMetadata.configuration":         func(a *action, v parquet.Value) { a.domainMetadata().Configuration = text(v) },
	"domainMetadata.removed":               func(a *action, v parquet.Value) { a.domainMetadata().Removed = v.Boolean() },
	"add.path":                             func(a *action, v parquet.Value) { a.add().Path = text(v) },
	"add.size":                             func(a *action, v parquet.Value) { a.add().Size = integer(v) },
	"add.modificationTime":                 func(a *action, v parquet.Value) { a.add().ModificationTime = integer(v) },
	"add.stats":                            func(a *action, v parquet.Value) { a.add().Stats = ptr(text(v)) },
	"add.deletionVector.storageType":       func(a *action, v parquet.Value) { vector(&a.add().DeletionVector).StorageType = text(v) },
	"add.deletionVector.pathOrInlineDv":    func(a *action, v parquet.Value) { vector(&a.add().DeletionVector).PathOrInlineDv = text(v) },
	"add.deletionVector.offset":            func(a *action, v parquet.Value) { vector(&a.add().DeletionVector).Offset = ptr(int32(integer(v))) },
	"add.deletionVector.sizeInBytes":       func(a *action, v parquet.Value) { vector(&a.add().DeletionVector).SizeInBytes = int32(integer(v)) },
	"add.deletionVector.cardinality":       func(a *action, v parquet.Value) { vector(&a.add().DeletionVector).Cardinality = integer(v) },
	"sidecar.path":                         func(a *action, v parquet.Value) { a.sidecar().Path = text(v) },
	"remove.path":                          func(a *action, v parquet.Value) { a.remove().Path = text(v) },
	"remove.deletionTimestamp":             func(a *action, v parquet.Value) { a.remove().DeletionTimestamp = ptr(integer(v)) },
	"remove.extendedFileMetadata":          func(a *action, v parquet.Value) { a.remove().ExtendedFileMetadata = ptr(v.Boolean()) },
	"remove.size":                          func(a *action, v parquet.Value) { a.remove().Size = ptr(integer(v)) },
	"remove.deletionVector.storageType":    func(a *action, v parquet.Value) { vector(&a.remove().DeletionVector).StorageType = text(v) },
	"remove.deletionVector.pathOrInlineDv": func(a *action, v parquet.Value) { vector(&a.remove().DeletionVector).PathOrInlineDv = text(v) },
	"remove.deletionVector.offset":         func(a *action, v parquet.Value) { vector(&a.remove().DeletionVector).Offset = ptr(int32(integer(v))) },
	"remove.deletionVector.sizeInBytes":    func(a *action, v parquet.Value) { vector(&a.remove().DeletionVector).SizeInBytes = int32(integer(v)) },
	"remove.deletionVector.cardinality":    func(a *action, v parquet.Value) { vector(&a.remove().DeletionVector).Cardinality = integer(v) },
}

var lists = map[string]func(a *action, v string){
	"protocol.readerFeatures":   func(a *action, v string) { a.protocol().ReaderFeatures = append(a.protocol().ReaderFeatures, v) },
	"protocol.writerFeatures":   func(a *action, v string) { a.protocol().WriterFeatures = append(a.protocol().WriterFeatures, v) },
	"metaData.partitionColumns": func(a *action, v string) { a.metaData().PartitionColumns = append(a.metaData().PartitionColumns, v) },
}

// dictionaries get each key with its value, nil for NULL.
var dictionaries = map[string]func(a *action, k string, v *string){
	"metaData.format.options": func(a *action, k string, v *string) { put(&a.metaData().Format.Options, k, plain(v)) },
	"metaData.configuration":  func(a *action, k string, v *string) { put(&a.metaData().Configuration, k, plain(v)) },
	"add.partitionValues":     func(a *action, k string, v *string) { put(&a.add().PartitionValues, k, orNull(v)) },
	"add.tags":                func(a *action, k string, v *string) { put(&a.add().Tags, k, plain(v)) },
	"remove.partitionValues":  func(a *action, k string, v *string) { put(&a.remove().PartitionValues, k, orNull(v)) },
}

func (a *action) txn() *txn                       { return made(&a.Txn) }
func (a *action) protocol() *protocol             { return made(&a.Protocol) }
func (a *action) domainMetadata() *domainMetadata { return made(&a.DomainMetadata) }
func (a *action) add() *add                       { return made(&a.Add) }
func (a *action) remove() *remove                 { return made(&a.Remove) }
func (a *action) sidecar() *sidecar               { return made(&a.Sidecar) }

// metaData begins with empty lists and maps, as a log entry has them.
func (a *action) metaData() *metaData {
	if a.MetaData == nil {
		a.MetaData = &metaData{Format: format{Options: map[string]string{}}, PartitionColumns: []string{}, Configuration: map[string]string{}}
	}
	return a.MetaData
}

func vector(d **deletionVector) *deletionVector { return made(d) }

func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

func ptr[T any](v T) *T { return &v }

func text(v parquet.Value) string { return string(v.ByteArray()) }

// integer reads INT32 and INT64 alike.
func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func put[V any](m *map[string]V, k string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[k] = v
}

func plain(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}

// orNull reads a partition value: "" is NULL.
func orNull(v *string) *string {
	if v == nil || *v == "" {
		return nil
	}
	return v
}

// headFields are those that a writer needs; the others, with the statistics, are the bulk of a checkpoint.
var headFields = []string{"txn.", "protocol.", "metaData.", "domainMetadata.", "add.path", "add.deletionVector.", "sidecar."}

func everything(string) bool { return true }

func forHead(field string) bool {
	return slices.ContainsFunc(headFields, func(prefix string) bool { return strings.HasPrefix(field, prefix) })
}

// parseCheckpoint calls fn with the actions of each row group. wanted says which fields are read.
func parseCheckpoint(f store.Reader, wanted func(field string) bool, fn func([]action)) (err error) {
	defer func() { // parquet-go reports some damage by panicking
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	file, err := parquetfile.Open(f)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	for _, g := range file.RowGroups() {
		rows := &actionRows{}
		for _, path := range file.Schema().Columns() {
			if err := rows.readLeaf(file.Schema(), g, path, wanted); err != nil {
				return fmt.Errorf("column %s: %w", strings.Join(path, "."), err)
			}
		}
		fn(rows.actions)
	}
	return nil
}

// actionRows are the actions of one row group, as far as columns were read.
type actionRows struct {
	actions []action
	keys    []mapKey // of the dictionary whose values come next
}

type mapKey struct {
	row int
	key string
}

func (r *actionRows) at(row int) *action {
	for len(r.actions) <= row {
		r.actions = append(r.actions, action{})
	}
	return &r.actions[row]
}

// readLeaf reads one leaf, if it belongs to a field that is known and wanted.
func (r *actionRows) readLeaf(s *parquet.Schema, g parquet.RowGroup, path []string, wanted func(string) bool) error {
	leaf, ok := s.Lookup(path...)
	field := strings.Join(path, ".")
	if !ok || !wanted(field) {
		return nil
	}
	pages := g.ColumnChunks()[leaf.ColumnIndex].Pages()
	defer pages.Close()
	if set, ok := scalars[field]; ok && leaf.MaxRepetitionLevel == 0 {
		return eachValue(pages, func(row int, v parquet.Value) { set(r.at(row), v) })
	}
	if leaf.MaxRepetitionLevel != 1 {
		return nil
	}
	for n := len(path) - 1; n > 1; n-- { // the field is what stands before the levels of the list or the map
		field := strings.Join(path[:n], ".")
		if add, ok := lists[field]; ok {
			return eachValue(pages, func(row int, v parquet.Value) { add(r.at(row), text(v)) })
		}
		if add, ok := dictionaries[field]; ok {
			return r.readMap(pages, path[len(path)-1] == "key", leaf.MaxDefinitionLevel, add)
		}
	}
	return nil
}

// readMap reads the keys of a map, then, with the next leaf, its values. A value that is NULL still has its key.
func (r *actionRows) readMap(pages parquet.Pages, isKey bool, max int, add func(a *action, k string, v *string)) error {
	if isKey {
		r.keys = r.keys[:0]
		return eachValue(pages, func(row int, v parquet.Value) { r.keys = append(r.keys, mapKey{row, text(v)}) })
	}
	values := map[int][]*string{}
	err := eachEntry(pages, func(row int, v parquet.Value) {
		switch {
		case !v.IsNull():
			values[row] = append(values[row], ptr(text(v)))
		case v.RepetitionLevel() > 0 || v.DefinitionLevel() == max-1:
			values[row] = append(values[row], nil)
		}
	})
	for _, k := range r.keys {
		var v *string
		if list := values[k.row]; len(list) > 0 {
			v, values[k.row] = list[0], list[1:]
		}
		add(r.at(k.row), k.key, v)
	}
	return err
}

// eachValue calls fn with the values of a leaf that are not null, and the rows they are in.
func eachValue(pages parquet.Pages, fn func(row int, v parquet.Value)) error {
	return eachEntry(pages, func(row int, v parquet.Value) {
		if !v.IsNull() {
			fn(row, v)
		}
	})
}

// eachEntry calls fn with all entries of a leaf, nulls too, and the rows they are in.
func eachEntry(pages parquet.Pages, fn func(row int, v parquet.Value)) error {
	row := -1
	var buf [128]parquet.Value
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		for values, more := p.Values(), true; more; {
			n, err := values.ReadValues(buf[:])
			for _, v := range buf[:n] {
				if v.RepetitionLevel() == 0 {
					row++
				}
				fn(row, v)
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: %w", errDamaged, err)
			}
			more = err == nil
		}
		parquet.Release(p)
	}
}
