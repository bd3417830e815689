package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakewheel/lakewheel/lakehouse"
)

// Features that a writer of plain appends respects by doing nothing about them.
var (
	writerFeatures = []string{"appendOnly", "invariants", "domainMetadata", "vacuumProtocolCheck", "checkConstraints", "generatedColumns", "identityColumns", "changeDataFeed", "columnMapping", "deletionVectors"}
	readerFeatures = []string{"vacuumProtocolCheck", "columnMapping", "deletionVectors"}
)

// unusable says why the table cannot be written, nil if it can. Some listed features matter only once they are switched on: their
// properties and column rules are checked one by one.
func unusable(p *protocol, m *metaData) error {
	var why []string
	if p.MinReaderVersion > 3 || p.MinWriterVersion > 7 {
		why = append(why, fmt.Sprintf("protocol reader %d, writer %d", p.MinReaderVersion, p.MinWriterVersion))
	}
	for _, f := range p.WriterFeatures {
		if !slices.Contains(writerFeatures, f) {
			why = append(why, "writer feature "+f)
		}
	}
	for _, f := range p.ReaderFeatures {
		if !slices.Contains(readerFeatures, f) {
			why = append(why, "reader feature "+f)
		}
	}
	why = append(why, switchedOn(m.Configuration)...)
	_, refused, err := decodeSchema(m.SchemaString)
	if err != nil {
		why = append(why, err.Error())
	}
	why = append(why, refused...)
	if len(why) == 0 {
		return nil
	}
	return fmt.Errorf("%w: this table cannot be written: %s; write to a table without it", lakehouse.ErrUnsupported, strings.Join(why, ", "))
}

// switchedOn names the properties that ask something of a writer that is not done here.
func switchedOn(properties map[string]string) []string {
	var why []string
	for key, value := range properties {
		switch {
		case strings.HasPrefix(key, "delta.constraints."):
			why = append(why, "CHECK constraint "+strings.TrimPrefix(key, "delta.constraints."))
		case key == "delta.setTransactionRetentionDuration":
			why = append(why, "property delta.setTransactionRetentionDuration, which lets the position of a pipeline expire: ALTER TABLE ... UNSET TBLPROPERTIES ('delta.setTransactionRetentionDuration')")
		case key == "delta.columnMapping.mode" && value != "none",
			slices.Contains([]string{"delta.enableChangeDataFeed", "delta.enableDeletionVectors", "delta.enableInCommitTimestamps", "delta.enableRowTracking", "delta.enableIcebergCompatV1", "delta.enableIcebergCompatV2", "delta.enableTypeWidening"}, key) && strings.EqualFold(value, "true"):
			why = append(why, "property "+key+"="+value)
		}
	}
	slices.Sort(why)
	return why
}
