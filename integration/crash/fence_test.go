//go:build integration

package crash

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

const quick = "trigger: {interval: 50ms}\ncommit: {interval: 50ms}\n"

// feed produces events until stop is closed, and then says how many.
func feed(t *testing.T, topic string, stop <-chan struct{}) <-chan int {
	cl, total := client(t), make(chan int, 1)
	go func() {
		for n := 0; ; n += 10 {
			select {
			case <-stop:
				total <- n
				return
			case <-t.Context().Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
			for _, value := range events(n, n+10) {
				cl.Produce(context.Background(), &kgo.Record{Topic: topic, Value: value}, nil)
			}
			if err := cl.Flush(context.Background()); err != nil {
				return
			}
		}
	}()
	return total
}

// Each starter takes over from the one before it, which ends with code 3 and names the winner.
func TestEveryStarterTakesOver(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, table := pipeline(t, topic, quick)
	stop := make(chan struct{})
	total := feed(t, topic, stop)
	var last *process
	for range 4 {
		p := start(t, "run", file)
		require.Eventually(t, func() bool { return p.batches() > 1 }, 20*time.Second, 10*time.Millisecond, p.err.String())
		if last != nil {
			require.Equal(t, 3, last.code(t, 10*time.Second), last.err.String())
			require.Contains(t, last.err.String(), fmt.Sprintf("process %d", p.Process.Pid))
			require.Contains(t, last.err.String(), "took over pipeline p")
		}
		last = p
	}
	close(stop)
	n := <-total
	last.signal(t, syscall.SIGTERM)
	require.Zero(t, last.code(t, 10*time.Second), last.err.String())
	drain(t, file)
	requireEvents(t, table, n)
}

// Of several that start at the same moment one is left; the others lose to it or to each other.
func TestOneOfManyStartersIsLeft(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, table := pipeline(t, topic, quick)
	stop := make(chan struct{})
	total := feed(t, topic, stop)
	var all []*process
	for range 4 {
		all = append(all, start(t, "run", file))
	}
	running := func() (left []*process) {
		for _, p := range all {
			select {
			case <-p.ended:
			default:
				left = append(left, p)
			}
		}
		return left
	}
	require.Eventually(t, func() bool { return len(running()) <= 1 }, 30*time.Second, 20*time.Millisecond)
	left := running()
	require.Len(t, left, 1)
	for _, p := range all {
		if p != left[0] {
			require.Equal(t, 3, p.code(t, time.Second), p.err.String())
			require.Equal(t, 1, strings.Count(p.err.String(), "took over pipeline p"), p.err.String())
		}
	}
	seen := left[0].batches()
	require.Eventually(t, func() bool { return left[0].batches() > seen }, 10*time.Second, 10*time.Millisecond, "the winner goes on")
	close(stop)
	n := <-total
	left[0].signal(t, syscall.SIGTERM)
	require.Zero(t, left[0].code(t, 10*time.Second), left[0].err.String())
	drain(t, file)
	requireEvents(t, table, n)
}

// Runs of --available-now that overlap double nothing; a loser says so.
func TestOverlappingBoundedRuns(t *testing.T) {
	topic := newTopic(t, 1, nil)
	file, table := pipeline(t, topic, "limits: {rows_per_batch: 100}\ncommit: {interval: 0s}\n")
	produce(t, client(t), topic, events(0, 5000)...)
	var all []*process
	for range 3 {
		all = append(all, start(t, "run", "--available-now", file))
	}
	won := 0
	for _, p := range all {
		switch code := p.code(t, time.Minute); code {
		case 0:
			won++
		default:
			require.Contains(t, []int{1, 3}, code, p.err.String())
		}
		t.Logf("exit %d: %s", p.ProcessState.ExitCode(), p.err.String())
	}
	require.Positive(t, won)
	requireEvents(t, table, 5000)
}
