package config

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/delta"
)

// checkProperties checks those of the table that a pipeline may make.
func (f *fileReader) checkProperties() {
	if f.propertiesAt == nil || f.p.Sink.Plain {
		return
	}
	any := columnar.NewSchema(columnar.Field{Name: "any", Type: columnar.BigInt, Nullable: true})
	if err := delta.CheckCreation(lakehouse.Creation{Schema: any, Properties: f.p.Sink.Properties}); err != nil {
		f.fault(f.propertiesAt, "sink.delta.properties: %v", err)
	}
	if f.p.Planned == nil {
		return
	}
	if _, merges := f.p.KeyColumns(); merges && strings.EqualFold(f.p.Sink.Properties["delta.appendOnly"], "true") {
		f.fault(f.propertiesAt, "sink.delta.properties: rows are replaced, which delta.appendOnly forbids; leave it out")
	}
}
