// Package kafkago asks kafka-go's balancers (balancer.go) as its Writer does (writer.go,
// Writer.WriteMessages).
package kafkago

import (
	"hash/crc32"

	"github.com/segmentio/kafka-go"

	"kafka-conformance/adapters/go/testee"
)

// The Writer looks a topic up before it asks a balancer, and hands it 0, 1, 2 ... up to the number of
// partitions (loadCachedPartitions), whatever their ids and whether they have a leader or not.
var (
	cannot      = []string{"null metadata", "unknown topics", "null topics"}
	cannotKeyed = append([]string{"null keys", "odd counts"}, cannot...)
	cannotTurns = append([]string{"gaps in ids", "set counters"}, cannot...)
	everyJava   = []string{"2.3.1", "3.2.3", "3.8.0", "4.4.0"}
)

// Testees are all balancers. A balancer is for one topic ("use one balancer instance for each
// partition set"), so each topic has its own.
var Testees = map[string]*testee.Testee{
	// "compatible with the partitioner used by the Java library"; and of null keys: "the Java
	// partitioner will use a round robin balancer instead of random", so no claim there.
	"murmur2": keyed("Murmur2Balancer", func() kafka.Balancer {
		return kafka.Murmur2Balancer{}
	}, everyJava),
	"murmur2-consistent": keyed("Murmur2Balancer{Consistent: true}", func() kafka.Balancer {
		return kafka.Murmur2Balancer{Consistent: true}
	}, everyJava),
	"hash": keyed("Hash", func() kafka.Balancer { return &kafka.Hash{} }, nil),
	"hash-crc32": keyed("Hash{Hasher: crc32}", func() kafka.Balancer {
		return &kafka.Hash{Hasher: crc32.NewIEEE()}
	}, nil),
	"reference-hash": keyed("ReferenceHash", func() kafka.Balancer {
		return &kafka.ReferenceHash{}
	}, nil),
	"crc32": keyed("CRC32Balancer", func() kafka.Balancer { return kafka.CRC32Balancer{} }, nil),
	"crc32-consistent": keyed("CRC32Balancer{Consistent: true}", func() kafka.Balancer {
		return kafka.CRC32Balancer{Consistent: true}
	}, nil),
	// The default of kafka.Writer.
	"round-robin": of("RoundRobin", func() kafka.Balancer { return &kafka.RoundRobin{} },
		map[string]testee.Support{"round-robin": testee.Exact(nil, cannotTurns)}),
	"round-robin-chunks": of("RoundRobin{ChunkSize: 10}", func() kafka.Balancer {
		return &kafka.RoundRobin{ChunkSize: 10}
	}, ignoringKeys()),
	"batches": testee.OfBatches("kafka-go record batches", "github.com/segmentio/kafka-go", batches),
	"least-bytes": of("LeastBytes", func() kafka.Balancer { return &kafka.LeastBytes{} },
		ignoringKeys()),
}

func ignoringKeys() map[string]testee.Support {
	return testee.Statistical(map[string]testee.Support{},
		"round-robin-null-key", "sticky", "uniform-sticky", "built-in")
}

func keyed(title string, make func() kafka.Balancer, claims []string) *testee.Testee {
	return of(title, make, testee.Statistical(map[string]testee.Support{
		"keyed": testee.Exact(claims, cannotKeyed),
	}, "round-robin-null-key", "sticky", "built-in"))
}

func of(
	title string, make func() kafka.Balancer, behaviours map[string]testee.Support,
) *testee.Testee {
	return &testee.Testee{
		Title: "kafka-go " + title, Module: "github.com/segmentio/kafka-go", Behaviours: behaviours,
		New: func(topic string, _ int) testee.Chooser {
			return &chooser{balancer: make(), message: kafka.Message{Topic: topic}}
		},
	}
}

type chooser struct {
	balancer   kafka.Balancer
	message    kafka.Message
	partitions []int
	zeros      []byte
}

// Choose is a turn of the loop of Writer.WriteMessages; the message's value has the record's bytes.
func (c *chooser) Choose(record *testee.Record, all, _ int) (int, bool, error) {
	for len(c.partitions) < all {
		c.partitions = append(c.partitions, len(c.partitions))
	}
	if len(c.zeros) < record.Bytes {
		c.zeros = make([]byte, record.Bytes)
	}
	c.message.Key, c.message.Value = record.Key, c.zeros[:record.Bytes]
	return c.balancer.Balance(c.message, c.partitions[:all]...), false, nil
}
