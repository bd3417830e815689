package demo

import (
	"fmt"
	"strconv"
	"time"
)

// Shares of the generated stream, one in so many. They exclude each other: malformed documents are cut off, bots are filtered.
const (
	malformedOneIn = 500
	botOneIn       = 10
)

// kind of an event, which decides where it must end up.
type kind int

const (
	view      kind = iota // a row of the table
	bot                   // filtered by the query
	malformed             // a dead letter
)

// mix is the finaliser of splitmix64: a good stateless hash of a counter.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// event describes record i of a stream. Everything but its time depends on the seed and i alone, so that the whole stream can be
// made again to compare a table with it.
type event struct {
	i    int64
	hash uint64
	kind kind
}

func eventOf(seed uint64, i int64) event {
	h := mix(seed<<32 ^ uint64(i))
	e := event{i: i, hash: h}
	switch {
	case (h>>16)%malformedOneIn == 0:
		e.kind = malformed
	case (h>>32)%botOneIn == 0:
		e.kind = bot
	}
	return e
}

// id is unique for each record.
func (e event) id() string { return fmt.Sprintf("%016x-%d", e.hash, e.i) }

var countries = [...]string{"DE", "FR", "IT", "ES", "PL", "NL", "US", "GB"}

// document is the JSON of the event.
func (e event) document(now time.Time) []byte {
	h := mix(e.hash)
	b := append([]byte(`{"event_id":"`), e.id()...)
	b = append(b, `","ts":"`...)
	b = now.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	b = append(b, `","user_id":`...)
	b = strconv.AppendUint(b, h%100_000, 10)
	b = append(b, `,"page":"/p/`...)
	b = strconv.AppendUint(b, h>>20%1000, 10)
	b = append(b, `","country":"`...)
	b = append(b, countries[h>>40%uint64(len(countries))]...)
	b = append(b, `","duration_ms":`...)
	b = strconv.AppendUint(b, h>>44%60_000, 10)
	b = append(b, `,"bot":`...)
	b = strconv.AppendBool(b, e.kind == bot)
	b = append(b, '}')
	if e.kind == malformed {
		return b[:len(b)/2]
	}
	return b
}
