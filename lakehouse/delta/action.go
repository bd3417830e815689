package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// action is one line of a log entry and one row of a checkpoint: exactly one field is set.
type action struct {
	CommitInfo     map[string]any  `json:"commitInfo,omitempty" parquet:"-"`
	Txn            *txn            `json:"txn,omitempty" parquet:"txn,optional"`
	Protocol       *protocol       `json:"protocol,omitempty" parquet:"protocol,optional"`
	MetaData       *metaData       `json:"metaData,omitempty" parquet:"metaData,optional"`
	DomainMetadata *domainMetadata `json:"domainMetadata,omitempty" parquet:"domainMetadata,optional"`
	Remove         *remove         `json:"remove,omitempty" parquet:"remove,optional"`
	Add            *add            `json:"add,omitempty" parquet:"add,optional"`
	Sidecar        *sidecar        `json:"sidecar,omitempty" parquet:"-"`
}

// sidecar names a part of a V2 checkpoint, with adds and removes.
type sidecar struct {
	Path string `json:"path"`
}

type txn struct {
	AppID       string `json:"appId" parquet:"appId"`
	Version     int64  `json:"version" parquet:"version"`
	LastUpdated *int64 `json:"lastUpdated,omitempty" parquet:"lastUpdated,optional"`
}

type protocol struct {
	MinReaderVersion int32    `json:"minReaderVersion" parquet:"minReaderVersion"`
	MinWriterVersion int32    `json:"minWriterVersion" parquet:"minWriterVersion"`
	ReaderFeatures   []string `json:"readerFeatures,omitempty" parquet:"readerFeatures,optional,list"`
	WriterFeatures   []string `json:"writerFeatures,omitempty" parquet:"writerFeatures,optional,list"`
}

type format struct {
	Provider string            `json:"provider" parquet:"provider"`
	Options  map[string]string `json:"options" parquet:"options,optional"`
}

type metaData struct {
	ID               string            `json:"id" parquet:"id"`
	Name             *string           `json:"name,omitempty" parquet:"name,optional"`
	Description      *string           `json:"description,omitempty" parquet:"description,optional"`
	Format           format            `json:"format" parquet:"format"`
	SchemaString     string            `json:"schemaString" parquet:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns" parquet:"partitionColumns,list"`
	CreatedTime      *int64            `json:"createdTime,omitempty" parquet:"createdTime,optional"`
	Configuration    map[string]string `json:"configuration" parquet:"configuration,optional"`
}

type domainMetadata struct {
	Domain        string `json:"domain" parquet:"domain"`
	Configuration string `json:"configuration" parquet:"configuration"`
	Removed       bool   `json:"removed" parquet:"removed"`
}

type add struct {
	Path             string             `json:"path" parquet:"path"`
	PartitionValues  map[string]*string `json:"partitionValues" parquet:"partitionValues"`
	Size             int64              `json:"size" parquet:"size"`
	ModificationTime int64              `json:"modificationTime" parquet:"modificationTime"`
	DataChange       bool               `json:"dataChange" parquet:"dataChange"`
	Stats            *string            `json:"stats,omitempty" parquet:"stats,optional"`
	Tags             map[string]string  `json:"tags,omitempty" parquet:"tags,optional"`
	DeletionVector   *deletionVector    `json:"deletionVector,omitempty" parquet:"deletionVector,optional"`
}

// deletionVector names the rows of a file that are deleted. A file that has one is read, and not removed here.
type deletionVector struct {
	StorageType    string `json:"storageType" parquet:"storageType"`
	PathOrInlineDv string `json:"pathOrInlineDv" parquet:"pathOrInlineDv"`
	Offset         *int32 `json:"offset,omitempty" parquet:"offset,optional"`
	SizeInBytes    int32  `json:"sizeInBytes" parquet:"sizeInBytes"`
	Cardinality    int64  `json:"cardinality" parquet:"cardinality"`
}

// id tells the vectors of one file apart.
func (d *deletionVector) id() string {
	if d == nil {
		return ""
	}
	id := d.StorageType + d.PathOrInlineDv
	if d.Offset != nil {
		id += fmt.Sprintf("@%d", *d.Offset)
	}
	return id
}

// fileKey is what a file is told by: one whose deletion vector changed is removed and added in the same commit.
type fileKey struct{ path, vector string }

func (a *add) key() fileKey    { return fileKey{a.Path, a.DeletionVector.id()} }
func (r *remove) key() fileKey { return fileKey{r.Path, r.DeletionVector.id()} }

type remove struct {
	Path                 string             `json:"path" parquet:"path"`
	DeletionTimestamp    *int64             `json:"deletionTimestamp,omitempty" parquet:"deletionTimestamp,optional"`
	DataChange           bool               `json:"dataChange" parquet:"dataChange"`
	ExtendedFileMetadata *bool              `json:"extendedFileMetadata,omitempty" parquet:"extendedFileMetadata,optional"`
	PartitionValues      map[string]*string `json:"partitionValues,omitempty" parquet:"partitionValues,optional"`
	Size                 *int64             `json:"size,omitempty" parquet:"size,optional"`
	DeletionVector       *deletionVector    `json:"deletionVector,omitempty" parquet:"deletionVector,optional"`
}

// maxEntryBytes bounds a log entry that is read, and maxLine a line of it.
const maxEntryBytes = 1 << 30

var errDamaged = errors.New("log entry is damaged")

// parseEntry reads the actions of a log entry. Unknown actions and fields are left out, as the protocol asks.
func parseEntry(name string, body []byte) ([]action, error) {
	if len(body) > maxEntryBytes {
		return nil, fmt.Errorf("%s: %w: %d bytes", name, errDamaged, len(body))
	}
	var out []action
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // commitInfo may hold offsets beyond 2^53
	for line := 1; ; line++ {
		var a action
		err := d.Decode(&a)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: action %d: %w", name, errDamaged, line, err)
		}
		out = append(out, a)
	}
}

func encodeEntry(actions []action) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, a := range actions {
		if err := e.Encode(a); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
