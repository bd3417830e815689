package kafka

import (
	"crypto/tls"
	"time"

	"github.com/lakewheel/lakewheel/microbatch/source"
	"github.com/lakewheel/lakewheel/offsets"
)

// Config sets up a Source.
type Config struct {
	Name    string // of the source in the pipeline, for messages
	Brokers []string
	// Topics by name, or every topic that Pattern (anchored) matches.
	Topics  []string
	Pattern string
	Start   Start
	// ReadUncommitted reads aborted and open transactions too.
	ReadUncommitted bool
	// SkipLoss records the exact hole and goes on where rows are lost; otherwise the run fails.
	SkipLoss bool
	// Group gets the committed offsets, for lag tools only; "" for none.
	Group string
	// WithKey delivers _key.
	WithKey bool

	TLS  *tls.Config // nil: plain text
	SASL SASL

	// FetchBytes is the most a fetch asks for, in bytes as stored by the broker.
	FetchBytes int32
	// Budget bounds the fetches of all readers together, of this source and perhaps of others. Nil: 64 MiB of its own.
	Budget *source.Budget
	// Connections is the number of fetch connections to each broker.
	Connections int
	// DialTimeout bounds the first contact, so that a wrong address or password is named within seconds.
	DialTimeout time.Duration
}

// SASL is how to authenticate. Mechanism "" is no authentication.
type SASL struct {
	Mechanism      string // "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"
	User, Password string
}

// StartKind is where a first run begins.
type StartKind int

// The settings of start.
const (
	Earliest StartKind = iota
	Latest
	AtTime
	AtOffsets
)

// Start is where a first run begins.
type Start struct {
	Kind    StartKind
	Time    time.Time         // AtTime: the first offset whose timestamp is not before it
	Offsets offsets.Positions // AtOffsets: every partition of the topic has one
	// Until: the offsets are where an archive ends (bootstrap.until).
	Until bool
}

func (c Config) withDefaults() Config {
	if c.FetchBytes == 0 {
		c.FetchBytes = 4 << 20
	}
	if c.Budget == nil {
		c.Budget = source.NewBudget(64<<20, nil)
	}
	if c.Connections == 0 {
		c.Connections = 2
	}
	if c.DialTimeout == 0 {
		c.DialTimeout = 5 * time.Second
	}
	return c
}
