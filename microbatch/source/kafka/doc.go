// Package kafka reads exact offset ranges of Kafka topics.
//
// # Model
//
// There is no group consumer. A plain client is the connection layer; a [Source]
// sends ListOffsets and Metadata once a batch to learn what can be read and whether what the last
// commit knew still stands, and a reader sends Fetch requests for one partition at a
// time, from an exact offset, to the partition's leader. Cursors are values on a reader's stack:
// nothing about a position outlives a batch.
//
// # What an answer means
//
// One partition a request makes every answer interpretable ([classify]):
//
//	no partition in the answer, or throttled and empty   ask again: not evidence of anything
//	OFFSET_OUT_OF_RANGE, or the log starts above         data loss: aged out or deleted
//	OFFSET_OUT_OF_RANGE beyond the end                   data loss: truncated or recreated
//	unknown topic or topic id                            refresh, ask again, then data loss: recreated
//	another topic id than the range was planned for      the same
//	leader moved, other retriable errors, no answer      refresh, ask again for seconds, then an error
//	the next offset is further on                        progress, perhaps without rows
//	no progress, the end is below the range              ask again for seconds, then data loss: past the end
//	no progress, the end is beyond the range             ask thrice, then a gap, if the topic is compacted
//
// Brokers refuse an offset without saying where their log is, so that is looked up first.
//
// # Memory
//
// A fetch is sent only once its size has been acquired from a byte semaphore that
// all readers share, so a longer backlog needs no more memory. (A
// broker sends at least one whole batch, and batches unpack to more than they were: what is larger than expected is taken
// from the budget once it is known, and further fetches wait.) Documents are copied out of the
// fetched buffer into column buffers, and the buffer is dropped.
package kafka
