package config

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// fileShape is a pipeline file for editors. The reader does not use it; a test holds the two together.
type fileShape struct {
	Name         string                 `json:"name" jsonschema:"pattern=^[a-z0-9_-]{1\\,64}$,description=Identity within the table"`
	PreviousName string                 `json:"previous_name,omitempty" jsonschema:"description=Name under which the table was filled before"`
	Sources      map[string]sourceShape `json:"sources"`
	Query        string                 `json:"query" jsonschema:"description=Spark SQL"`
	OutputMode   string                 `json:"output_mode,omitempty" jsonschema:"enum=append,enum=update,enum=complete,default=append"`
	Sink         sinkShape              `json:"sink"`
	Trigger      *triggerShape          `json:"trigger,omitempty"`
	Commit       *commitShape           `json:"commit,omitempty"`
	Limits       *limitsShape           `json:"limits,omitempty"`
	SideTables   *sideShape             `json:"side_tables,omitempty"`
	S3           *s3Shape               `json:"s3,omitempty" jsonschema:"description=How to talk to the store of s3:// paths"`
	DrainTimeout string                 `json:"drain_timeout,omitempty" jsonschema:"description=How long a graceful stop may take"`
	Schedule     any                    `json:"schedule,omitempty" jsonschema:"description=When lakewheel schedule runs it: a cron expression or {cron\\, jitter}"`
	Timezone     string                 `json:"timezone,omitempty" jsonschema:"default=UTC,description=Of schedule: Europe/Berlin"`

	WatermarkPolicy string        `json:"watermark_policy,omitempty" jsonschema:"enum=min,enum=max,default=min,description=Which of several inputs holds the watermark"`
	Watermark       *restartShape `json:"watermark,omitempty"`
	NoDataBatches   *bool         `json:"no_data_batches,omitempty" jsonschema:"default=true,description=Run a batch without data when the watermark lets state go"`
	NoDataAtRestart *bool         `json:"no_data_at_restart,omitempty" jsonschema:"default=true,description=One that is due at a start runs first"`
	Compat          string        `json:"compat,omitempty" jsonschema:"enum=spark,description=Take Spark's way where the defaults differ"`
	LateRows        string        `json:"late_rows,omitempty" jsonschema:"enum=count,enum=table,enum=update,default=count"`
	AllowedLateness string        `json:"allowed_lateness,omitempty" jsonschema:"description=How long late rows still correct what was emitted (late_rows: update)"`
	State           *stateShape   `json:"state,omitempty" jsonschema:"description=More than this stops the run"`
}

type restartShape struct {
	SurvivesRestart *bool `json:"survives_restart,omitempty" jsonschema:"default=true,description=Each input goes on with its own watermark"`
}

type stateShape struct {
	MaxRows  int64  `json:"max_rows,omitempty" jsonschema:"minimum=1,description=Groups\\, keys and sessions of all operators"`
	MaxBytes string `json:"max_bytes,omitempty" jsonschema:"default=2GiB"`
}

type watermarkShape struct {
	Column       string `json:"column" jsonschema:"description=The TIMESTAMP column that holds the event time"`
	Delay        string `json:"delay" jsonschema:"description=How far the watermark stays behind the newest event: 10 seconds"`
	IdleTimeout  string `json:"idle_timeout,omitempty" jsonschema:"description=When an input without data stops holding the others back; off if left out"`
	PerPartition bool   `json:"per_partition,omitempty" jsonschema:"description=The slowest partition holds the watermark"`
}

type dedupShape struct {
	Keys            []string `json:"keys" jsonschema:"description=Columns that are equal in duplicates"`
	WithinWatermark bool     `json:"within_watermark,omitempty" jsonschema:"description=Keep a key for the delay of the watermark"`
}

type sourceShape struct {
	Kafka       *kafkaShape      `json:"kafka,omitempty"`
	Files       *filesShape      `json:"files,omitempty" jsonschema:"description=Files of a folder or an S3 prefix"`
	Delta       *deltaInShape    `json:"delta,omitempty" jsonschema:"description=A Delta table as a stream"`
	Memory      *struct{}        `json:"memory,omitempty" jsonschema:"description=Fed by scenario scripts"`
	Bootstrap   *bootstrapShape  `json:"bootstrap,omitempty" jsonschema:"description=An archive that is read before a topic"`
	Format      string           `json:"format,omitempty" jsonschema:"enum=json,enum=csv,enum=raw,enum=parquet,default=json"`
	CSV         *csvShape        `json:"csv,omitempty"`
	Schema      string           `json:"schema,omitempty" jsonschema:"description=Spark DDL: id BIGINT\\, ts TIMESTAMP"`
	OnBadRecord string           `json:"on_bad_record,omitempty" jsonschema:"enum=dead_letter,enum=fail,enum=drop,default=dead_letter"`
	OnNullValue string           `json:"on_null_value,omitempty" jsonschema:"enum=skip,enum=dead_letter,enum=row,default=skip"`
	BadRecords  *badRecordsShape `json:"bad_records,omitempty"`
	Watermark   *watermarkShape  `json:"watermark,omitempty"`
	Dedup       *dedupShape      `json:"dedup,omitempty"`
}

type csvShape struct {
	Separator string `json:"separator,omitempty" jsonschema:"maxLength=1,default=\\,"`
	Quote     string `json:"quote,omitempty" jsonschema:"maxLength=1"`
	Null      string `json:"null,omitempty" jsonschema:"description=Text that means NULL\\, beside an empty value"`
	Header    bool   `json:"header,omitempty" jsonschema:"description=The first line of each file names the columns"`
	Multiline bool   `json:"multiline,omitempty" jsonschema:"description=A value in quotes may hold line breaks; files are then read from their beginning"`
}

type filesShape struct {
	Path             string `json:"path" jsonschema:"description=A folder or s3://bucket/prefix"`
	Glob             string `json:"glob,omitempty" jsonschema:"description=Names below the path: ** for any folders\\, * and ? within a name"`
	MinAge           string `json:"min_age,omitempty" jsonschema:"default=10s,description=Files that changed less than so long ago are left alone"`
	ListInterval     string `json:"list_interval,omitempty" jsonschema:"default=1s,description=Wait so long between two listings"`
	MaxFilesPerBatch int64  `json:"max_files_per_batch,omitempty" jsonschema:"minimum=1"`
	MaxBytesPerBatch string `json:"max_bytes_per_batch,omitempty"`
	OnDataLoss       string `json:"on_data_loss,omitempty" jsonschema:"enum=fail,enum=skip,default=fail"`
}

type bootstrapShape struct {
	Files  *filesShape   `json:"files,omitempty"`
	Delta  *deltaInShape `json:"delta,omitempty"`
	Format string        `json:"format,omitempty" jsonschema:"enum=json,enum=csv,enum=raw,enum=parquet,description=Of the files; that of the source if left out"`
	Until  *untilShape   `json:"until,omitempty" jsonschema:"description=Where the archive ends and the topic goes on"`
}

type untilShape struct {
	Offsets map[string]int64 `json:"offsets" jsonschema:"description=Offset by partition"`
}

type deltaInShape struct {
	Path             string `json:"path" jsonschema:"description=A folder or s3://bucket/prefix"`
	Start            any    `json:"start,omitempty" jsonschema:"description=newest | earliest | latest | {version: N} | {time: ...}"`
	OnChange         string `json:"on_change,omitempty" jsonschema:"enum=fail,enum=skip,default=fail,description=Versions that delete or change rows"`
	ListInterval     string `json:"list_interval,omitempty" jsonschema:"default=1s"`
	MaxFilesPerBatch int64  `json:"max_files_per_batch,omitempty" jsonschema:"minimum=1"`
	MaxBytesPerBatch string `json:"max_bytes_per_batch,omitempty"`
	OnDataLoss       string `json:"on_data_loss,omitempty" jsonschema:"enum=fail,enum=skip,default=fail"`
}

type badRecordsShape struct {
	MaxRatio   float64 `json:"max_ratio,omitempty" jsonschema:"minimum=0,maximum=1,default=0.5"`
	MinRecords int64   `json:"min_records,omitempty" jsonschema:"minimum=1,default=1000"`
}

type kafkaShape struct {
	Brokers      []string   `json:"brokers"`
	Topic        string     `json:"topic,omitempty"`
	Topics       []string   `json:"topics,omitempty"`
	TopicPattern string     `json:"topic_pattern,omitempty"`
	Start        any        `json:"start,omitempty" jsonschema:"description=earliest | latest | {time: ...} | {offsets: {...}}"`
	Isolation    string     `json:"isolation,omitempty" jsonschema:"enum=read_committed,enum=read_uncommitted,default=read_committed"`
	OnDataLoss   string     `json:"on_data_loss,omitempty" jsonschema:"enum=fail,enum=skip,default=fail"`
	Group        string     `json:"group,omitempty" jsonschema:"description=Consumer group that gets committed offsets\\, for lag tools only"`
	SASL         *saslShape `json:"sasl,omitempty"`
	TLS          any        `json:"tls,omitempty" jsonschema:"description=true | {ca\\, cert\\, key\\, server_name}"`
}

type saslShape struct {
	Mechanism string `json:"mechanism" jsonschema:"enum=PLAIN,enum=SCRAM-SHA-256,enum=SCRAM-SHA-512"`
	User      string `json:"user"`
	Password  string `json:"password" jsonschema:"description=${ENV} or file:PATH keeps it out of the file"`
}

type sinkShape struct {
	Delta    *deltaShape `json:"delta,omitempty"`
	Parquet  *plainShape `json:"parquet,omitempty" jsonschema:"description=Plain Parquet files\\, for readers without a table format; append mode only"`
	Console  *struct{}   `json:"console,omitempty" jsonschema:"description=Prints rows; keeps no position"`
	Existing string      `json:"existing,omitempty" jsonschema:"enum=fail,enum=append,default=fail"`
	Merge    *mergeShape `json:"merge,omitempty" jsonschema:"description=Rows replace those with the same key (output_mode: append)"`
}

type mergeShape struct {
	Keys       []string `json:"keys" jsonschema:"description=Columns of the query that tell rows apart"`
	DeleteWhen string   `json:"delete_when,omitempty" jsonschema:"description=Condition over the columns of the query: where it is TRUE\\, the key is deleted"`
	Drop       []string `json:"drop,omitempty" jsonschema:"description=Columns of the query that the table does not get"`
}

type deltaShape struct {
	Path         string            `json:"path"`
	PartitionBy  []string          `json:"partition_by,omitempty" jsonschema:"description=Columns of the query"`
	SortBy       []any             `json:"sort_by,omitempty" jsonschema:"description=Columns that the rows of each file are sorted by: names or mappings of column and order (asc or desc)"`
	BloomFilters []string          `json:"bloom_filters,omitempty" jsonschema:"description=Columns that files have Bloom filters of"`
	Properties   map[string]string `json:"properties,omitempty" jsonschema:"description=Delta properties of a table that the pipeline makes"`
	Evolution    string            `json:"schema_evolution,omitempty" jsonschema:"enum=off,enum=add_columns,default=off"`
}

type plainShape struct {
	Path         string   `json:"path"`
	PartitionBy  []string `json:"partition_by,omitempty" jsonschema:"description=Columns of the query\\, which name folders and are not in the files"`
	SortBy       []any    `json:"sort_by,omitempty" jsonschema:"description=Columns that the rows of each file are sorted by: names or mappings of column and order (asc or desc)"`
	BloomFilters []string `json:"bloom_filters,omitempty" jsonschema:"description=Columns that files have Bloom filters of"`
	Evolution    string   `json:"schema_evolution,omitempty" jsonschema:"enum=off,enum=add_columns,default=off"`
}

type triggerShape struct {
	Interval     string `json:"interval,omitempty" jsonschema:"default=1s"`
	AvailableNow bool   `json:"available_now,omitempty"`
}

type commitShape struct {
	Interval       string `json:"interval,omitempty" jsonschema:"default=1s"`
	MaxIdle        string `json:"max_idle,omitempty" jsonschema:"default=1m"`
	TargetFileSize string `json:"target_file_size,omitempty" jsonschema:"default=128MiB"`

	Compaction *compactionShape `json:"compaction,omitempty" jsonschema:"description=Small files are merged beside the commits"`
}

type compactionShape struct {
	Enabled  bool    `json:"enabled,omitempty" jsonschema:"default=true"`
	Files    int     `json:"files,omitempty" jsonschema:"minimum=2,maximum=1000,default=12,description=Files of a tier become one of the next"`
	CPUShare float64 `json:"cpu_share,omitempty" jsonschema:"minimum=0,maximum=1,default=0.25,description=Of one processor"`
}

type limitsShape struct {
	RowsPerBatch     int64  `json:"rows_per_batch,omitempty" jsonschema:"minimum=1,default=1000000,description=Shared out by backlog"`
	RowsPerPartition int64  `json:"rows_per_partition,omitempty" jsonschema:"minimum=1,description=Of each partition in a batch"`
	BytesPerBatch    string `json:"bytes_per_batch,omitempty" jsonschema:"description=About\\, by the size of the rows before"`
	MinRows          int64  `json:"min_rows,omitempty" jsonschema:"minimum=1,description=What a batch waits for"`
	MaxDelay         string `json:"max_delay,omitempty" jsonschema:"default=15m,description=How long a batch waits for min_rows"`
	Adaptive         bool   `json:"adaptive,omitempty" jsonschema:"description=Keep batches to what is processed in an interval"`
	Memory           string `json:"memory,omitempty" jsonschema:"default=512MiB"`
}

type sideShape struct {
	DeadLetter string `json:"dead_letter,omitempty"`
	Late       string `json:"late,omitempty" jsonschema:"description=Filled by late_rows: table"`
}

type s3Shape struct {
	Endpoint           string `json:"endpoint,omitempty" jsonschema:"description=https://host:port; Amazon S3 if left out"`
	Region             string `json:"region,omitempty"`
	PathStyle          bool   `json:"path_style,omitempty" jsonschema:"description=Bucket in the path or in the name of the host"`
	AccessKey          string `json:"access_key,omitempty" jsonschema:"description=${ENV} or file:PATH; environment\\, shared file and roles are tried if left out"`
	SecretKey          string `json:"secret_key,omitempty" jsonschema:"description=${ENV} or file:PATH keeps it out of the file"`
	SessionToken       string `json:"session_token,omitempty"`
	CredentialsFile    string `json:"credentials_file,omitempty" jsonschema:"description=Shared file with profiles"`
	Profile            string `json:"profile,omitempty"`
	IdentityEndpoint   string `json:"identity_endpoint,omitempty" jsonschema:"description=STS or metadata service\\, if not Amazon's"`
	TLS                any    `json:"tls,omitempty" jsonschema:"description=true | {ca\\, cert\\, key\\, server_name}"`
	PartSize           string `json:"part_size,omitempty" jsonschema:"default=8MiB"`
	Uploads            int    `json:"uploads,omitempty" jsonschema:"minimum=1,maximum=64,default=4,description=Parts on their way at once"`
	Timeout            string `json:"timeout,omitempty" jsonschema:"default=20s"`
	UnsafeSingleWriter bool   `json:"unsafe_single_writer,omitempty" jsonschema:"description=Write to a store that ignores If-None-Match"`
}

// JSONSchema is the JSON Schema of pipeline files, for editors.
func JSONSchema() ([]byte, error) {
	r := &jsonschema.Reflector{DoNotReference: true, ExpandedStruct: true}
	s := r.Reflect(&fileShape{})
	s.ID, s.Title = "https://lakewheel.dev/pipeline.schema.json", "Lakewheel pipeline"
	return json.MarshalIndent(s, "", "  ")
}
