package main

// expectation is what the benchmark's query gives on the first so many events.
type expectation struct {
	Records   uint64 `json:"records"`
	Rows      uint64 `json:"rows"`
	SumUserID uint64 `json:"sumUserId"`
}

func expect(seed, n uint64) expectation {
	x := expectation{Records: n}
	for i := range n {
		if e := newEvent(seed, i); e.passes() {
			x.Rows++
			x.SumUserID += uint64(e.user)
		}
	}
	return x
}
