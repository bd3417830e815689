package main

import (
	"strconv"
	"time"
)

var countries = [20]string{"DE", "FR", "IT", "ES", "PL", "NL", "BE", "AT", "CH", "SE", "NO", "DK", "FI", "PT", "GR", "CZ", "HU", "RO", "US", "GB"}

const (
	hexDigits  = "0123456789abcdef"
	jitterMS   = 5000
	timeLayout = "2006-01-02T15:04:05.000Z"
)

// event is one page view. Record i depends on (seed, i) only, so that any range can be made again on its own.
type event struct {
	id      [2]uint64
	jitter  int64 // milliseconds off the clock
	user    uint32
	page    uint64
	country string
	cents   uint64
	kind    string
}

// mix is the finaliser of splitmix64: a good hash of a counter without state.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

func newEvent(seed, i uint64) event {
	h1 := mix(seed<<32 ^ i)
	h2 := mix(h1 ^ 0xabcdef)
	h3 := mix(h2 ^ 0x123457)
	return event{
		id:      [2]uint64{h1, h2},
		jitter:  int64(mix(h3)%(2*jitterMS+1)) - jitterMS,
		user:    uint32((h1 >> 20) % 100001),
		page:    (h2 >> 10) % 1000,
		country: countries[(h2>>40)%20],
		cents:   (h3 >> 8) % 50000,
		kind:    kind((h3 >> 40) % 100),
	}
}

// kind is buy for 10 in 100 events, click for 30, else view.
func kind(percent uint64) string {
	switch {
	case percent < 10:
		return "buy"
	case percent < 40:
		return "click"
	}
	return "view"
}

// passes is the benchmark's WHERE kind = 'buy' OR amount > 250.
func (e event) passes() bool {
	return e.kind == "buy" || e.cents > 25000
}

// appendJSON appends the event as of ms, milliseconds since 1970.
func (e event) appendJSON(b []byte, ms int64) []byte {
	b = append(b, `{"event_id":"`...)
	b = appendHex(appendHex(b, e.id[0]), e.id[1])
	b = append(b, `","ts":"`...)
	b = time.UnixMilli(ms).UTC().AppendFormat(b, timeLayout)
	b = append(b, `","user_id":`...)
	b = strconv.AppendUint(b, uint64(e.user), 10)
	b = append(b, `,"page":"/p/`...)
	b = strconv.AppendUint(b, e.page, 10)
	b = append(b, `","country":"`...)
	b = append(b, e.country...)
	b = append(b, `","amount":`...)
	b = strconv.AppendUint(b, e.cents/100, 10)
	b = append(b, '.', byte('0'+e.cents/10%10), byte('0'+e.cents%10))
	b = append(b, `,"kind":"`...)
	b = append(b, e.kind...)
	return append(b, `"}`...)
}

func appendHex(b []byte, x uint64) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[x>>uint(shift)&15])
	}
	return b
}
