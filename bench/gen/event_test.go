package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEventDependsOnSeedAndNumberOnly(t *testing.T) {
	require.Equal(t, newEvent(42, 7), newEvent(42, 7))
	require.NotEqual(t, newEvent(42, 7), newEvent(43, 7))
}

func TestEventIsOneLineOfJSON(t *testing.T) {
	e := event{id: [2]uint64{1, 0xabc}, user: 12, page: 3, country: "DE", cents: 1205, kind: "buy"}
	ms := time.Date(2026, 1, 1, 0, 0, 1, 5e6, time.UTC).UnixMilli()
	require.Equal(t, `{"event_id":"00000000000000010000000000000abc","ts":"2026-01-01T00:00:01.005Z","user_id":12,"page":"/p/3",`+
		`"country":"DE","amount":12.05,"kind":"buy"}`, string(e.appendJSON(nil, ms)))
}

func TestTheWorkloadIsKnown(t *testing.T) {
	require.Equal(t, expectation{Records: 5_000_000, Rows: 2_749_549, SumUserID: 137_448_082_323}, expect(42, 5_000_000))
}

func TestAnEventIsAsLongAsTheDocumentsSay(t *testing.T) {
	total := 0
	for i := range uint64(100_000) {
		total += len(newEvent(42, i).appendJSON(nil, 0))
	}
	require.InDelta(t, 156, float64(total)/100_000, 1)
}
