package testee

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
)

type partition struct {
	id  int32
	led bool
}

// UnmarshalJSON reads [id, leader].
func (p *partition) UnmarshalJSON(text []byte) error {
	var pair [2]*int32
	if err := json.Unmarshal(text, &pair); err != nil || pair[0] == nil {
		return fmt.Errorf("a partition %s", text)
	}
	*p = partition{*pair[0], pair[1] != nil}
	return nil
}

type topicEntry struct {
	topic      string
	partitions []partition
}

// UnmarshalJSON reads [topic, partitions].
func (e *topicEntry) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&e.topic, &e.partitions})
}

type step struct {
	Op         string
	Topic      string
	Key        *struct{ Hex string }
	Metadata   *int
	Partition  *int32
	Partitions int32
}

type testCase struct {
	Metadata [][]topicEntry
	Steps    []step
}

type couldNotTry struct {
	Why string `json:"could not try"`
}

// failure is an error that the library raised.
type failure struct {
	Kind    string `json:"error"`
	Message string `json:"message"`
}

func (t *Testee) cases(question *message) ([]byte, error) {
	var traces []any
	var err error
	if t.Batches != nil {
		traces, err = traced(question.Cases, t.Batches.trace)
	} else {
		traces, err = traced(question.Cases, func(c *testCase) any { return t.trace(question.Behaviour, c) })
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Type   string `json:"type"`
		ID     int64  `json:"id"`
		Traces []any  `json:"traces"`
	}{"traces", question.ID, traces})
}

func traced[Case any](text []byte, trace func(*Case) any) ([]any, error) {
	var cases []Case
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, err
	}
	traces := make([]any, len(cases))
	for i := range cases {
		traces[i] = trace(&cases[i])
	}
	return traces, nil
}

// trace performs one case with partitioners of its own, one for each topic as in the producers.
func (t *Testee) trace(behaviour string, c *testCase) any {
	topics := map[string]*topicOfCase{}
	trace := make([]any, 0, len(c.Steps))
	for i := range c.Steps {
		s := &c.Steps[i]
		topic := topics[s.Topic]
		if topic == nil {
			topic = &topicOfCase{chooser: t.New(s.Topic, defaultBatchSize)}
			topics[s.Topic] = topic
		}
		var answer any
		var why string
		switch {
		case s.Op == "partition for key" && behaviour == "keyed":
			answer, why = topic.forKey(s)
		case s.Op == "partition" && (behaviour == "keyed" || behaviour == "round-robin"):
			answer, why = topic.partition(s, c.Metadata, behaviour == "keyed")
		case s.Op == "record" && t.Send != nil:
			answer, why = t.record(s, c.Metadata)
		default:
			why = fmt.Sprintf("operation %q of %s has nothing to call", s.Op, behaviour)
		}
		if why != "" {
			return couldNotTry{why}
		}
		trace = append(trace, answer)
	}
	return trace
}

// defaultBatchSize is that of UniformBytesPartitioner in franz-go's default producer
// (kgo.RecordPartitioner); where the suite has a batch size, that is used.
const defaultBatchSize = 64 << 10

type topicOfCase struct{ chooser Chooser }

func (t *topicOfCase) forKey(s *step) (any, string) {
	key, err := s.key()
	switch {
	case err != nil:
		return nil, err.Error()
	case key == nil:
		return nil, "without a key these partitioners choose in another way"
	}
	count := int(s.Partitions)
	index, _, err := choose(t.chooser, &Record{key, PlainBytes}, count, count)
	return answerOf(index, err), ""
}

func (t *Testee) record(s *step, metadata [][]topicEntry) (any, string) {
	partitions, why := s.partitions(metadata)
	if why != "" {
		return nil, why
	}
	key, err := s.key()
	if err != nil {
		return nil, err.Error()
	}
	all, led := ids(partitions)
	partition, err := t.Send(&Named{s.Topic, s.Partition, key, all, led})
	return answerOf(int(partition), err), ""
}

func (t *topicOfCase) partition(s *step, metadata [][]topicEntry, wantIndex bool) (any, string) {
	partitions, why := s.partitions(metadata)
	if why != "" {
		return nil, why
	}
	key, err := s.key()
	if err != nil {
		return nil, err.Error()
	}
	all, led := ids(partitions)
	index, amongLed, err := choose(t.chooser, &Record{key, PlainBytes}, len(all), len(led))
	if err == nil && !wantIndex {
		index, err = lookUp(index, amongLed, all, led)
	}
	return answerOf(index, err), ""
}

// partitions of the step's topic, or why they are not known.
func (s *step) partitions(metadata [][]topicEntry) ([]partition, string) {
	if s.Metadata == nil || *s.Metadata < 0 || *s.Metadata >= len(metadata) {
		return nil, "a step without metadata"
	}
	partitions := find(metadata[*s.Metadata], s.Topic)
	if len(partitions) == 0 {
		return nil, "the producers wait for metadata before they ask a partitioner"
	}
	return partitions, ""
}

func (s *step) key() ([]byte, error) {
	if s.Key == nil {
		return nil, nil
	}
	return hex.AppendDecode([]byte{}, []byte(s.Key.Hex)) // an empty key is not nil
}

func find(snapshot []topicEntry, topic string) []partition {
	for i := range snapshot {
		if snapshot[i].topic == topic {
			return snapshot[i].partitions
		}
	}
	return nil
}

func ids(partitions []partition) (all, led []int32) {
	for _, p := range partitions {
		all = append(all, p.id)
		if p.led {
			led = append(led, p.id)
		}
	}
	return all, led
}

// lookUp is what the producers do with an index (sarama: topicProducer.partitionMessage, franz-go:
// Client.doPartition).
func lookUp(index int, amongLed bool, all, led []int32) (int, error) {
	from := all
	if amongLed {
		from = led
	}
	if index < 0 || index >= len(from) {
		return 0, fmt.Errorf("the choice %d of %d partitions", index, len(from))
	}
	return int(from[index]), nil
}

// choose calls the library; its panics become errors.
func choose(chooser Chooser, record *Record, all, led int) (index int, amongLed bool, err error) {
	defer recovered(&err)
	return chooser.Choose(record, all, led)
}

func recovered(err *error) {
	if raised := recover(); raised != nil {
		*err = panicked{raised}
	}
}

type panicked struct{ raised any }

func (p panicked) Error() string { return fmt.Sprint("panic: ", p.raised) }

// kind is the protocol's word for a panic.
func (p panicked) kind() string {
	text := p.Error()
	if _, ok := p.raised.(runtime.Error); !ok {
		if strings.Contains(text, "invalid argument") { // rand.Intn(0)
			return "argument"
		}
		return "other"
	}
	switch {
	case strings.Contains(text, "divide by zero"):
		return "arithmetic"
	case strings.Contains(text, "nil pointer"):
		return "null"
	case strings.Contains(text, "out of range"):
		return "index"
	}
	return "other"
}

func answerOf(index int, err error) any {
	switch raised := err.(type) {
	case nil:
		if index < math.MinInt32 || index > math.MaxInt32 {
			return failure{"other", fmt.Sprintf("%d is no int32", index)}
		}
		return index
	case panicked:
		return failure{raised.kind(), raised.Error()}
	case refused:
		return failure{"argument", raised.Error()}
	default:
		return failure{"other", err.Error()}
	}
}
