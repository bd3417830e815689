// Package parquetfile writes columnar batches to Parquet files and reads them back.
//
// # Model
//
// Columns become data pages without a row or a struct in between: the values of an Arrow array are wrapped
// as a page (page.go) and handed to the encoder (bridge.go). A row group is encoded by one goroutine, and
// several are encoded at the same time; a file is row groups written one after the other.
//
// [Writer] collects the rows of one commit in lanes. A lane is encoded whenever it has filled a row group, by the
// goroutine that filled it; what is left of all lanes at the end is joined. The result depends on the rows of
// each lane alone, not on which goroutine was faster.
//
// Files hold zstd-compressed pages with statistics and a page index; columns stand in schema order.
package parquetfile
