package offsets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Positions holds the next offset to read of each partition. Its JSON form is
// Spark's: {"events":{"0":12,"1":7}}, topics by name and partitions by number.
type Positions map[Partition]int64

// Sorted returns the partitions by topic and number.
func (p Positions) Sorted() []Partition { return sortedPartitions(p) }

// Clone returns a copy.
func (p Positions) Clone() Positions {
	c := make(Positions, len(p))
	for k, v := range p {
		c[k] = v
	}
	return c
}

// MarshalJSON writes {"topic":{"partition":offset}} in a stable order.
func (p Positions) MarshalJSON() ([]byte, error) { return marshalByTopic(p) }

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Positions) UnmarshalJSON(b []byte) error {
	m, err := unmarshalByTopic[int64](b)
	*p = m
	return err
}

func sortedPartitions[V any](m map[Partition]V) []Partition {
	keys := make([]Partition, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.ID, b.ID))
	})
	return keys
}

func marshalByTopic[V any](m map[Partition]V) ([]byte, error) {
	out := []byte{'{'}
	topic, open := "", false
	for _, k := range sortedPartitions(m) {
		value, err := json.Marshal(m[k])
		if err != nil {
			return nil, err
		}
		if !open || k.Topic != topic {
			if open {
				out = append(out, '}', ',')
			}
			name, err := json.Marshal(k.Topic)
			if err != nil {
				return nil, err
			}
			out = append(append(out, name...), ':', '{')
			topic, open = k.Topic, true
		} else {
			out = append(out, ',')
		}
		out = append(strconv.AppendInt(append(out, '"'), int64(k.ID), 10), '"', ':')
		out = append(out, value...)
	}
	if open {
		out = append(out, '}')
	}
	return append(out, '}'), nil
}

func unmarshalByTopic[V any](b []byte) (map[Partition]V, error) {
	var topics map[string]map[string]V
	if err := json.Unmarshal(b, &topics); err != nil {
		return nil, err
	}
	m := make(map[Partition]V)
	for topic, partitions := range topics {
		for text, v := range partitions {
			id, err := strconv.ParseInt(text, 10, 32)
			if err != nil || id < 0 {
				return nil, fmt.Errorf("partition %q of topic %q is not a number", text, topic)
			}
			m[Partition{topic, int32(id)}] = v
		}
	}
	return m, nil
}

// Behind is how many offsets lie between these positions and later ones, over the partitions of the later ones. Where one is not beyond, there are none.
func (p Positions) Behind(until Positions) (n int64) {
	for partition, end := range until {
		n += max(0, end-p[partition])
	}
	return n
}
