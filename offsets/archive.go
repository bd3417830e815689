package offsets

import "strings"

// Finished is the identity of an archive that was read to its end.
const Finished = "finished"

// Archived reports whether a topic is that of an archive which is read before its source: it has a slash, which names of topics never have.
func Archived(topic string) bool { return strings.Contains(topic, "/") }
