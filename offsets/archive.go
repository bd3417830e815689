package offsets

import "strings"

// Finished is the identity of an archive that was read to its end.
const Finished = "finished"

// ArchiveOf is the topic of the archive of a source.
func ArchiveOf(source string) string { return source + "/archive" }

// Archived reports whether a topic is that of an archive which is read before its source: it has a slash, which names of topics never have.
func Archived(topic string) bool { return strings.Contains(topic, "/") }
