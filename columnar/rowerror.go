package columnar

// RowError says why one row of a batch could not be decoded or computed.
type RowError struct {
	Row int32
	Err error
}
