//go:build integration

package crash

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Records that no one should send: each is in one place, and its neighbours are in the table.
func TestRecordsThatNoOneShouldSend(t *testing.T) {
	topic := newTopic(t, 1, map[string]string{"max.message.bytes": "20000000"})
	cl := client(t, kgo.ProducerBatchMaxBytes(20_000_000), kgo.ProducerBatchCompression(kgo.NoCompression()))
	long := strings.Repeat("x", 10<<20)
	cases := []struct {
		value []byte
		bad   string // in the dead letter; "": a row
	}{
		{event(0), ""},
		{nil, "-"}, // no value: counted, neither row nor dead letter
		{[]byte{}, "at byte 0"},
		{[]byte("   "), "at byte 3"},
		{[]byte(`{"id":"` + long + `","n":1}`), ""},
		{[]byte(`{"id":"` + long), "at byte"},
		{[]byte("{\"id\":\"a\xff\",\"n\":1}"), "UTF-8"},
		{[]byte("\xef\xbb\xbf" + `{"id":"bom","n":1}`), "at byte 0"},
		{[]byte(`{"id":"max","n":9223372036854775807}`), ""},
		{[]byte(`{"id":"min","n":-9223372036854775808}`), ""},
		{[]byte(`{"id":"over","n":9223372036854775808}`), `field "n": expected BIGINT, got 9223372036854775808`},
		{[]byte(`{"id":"under","n":-9223372036854775809}`), `field "n"`},
		{[]byte(`{"id":"huge","n":1e400}`), `field "n"`},
		{[]byte(`{"id":"half","n":1.5}`), `field "n"`},
		{[]byte(`{"id":"text","n":"1"}`), `field "n"`},
		{[]byte(`{"id":"nan","n":NaN}`), "at byte"},
		{[]byte(`[{"id":"list","n":1}]`), "at byte 0"},
		{[]byte(`null`), "at byte 0"},
		{[]byte(`{"id":"twice","n":1,"n":2}`), "at byte"},
		{[]byte(`{"id":"behind","n":1} x`), "at byte"},
		{[]byte(`{"id":"surrogate \ud800","n":1}`), "at byte"},
		{[]byte(`{"id":"deep","n":1,"other":` + strings.Repeat("[", 100_000)), "at byte"},
		{[]byte(`{"id":null,"n":null}`), ""},
		{[]byte(`{}`), ""},
		{event(1), ""},
	}
	rows, letters := 0, 0
	for _, c := range cases {
		produce(t, cl, topic, c.value)
		switch c.bad {
		case "":
			rows++
		case "-":
		default:
			letters++
		}
	}
	file, table := pipeline(t, topic, "")
	p := start(t, "run", "--available-now", "--json", file)
	require.Zero(t, p.code(t, time.Minute), p.err.String())
	require.Equal(t, 1, p.batches())
	require.Contains(t, p.out.String(), fmt.Sprintf(`"badRows":%d`, letters))
	require.Contains(t, p.out.String(), `"nullRows":1`)
	require.Equal(t, rows, number(t, table, "select count(*) from t"))
	require.Equal(t, 2, number(t, table, "select count(*) from t where id is null and n is null"))
	require.Equal(t, len(long), number(t, table, "select max(length(id)) from t"))
	require.Equal(t, 2, number(t, table, "select count(*) from t where id = 'max' and n = 9223372036854775807 or id = 'min' and n = -9223372036854775808"))
	type letter struct {
		err  string
		size int
	}
	got := map[int]letter{}
	for _, r := range query(t, table+"_dead_letter", `select "offset", error, octet_length(value) from t`) {
		got[int(r[0].(float64))] = letter{r[1].(string), int(r[2].(float64))}
	}
	require.Len(t, got, letters)
	for at, c := range cases {
		if c.bad == "" || c.bad == "-" {
			require.NotContains(t, got, at)
			continue
		}
		require.Contains(t, got[at].err, c.bad, "offset %d", at)
		require.Less(t, len(got[at].err), 300, "offset %d", at)
		require.Equal(t, len(c.value), got[at].size, "offset %d: the bytes as they were", at)
	}
}

// A schema that fits nothing fails the run before it drains the topic, whether the run is bounded or not, at the start or at a position; with the
// right one all of it comes in.
func TestWrongSchemaFailsBeforeItDrains(t *testing.T) {
	settings := "limits: {rows_per_batch: 5000}\ntrigger: {interval: 10ms}\ncommit: {interval: 0s}\n"
	for _, args := range [][]string{{"run", "--available-now"}, {"run"}} {
		for _, before := range []int{0, 10} {
			t.Run(fmt.Sprint(strings.Join(args, " "), " after ", before), func(t *testing.T) {
				topic := newTopic(t, 1, nil)
				cl := client(t)
				file, table := pipeline(t, topic, settings)
				produce(t, cl, topic, events(0, before)...)
				drain(t, file)
				var texts [][]byte
				for i := before; i < 20_000; i++ {
					texts = append(texts, fmt.Appendf(nil, `{"id":"id-%08d","n":"%d"}`, i, i))
				}
				produce(t, cl, topic, texts...)
				p := start(t, append(args, file)...)
				require.Equal(t, 1, p.code(t, 20*time.Second), p.err.String())
				require.Contains(t, p.err.String(), "5000 of 5000 records are bad, more than bad_records.max_ratio 0.5 allows")
				require.Contains(t, p.err.String(), fmt.Sprintf(`field "n": expected BIGINT, got "%d"`, before))
				require.Zero(t, p.batches(), p.out.String())
				require.Empty(t, logOf(t, table+"_dead_letter"))
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				right := strings.NewReplacer("n BIGINT", "n STRING", "SELECT id, n", "SELECT id, try_cast(n AS BIGINT) AS n").Replace(string(text))
				right = strings.Replace(right, "schema: id", "bad_records: {max_ratio: 0.01}\n    schema: id", 1)
				require.NoError(t, os.WriteFile(file, []byte(right), 0o644))
				drain(t, file)
				requireEvents(t, table, 20_000)
			})
		}
	}
}

// SIGTERM commits what is read and ends with 0 within seconds; so does a second run that goes on from there.
func TestStopOnSignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			topic := newTopic(t, 1, nil)
			file, table := pipeline(t, topic, "commit: {interval: 1m}\n") // what a stop does not commit stays out
			stop := make(chan struct{})
			total := feed(t, topic, stop)
			p := start(t, "run", file)
			time.Sleep(3500 * time.Millisecond) // into an open fold
			require.Zero(t, p.batches())
			p.signal(t, s)
			require.Zero(t, p.code(t, 5*time.Second), p.err.String())
			inTable := number(t, table, "select count(*) from t")
			close(stop)
			n := <-total
			require.Greater(t, inTable, n/10, "the open fold was committed")
			drain(t, file)
			requireEvents(t, table, n)
		})
	}
}

// With nothing to do at all a stop ends the run, too.
func TestStopWhileIdle(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, _ := pipeline(t, topic, "")
	p := start(t, "run", file)
	time.Sleep(1500 * time.Millisecond)
	p.signal(t, syscall.SIGTERM)
	require.Zero(t, p.code(t, 3*time.Second), p.err.String())
}

// --available-now with nothing new exits 0 and makes no version, of either table.
func TestNothingNewMakesNoVersion(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, table := pipeline(t, topic, "")
	drain(t, file)
	require.Empty(t, logOf(t, table), "an empty topic")
	produce(t, client(t), topic, event(0), []byte("bad"))
	drain(t, file)
	log := func() []string { return append(logOf(t, table), logOf(t, table+"_dead_letter")...) }
	before := log()
	for range 3 {
		drain(t, file)
	}
	require.Equal(t, before, log())
	requireEvents(t, table, 1)
}
