package kafka

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lakewheel/lakewheel/offsets"
)

// leader is where a partition is read.
type leader struct {
	broker, epoch int32
}

// topic is what metadata says of a topic.
type topic struct {
	id         [16]byte
	partitions map[int32]leader
}

// identity is the topic id as text, "" if the broker gives out none.
func (t topic) identity() string {
	if t.id == [16]byte{} {
		return ""
	}
	return hex.EncodeToString(t.id[:])
}

// metadata keeps the newest answer; readers share it.
type metadata struct {
	mu     sync.Mutex
	topics map[string]topic
	agreed map[string]string // identities that ranges were planned for, by topic
}

// agree says which topics ranges are planned for from now on.
func (m *metadata) agree(identity map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agreed = maps.Clone(identity)
}

// leader is where to fetch a partition of the topic that ranges were planned for. Another topic that has taken its name
// is an unknown id, as brokers say it: offsets of one mean nothing in the other.
func (m *metadata) leader(p offsets.Partition) (leader, [16]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.topics[p.Topic]
	if !ok {
		return leader{}, t.id, errNoTopic
	}
	if replaced(m.agreed[p.Topic], t.identity()) {
		return leader{}, t.id, kerr.UnknownTopicID
	}
	if l, ok := t.partitions[p.ID]; ok && l.broker >= 0 {
		return l, t.id, nil
	}
	return leader{}, t.id, kerr.LeaderNotAvailable
}

// replaced reports whether a topic of the same name is another one; brokers without topic ids cannot tell.
func replaced(was, is string) bool { return was != "" && is != "" && was != is }

// errNoTopic: metadata does not know the topic. A new topic needs a moment, so it is asked for again.
var errNoTopic = errors.New("topic does not exist")

// refresh asks for the topics of the source and keeps the answer. A topic without partitions is an error, never believed.
func (m *metadata) refresh(ctx context.Context, cl *kgo.Client, c Config) (map[string]topic, error) {
	found, err := requestTopics(ctx, cl, c)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.topics = found
	return found, nil
}

func requestTopics(ctx context.Context, cl *kgo.Client, c Config) (map[string]topic, error) {
	pattern, err := compilePattern(c.Pattern)
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrMetadataRequest()
	if pattern != nil {
		req.Topics = nil // all
	}
	for _, name := range c.Topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return nil, fmt.Errorf("source %s: metadata: %w", c.Name, err)
	}
	found := map[string]topic{}
	for _, t := range resp.Topics {
		if t.Topic == nil || pattern != nil && (t.IsInternal || !pattern.MatchString(*t.Topic)) {
			continue
		}
		if found[*t.Topic], err = readTopic(c, t); err != nil {
			return nil, err
		}
	}
	return found, complete(c, found)
}

// complete checks that metadata knows every topic that was asked for.
func complete(c Config, found map[string]topic) error {
	if pattern := c.Pattern; pattern != "" && len(found) == 0 {
		return fmt.Errorf("source %s: %w: none matches %q on these brokers; create one, or check the pattern", c.Name, errNoTopic, pattern)
	}
	for _, name := range c.Topics {
		if _, ok := found[name]; !ok {
			return noTopic(c, name)
		}
	}
	return nil
}

func noTopic(c Config, name string) error {
	return fmt.Errorf("source %s: %w: %s on these brokers; create it, or check the name", c.Name, errNoTopic, name)
}

func compilePattern(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	return regexp.Compile("^(?:" + pattern + ")$")
}

func readTopic(c Config, t kmsg.MetadataResponseTopic) (topic, error) {
	err := kerr.ErrorForCode(t.ErrorCode)
	if errors.Is(err, kerr.UnknownTopicOrPartition) || err == nil && len(t.Partitions) == 0 {
		return topic{}, noTopic(c, *t.Topic)
	}
	if err != nil {
		return topic{}, fmt.Errorf("source %s: topic %s: %w", c.Name, *t.Topic, err)
	}
	out := topic{id: t.TopicID, partitions: make(map[int32]leader, len(t.Partitions))}
	for _, p := range t.Partitions {
		out.partitions[p.Partition] = leader{p.Leader, p.LeaderEpoch}
	}
	return out, nil
}
