// Package config reads pipeline files.
//
// # Model
//
// A file is parsed into a tree that knows where everything stands, environment variables are put into its scalars, and
// every key is read by a small function of its own. Faults are collected, each with file, line and column, so
// that one run shows them all. Nothing is contacted, but for the Delta tables that are read without a schema.
package config

import (
	"time"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/decode"
	"github.com/lakewheel/lakewheel/committer"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
	"github.com/lakewheel/lakewheel/microbatch"
	"github.com/lakewheel/lakewheel/microbatch/exec"
	"github.com/lakewheel/lakewheel/microbatch/schedule"
	"github.com/lakewheel/lakewheel/microbatch/source/kafka"
	"github.com/lakewheel/lakewheel/planner"
)

// Pipeline is one pipeline file.
type Pipeline struct {
	File         string
	Name         string
	PreviousName string
	Sources      []Source // those that the query reads, in the order of the file
	Query        string
	Planned      *planner.Planned
	Sink         Sink
	Trigger      microbatch.Trigger
	Commit       microbatch.CommitPolicy
	Compaction   committer.CompactionPolicy
	Limits       Limits
	DeadLetter   string // path of the side table
	Late         string // path of the side table of late rows; "": there is none
	S3           store.S3Config
	DrainTimeout time.Duration
	Schedule     schedule.Timetable // not set: it does not run by the clock

	Mode planner.OutputMode
	// Keys are those of the groups that replace others in the table; nil: there are none, or no table, or another mode.
	Keys *planner.Keys
	// WatermarkMax: the fastest input holds the watermark, not the slowest.
	WatermarkMax bool
	// NoDataBatches: a batch without data runs when the watermark has moved and state can go.
	NoDataBatches bool
	// NoDataAtRestart: one that is due when the process starts runs before any data is read.
	NoDataAtRestart bool
	// SurvivesRestart: each input goes on with its own watermark, not with none.
	SurvivesRestart bool
	LateRows        LateRows
	AllowedLateness time.Duration // of UpdateLate
	State           microbatch.StateLimits
}

// Source is one input.
type Source struct {
	Name   string
	Kafka  *kafka.Config // nil: another kind
	Files  *Files        // nil: another kind
	Delta  *DeltaSource  // nil: another kind
	Format string        // "json", "csv", "raw" or "parquet"
	CSV    decode.CSVOptions
	// Header and Multiline are those of CSV files: the first line names the columns, and a value in quotes may hold line breaks.
	Header, Multiline bool
	Schema            *columnar.Schema
	OnBad             microbatch.OnBad
	OnNull            exec.OnNull
	Bad               microbatch.BadRecords

	Bootstrap *Bootstrap         // nil: there is no archive before it
	EventTime *EventTime         // nil: it declares no watermark
	Dedup     *planner.DedupRule // nil: it keeps duplicates
}

// Sink is the output.
type Sink struct {
	Console     bool
	Plain       bool   // plain Parquet files, not a Delta table
	Path        string // of the table: a folder, or s3://bucket/prefix
	PartitionBy []string
	Properties  map[string]string // of a table that the pipeline makes
	Layout      lakehouse.Layout  // in the spelling of the query
	// AddColumns adds columns of the query to a table that does not have them (schema_evolution: add_columns).
	AddColumns bool
	Append     bool   // existing: append
	Merge      *Merge // nil: rows are only added
}

// defaults is what a pipeline file that says nothing gets.
func defaults(file string) *Pipeline {
	return &Pipeline{
		File:         file,
		Trigger:      microbatch.Trigger{Interval: time.Second},
		Commit:       microbatch.CommitPolicy{Interval: time.Second, MaxIdle: time.Minute, TargetBytes: 128 << 20},
		Compaction:   defaultCompaction,
		Limits:       defaultLimits,
		Sink:         Sink{Properties: shortLog()},
		DrainTimeout: 30 * time.Second, NoDataBatches: true, State: microbatch.StateLimits{MaxBytes: 2 << 30},
	}
}

// shortLog are properties for a table that may get a commit a second. With Delta's defaults, 30 days of log and a week of names of files that are gone, it
// would have 2.6 million entries, and 700,000 names in each checkpoint.
func shortLog() map[string]string {
	return map[string]string{"delta.logRetentionDuration": "interval 1 days", "delta.deletedFileRetentionDuration": "interval 1 days"}
}

// defaultSource is what a source that says nothing gets.
func defaultSource(name string) *Source {
	return &Source{Name: name, Format: "json", Bad: microbatch.BadRecords{MaxRatio: 0.5, MinRecords: 1000}}
}
