package kafka

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/lakewheel/lakewheel/offsets"
)

func open(c Config) error {
	s, err := Open(context.Background(), c, func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Available(context.Background(), offsets.Progress{})
	return err
}

func TestSASL(t *testing.T) {
	c := newCluster(t, kfake.EnableSASL(), kfake.SeedTopics(1, "t"),
		kfake.Superuser("PLAIN", "alice", "alice-secret"), kfake.Superuser("SCRAM-SHA-256", "bob", "bob-secret"), kfake.Superuser("SCRAM-SHA-512", "carol", "carol-secret"))
	for _, k := range []struct{ mechanism, user, password, err string }{
		{"PLAIN", "alice", "alice-secret", ""},
		{"SCRAM-SHA-256", "bob", "bob-secret", ""},
		{"SCRAM-SHA-512", "carol", "carol-secret", ""},
		{"PLAIN", "alice", "wrong", "check sasl.user, sasl.password and sasl.mechanism"},
		{"SCRAM-SHA-512", "carol", "wrong", "check sasl.user, sasl.password and sasl.mechanism"},
		{"SCRAM-SHA-512", "nobody", "wrong", "check sasl.user, sasl.password and sasl.mechanism"},
		{"OAUTH", "alice", "x", `source in: unknown SASL mechanism "OAUTH": use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512`},
		{"", "", "", "is SASL missing?"},
	} {
		t.Run(k.mechanism+" "+k.user+" "+k.password, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			err := open(Config{Name: "in", Brokers: c.ListenAddrs(), Topics: []string{"t"}, DialTimeout: 2 * time.Second, SASL: SASL{k.mechanism, k.user, k.password}})
			require.Less(t, time.Since(start), 3*time.Second)
			if k.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, k.err)
			require.ErrorContains(t, err, "source in: ")
		})
	}
}

func TestBrokersThatDoNotAnswer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for name, address := range map[string]string{"refused": closed.Addr().String(), "silent": silent.Addr().String(), "no such host": "nowhere.invalid:9092"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			err := open(Config{Name: "in", Brokers: []string{address}, Topics: []string{"t"}, DialTimeout: 2 * time.Second})
			require.ErrorContains(t, err, "source in: Kafka at "+address+" does not answer: ")
			require.ErrorContains(t, err, "check brokers, and that they are up")
			require.Less(t, time.Since(start), 3*time.Second)
		})
	}
}

func TestBadPattern(t *testing.T) {
	require.ErrorContains(t, open(Config{Name: "in", Brokers: []string{"127.0.0.1:1"}, Pattern: "("}), "source in: topic_pattern: ")
}

func TestDefaults(t *testing.T) {
	c := Config{}.withDefaults()
	require.LessOrEqual(t, c.DialTimeout, 6*time.Second, "a wrong password is named within seconds")
	require.True(t, c.Budget.TryAcquire(int64(c.FetchBytes)))
}
