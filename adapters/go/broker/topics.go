package broker

import (
	"maps"
	"slices"
	"sync"

	"kafka-conformance/adapters/go/testee"
)

// OnePartition is the topic of those who write or read batches.
var OnePartition = &testee.Named{Topic: "t", All: []int32{0}, Led: []int32{0}}

// Partition is what a broker says of one.
type Partition struct {
	ID  int32
	Led bool
}

// Topics are what a broker says that it has; they may change while it runs.
type Topics struct {
	mutex  sync.Mutex
	byName map[string][]Partition
}

// Of is the one topic of a record that may name its partition.
func Of(named *testee.Named) *Topics {
	partitions := make([]Partition, len(named.All))
	for i, id := range named.All {
		partitions[i] = Partition{id, slices.Contains(named.Led, id)}
	}
	topics := &Topics{}
	topics.Set(named.Topic, partitions)
	return topics
}

// Set adds a topic, or gives it other partitions.
func (t *Topics) Set(name string, partitions []Partition) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.byName == nil {
		t.byName = map[string][]Partition{}
	}
	t.byName[name] = partitions
}

func (t *Topics) get(name string) ([]Partition, bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	partitions, known := t.byName[name]
	return partitions, known
}

func (t *Topics) names() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Sorted(maps.Keys(t.byName))
}
