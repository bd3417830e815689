package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// writerFeatures are those that are respected in writing: those of the second line by doing nothing about them, which is right only
// while they are not in use, as a property or the schema tells.
var writerFeatures = []string{
	"appendOnly", "domainMetadata", "vacuumProtocolCheck", "timestampNtz", "inCommitTimestamp",
	"invariants", "checkConstraints", "generatedColumns", "identityColumns", "allowColumnDefaults", "changeDataFeed", "columnMapping",
}

// readerFeatures are those that a reader respects.
var readerFeatures = []string{"vacuumProtocolCheck", "timestampNtz", "columnMapping"}

// readOnly are features that are respected in reading alone.
var readOnly = []string{"deletionVectors", "v2Checkpoint"}

// switches are properties that turn a feature on that is not served here.
var switches = []string{
	"delta.enableChangeDataFeed", "delta.enableDeletionVectors", "delta.enableRowTracking",
	"delta.enableIcebergCompatV1", "delta.enableIcebergCompatV2", "delta.enableTypeWidening",
}

// unusable says why the table cannot be written, nil if it can.
func unusable(p *protocol, m *metaData) error {
	var why []string
	if p.MinReaderVersion > 3 || p.MinWriterVersion > 7 {
		why = append(why, fmt.Sprintf("protocol reader %d, writer %d", p.MinReaderVersion, p.MinWriterVersion))
	}
	why = append(why, unknown("writer feature", p.WriterFeatures, writerFeatures)...)
	why = append(why, unknown("reader feature", p.ReaderFeatures, readerFeatures)...)
	why = append(why, switchedOn(m.Configuration)...)
	_, problems := decodeSchema(m.SchemaString)
	why = append(why, problems...)
	if len(why) == 0 {
		return nil
	}
	return fmt.Errorf("%w: this table cannot be written: %s; remove what is named, or write to another table", lakehouse.ErrUnsupported, strings.Join(why, ", "))
}

func unknown(what string, features, known []string) (out []string) {
	for _, f := range features {
		if !slices.Contains(known, f) {
			out = append(out, what+" "+f)
		}
	}
	return out
}

// switchedOn names the properties that ask something of a writer that is not done here.
func switchedOn(properties map[string]string) (why []string) {
	for key, value := range properties {
		constraint, checked := strings.CutPrefix(key, "delta.constraints.")
		switch {
		case checked:
			why = append(why, "CHECK constraint "+constraint)
		case key == "delta.setTransactionRetentionDuration":
			why = append(why, "property delta.setTransactionRetentionDuration, which lets the position of a pipeline expire: ALTER TABLE ... UNSET TBLPROPERTIES ('delta.setTransactionRetentionDuration')")
		case key == mappingMode && mapped(properties), slices.Contains(switches, key) && strings.EqualFold(value, "true"):
			why = append(why, "property "+key+"="+value)
		}
	}
	slices.Sort(why)
	return why
}

// unreadable says why rows of the table cannot be read, nil if they can.
func unreadable(p *protocol, m *metaData) error {
	why := unknown("reader feature", p.ReaderFeatures, append(readOnly, readerFeatures...))
	if p.MinReaderVersion > 3 {
		why = append(why, fmt.Sprintf("protocol reader %d", p.MinReaderVersion))
	}
	if s, problems := decodeSchema(m.SchemaString); s == nil {
		why = append(why, problems...)
	}
	if len(why) == 0 {
		return nil
	}
	return fmt.Errorf("%w: this table cannot be read: %s", lakehouse.ErrUnsupported, strings.Join(why, ", "))
}
