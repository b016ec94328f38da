// Package sarama asks Sarama's partitioners (partitioner.go) as its producer does
// (async_producer.go, topicProducer.partitionMessage).
package sarama

import (
	"errors"
	"hash/crc32"

	"github.com/IBM/sarama"

	"kafka-conformance/adapters/go/testee"
)

// The producer asks a partitioner after it has metadata, and only with a number of partitions; if
// none has a leader where one is needed, it fails with ErrLeaderNotAvailable without asking.
var (
	cannot      = []string{"null metadata", "unknown topics", "null topics"}
	cannotKeyed = append([]string{"null keys"}, cannot...)
	cannotTurns = append([]string{"gaps in ids", "no available partition", "set counters"}, cannot...)
	everyJava   = []string{"2.3.1", "3.2.3", "3.8.0", "4.4.0"}
)

// Testees are the partitioners that choose, and NewManualPartitioner, which returns what the message
// says. All but the manual one ignore ProducerMessage.Partition, which murmur2 shows.
var Testees = map[string]*testee.Testee{
	"batches": testee.OfBatches("sarama record batches", "github.com/IBM/sarama", batches),
	// "replicates the partitioning behavior of the Apache Kafka Java client's DefaultPartitioner";
	// of null keys it says "a random partition", so there it claims nothing.
	"murmur2": sending(hash("NewMurmur2Partitioner", sarama.NewMurmur2Partitioner, everyJava),
		sarama.NewMurmur2Partitioner, cannotKeyed),
	"manual": sending(
		of("NewManualPartitioner", sarama.NewManualPartitioner, map[string]testee.Support{}),
		sarama.NewManualPartitioner, cannot),
	// The default of sarama.Config.
	"hash": hash("NewHashPartitioner", sarama.NewHashPartitioner, nil),
	// "handles absolute values in the same way as the reference Java implementation": the sign
	// only, and FNV-1a is another hash. It does not claim the same partitions.
	"reference-hash": hash("NewReferenceHashPartitioner", sarama.NewReferenceHashPartitioner, nil),
	"consistent-crc-hash": hash("NewConsistentCRCHashPartitioner",
		sarama.NewConsistentCRCHashPartitioner, nil),
	"custom-hash-crc32": hash("NewCustomHashPartitioner(crc32)",
		sarama.NewCustomHashPartitioner(crc32.NewIEEE), nil),
	"custom-abs-first": hash("NewCustomPartitioner(WithAbsFirst)",
		sarama.NewCustomPartitioner(sarama.WithAbsFirst()), nil),
	"custom-unsigned": hash("NewCustomPartitioner(WithHashUnsigned)",
		sarama.NewCustomPartitioner(sarama.WithHashUnsigned()), nil),
	"custom-unsigned-crc32": hash("NewCustomPartitioner(WithHashUnsigned, WithCustomHashFunction(crc32))",
		sarama.NewCustomPartitioner(
			sarama.WithHashUnsigned(), sarama.WithCustomHashFunction(crc32.NewIEEE)), nil),
	"custom-round-robin-fallback": hash(
		"NewCustomPartitioner(WithCustomFallbackPartitioner(round robin))", roundRobinFallback, nil),
	"random": of("NewRandomPartitioner", sarama.NewRandomPartitioner, testee.Statistical(
		map[string]testee.Support{}, "round-robin-null-key", "sticky", "uniform-sticky", "built-in")),
	"round-robin": of("NewRoundRobinPartitioner", sarama.NewRoundRobinPartitioner,
		map[string]testee.Support{"round-robin": testee.Exact(nil, cannotTurns)}),
}

// roundRobinFallback makes a fallback for each topic; options are values, not constructors.
func roundRobinFallback(topic string) sarama.Partitioner {
	fallback := sarama.WithCustomFallbackPartitioner(sarama.NewRoundRobinPartitioner(topic))
	return sarama.NewCustomPartitioner(fallback)(topic)
}

// sending supports explicit-partition; where the partition is ignored, a message without key goes
// anywhere.
func sending(
	t *testee.Testee, make sarama.PartitionerConstructor, cannot []string,
) *testee.Testee {
	t.Behaviours = testee.ByName(t.Behaviours, cannot)
	t.Send = send(make)
	return t
}

func hash(title string, make sarama.PartitionerConstructor, claims []string) *testee.Testee {
	return of(title, make, testee.Statistical(map[string]testee.Support{
		"keyed": testee.Exact(claims, cannotKeyed),
	}, "round-robin-null-key", "sticky", "built-in"))
}

func of(
	title string, make sarama.PartitionerConstructor, behaviours map[string]testee.Support,
) *testee.Testee {
	return &testee.Testee{
		Title: "sarama " + title, Module: "github.com/IBM/sarama", Behaviours: behaviours,
		New: func(topic string, _ int) testee.Chooser {
			c := &chooser{partitioner: make(topic), message: sarama.ProducerMessage{Topic: topic}}
			c.dynamic, _ = c.partitioner.(sarama.DynamicConsistencyPartitioner)
			return c
		},
	}
}

type chooser struct {
	partitioner sarama.Partitioner
	dynamic     sarama.DynamicConsistencyPartitioner // the same, or nil
	message     sarama.ProducerMessage
	key         sarama.ByteEncoder
}

// Choose is topicProducer.partitionMessage: client.Partitions if consistency is required, else
// client.WritablePartitions, those without ErrLeaderNotAvailable.
func (c *chooser) Choose(record *testee.Record, all, led int) (int, bool, error) {
	c.message.Key = nil
	if record.Key != nil {
		c.key = record.Key
		c.message.Key = &c.key // a pointer: nothing to allocate for each key
	}
	var consistent bool
	if c.dynamic != nil {
		consistent = c.dynamic.MessageRequiresConsistency(&c.message)
	} else {
		consistent = c.partitioner.RequiresConsistency()
	}
	if consistent {
		choice, err := c.partitioner.Partition(&c.message, int32(all))
		return int(choice), false, err
	}
	if led == 0 {
		return 0, false, errNoLeader
	}
	choice, err := c.partitioner.Partition(&c.message, int32(led))
	return int(choice), true, err
}

var errNoLeader = errors.New("sarama's producer does not ask where no partition has a leader")
