// Package partition divides a table by the values of some of its columns, as Hive, Spark and Delta do.
//
// # Model
//
// The files of a partition lie in a folder that is named by its values ([Folder]) and lack the partition columns. A value is a text ([Text], [Value]) in
// the spelling of Delta's protocol, for logs and folders alike. A [Writer] writes rows of many partitions, each to files of its own; [Columns] puts the columns
// back when a file is read.
package partition
