// Package committer is the exactly-once protocol, once for all table formats: a
// batch's rows and the offsets they came from become visible together, at most
// once, and a restart can tell from the table alone where to go on.
//
// # Model
//
// The table is the checkpoint. Each commit of a pipeline carries two integers under
// the application id "lakewheel/<name>": the batch, and the token of a [Record], an
// immutable file that was written before. The record holds everything else: source
// positions, watermarks, state files, side-table files, settings.
//
// # One commit
//
//  1. Stage: data files of the table and of its side tables, under final names, durable and invisible ([Output]).
//  2. Record: written under its token, durable. Nothing refers to it yet.
//  3. Base check: the newest log entry that we read is still there and is the same (Table.Verify).
//  4. Put: one put-if-absent of the next log entry. It decides the batch.
//  5. Publish: the files of the entry become visible where the format takes a step for that
//     (lakehouse.Publisher), and side tables are rolled forward from the list in the record. Repeatable:
//     each side table remembers the batch under the same application id.
//
// Invariants:
//
//   - A record is durable before the entry that names it.
//   - An entry is put directly on the entry that was read before it; nothing in between is skipped.
//   - The same body is repeated under the same key, never another one.
//   - A batch is published before the next entry of any kind is put.
//   - An unknown outcome is settled by reading; nothing is deleted because of it.
//   - What a commit takes out of the table it has read at the base that it is put on: after a lost race it is looked at again ([Merge]).
//
// # Fencing
//
// A starter takes the newest record's epoch plus one: a continuous run by an entry of
// its own at once, a bounded run with its first commit. Whoever finds an entry of its
// own application id with another token has been fenced ([ErrFenced]) and stops. No
// clocks and no leases: the chain of put-if-absent entries decides.
package committer
