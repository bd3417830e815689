package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// newClient makes a client without any consuming or producing: a connection layer with retries. Problems
// it meets on the way go to log.
func newClient(c Config, log *lastProblem) (*kgo.Client, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...), kgo.ClientID("lakewheel"), kgo.WithLogger(log),
		kgo.DialTimeout(c.DialTimeout), kgo.RetryTimeout(30 * time.Second), kgo.DisableClientMetrics(),
	}
	if c.TLS != nil {
		opts = append(opts, kgo.DialTLSConfig(c.TLS.Clone()))
	}
	if c.SASL.Mechanism != "" {
		m, err := mechanism(c.SASL)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(m))
	}
	return kgo.NewClient(opts...)
}

func mechanism(s SASL) (sasl.Mechanism, error) {
	switch s.Mechanism {
	case "PLAIN":
		return plain.Auth{User: s.User, Pass: s.Password}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: s.User, Pass: s.Password}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: s.User, Pass: s.Password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("unknown SASL mechanism %q: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism)
}

// lastProblem keeps the newest error that the client logs: a refused password shows up to callers as a
// time-out only, and its reason in the log alone.
type lastProblem struct {
	mu  sync.Mutex
	err error
}

// Level wants warnings and worse.
func (l *lastProblem) Level() kgo.LogLevel { return kgo.LogLevelWarn }

// Log keeps the "err" of a message.
func (l *lastProblem) Log(_ kgo.LogLevel, msg string, keyvals ...any) {
	for i := 0; i+1 < len(keyvals); i += 2 {
		err, ok := keyvals[i+1].(error)
		if ok && keyvals[i] == "err" {
			l.mu.Lock()
			l.err = fmt.Errorf("%s: %w", msg, err)
			l.mu.Unlock()
		}
	}
}

func (l *lastProblem) get() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// reach checks that a broker answers, within the dial timeout, and says in plain words why not.
func reach(ctx context.Context, cl *kgo.Client, c Config, log *lastProblem) error {
	ping, cancel := context.WithTimeout(ctx, c.DialTimeout)
	defer cancel()
	err := cl.Ping(ping)
	if err == nil {
		return nil
	}
	if problem := log.get(); problem != nil && !isCertificate(err) {
		err = problem
	}
	return fmt.Errorf("source %s: Kafka at %s does not answer: %w; %s", c.Name, strings.Join(c.Brokers, ", "), err, advice(c, err))
}

func isCertificate(err error) bool {
	var cert *tls.CertificateVerificationError
	return errors.As(err, &cert)
}

func advice(c Config, err error) string {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "sasl") || strings.Contains(text, "authentication"),
		c.SASL.Mechanism != "" && strings.Contains(text, "eof"): // some brokers hang up on a wrong password without a word
		return "check sasl.user, sasl.password and sasl.mechanism"
	case c.TLS == nil && (strings.Contains(text, "eof") || strings.Contains(text, "large")):
		return "check the address and port; does this listener want tls or sasl?"
	}
	return "check brokers, and that they are up"
}
