package offsets

// Mark is what a commit keeps of one partition.
type Mark struct {
	// First is the first offset that was ever read by this query.
	First int64 `json:"first"`
	// Next is the next offset to read.
	Next int64 `json:"next"`
	// LeaderEpoch is the epoch of the newest batch that was read, -1 if none is known.
	LeaderEpoch int32 `json:"leader_epoch"`
}

// Marks holds a Mark for each partition; JSON as Positions.
type Marks map[Partition]Mark

// MarshalJSON writes {"topic":{"partition":{...}}} in a stable order.
func (m Marks) MarshalJSON() ([]byte, error) { return marshalByTopic(m) }

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Marks) UnmarshalJSON(b []byte) error {
	v, err := unmarshalByTopic[Mark](b)
	*m = v
	return err
}

// Progress is what a commit keeps of one source.
type Progress struct {
	Kind string `json:"kind"` // "kafka", "files", "delta", "memory"
	// Identity of each topic as the source tells it (Kafka's topic id); "" where it has none.
	Identity   map[string]string `json:"identity"`
	Partitions Marks             `json:"partitions"`
}

// Positions returns the next offset of each partition.
func (p Progress) Positions() Positions {
	out := make(Positions, len(p.Partitions))
	for k, m := range p.Partitions {
		out[k] = m.Next
	}
	return out
}

// Clone returns a deep copy.
func (p Progress) Clone() Progress {
	c := Progress{Kind: p.Kind, Identity: make(map[string]string, len(p.Identity)), Partitions: make(Marks, len(p.Partitions))}
	for k, v := range p.Identity {
		c.Identity[k] = v
	}
	for k, v := range p.Partitions {
		c.Partitions[k] = v
	}
	return c
}
