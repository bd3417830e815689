// Package state keeps the state of stateful operators in files beside the table.
//
// # Model
//
// An operator's state lives in memory. A commit writes what has changed since as a file of rows, and names in its record every
// file that together hold the state, oldest first. A [Log] decides what to write: files are merged in tiers, as a binary counter counts,
// by writing again what a longer span of runs has changed, from memory. So a record names few files, and none is ever read
// while the engine runs. What the watermark has ended needs no mark in a file: a restore leaves it out.
//
// A restore reads files from the newest to the oldest and takes the rows of each key from the first file that has it.
package state
