package planner

import "strings"

// refused are functions of Spark that a replay could not repeat, or that have no meaning
// without a cluster, with the reason and what to write instead.
var refused = map[string]struct{ reason, hint string }{
	"rand": noChance, "random": noChance, "randn": noChance, "uniform": noChance, "randstr": noChance, "shuffle": noChance,
	"uuid":                        {"gives other values when a batch is run again", "make an id of the record: sha2(concat_ws('/', _topic, _partition, _offset), 256)"},
	"monotonically_increasing_id": {"numbers rows by how the work was divided", "_offset numbers the records of a partition"},
	"spark_partition_id":          {"depends on how the work was divided", "_partition is the partition of the topic"},
	"input_file_name":             {"needs a file, and the source is a topic", "_topic, _partition and _offset say where a record is"},
	"input_file_block_start":      noFile, "input_file_block_length": noFile,
	"current_user": noSession, "user": noSession, "session_user": noSession, "current_database": noSession, "current_schema": noSession, "current_catalog": noSession,
	"version": {"would give another program's version", "lakewheel version prints ours"},
}

var (
	noChance  = struct{ reason, hint string }{"gives other values when a batch is run again", "take a number out of the record: pmod(xxhash64(_topic, _partition, _offset), 1000)"}
	noFile    = struct{ reason, hint string }{"needs a file, and the source is a topic", "_topic, _partition and _offset say where a record is"}
	noSession = struct{ reason, hint string }{"belongs to a session, and a pipeline has none", "write the value as a constant; ${ENV} is replaced in the file"}
)

// Refusal says why a function of Spark is not there on purpose, and what to do instead.
func Refusal(function string) (text string, ok bool) {
	r, ok := refused[strings.ToLower(function)]
	if !ok {
		return "", false
	}
	return strings.ToLower(function) + "() " + r.reason + "; instead: " + r.hint, true
}

// refusedCall says why a function is not there on purpose; "" if it is not one of those.
func refusedCall(c *call) (message, hint string) {
	lower := strings.ToLower(c.name.text)
	r, ok := refused[lower]
	if !ok {
		return "", ""
	}
	return lower + "() " + r.reason, r.hint
}
