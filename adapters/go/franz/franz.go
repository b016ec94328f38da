// Package franz asks franz-go's partitioners (pkg/kgo/partitioner.go) as its producer does
// (pkg/kgo/producer.go, Client.doPartition).
package franz

import (
	"fmt"
	"hash/crc32"
	"hash/fnv"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafka-conformance/adapters/go/testee"
)

// What the producer never shows a partitioner: it waits for metadata, and it refuses a topic whose
// partitions are not 0, 1, 2 ... (metadata.go, "comprehensive set of partitions").
var cannot = []string{"null metadata", "unknown topics", "null topics", "gaps in ids"}

const libraryModule = "github.com/twmb/franz-go"

var (
	cannotKeyed = append([]string{"null keys"}, cannot...)
	cannotTurns = append([]string{"set counters"}, cannot...)
	everyJava   = []string{"2.3.1", "3.2.3", "3.8.0", "4.4.0"}
)

// Testees are the record batches, the partitioners that choose, and ManualPartitioner, which returns what
// the record says.
// BasicConsistentPartitioner calls a function of the user. All but the manual one ignore
// Record.Partition, which the first of them, the default, shows.
var Testees = map[string]*testee.Testee{
	"batches": testee.OfBatches("franz-go record batches", libraryModule, batches),
	// "mirrors the default Java partitioner from Kafka's 2.4 release until their 3.3 release"
	"sticky-key": stickyKey("StickyKeyPartitioner(nil)", nil, everyJava, []string{"3.2.3"}),
	// KafkaHasher and the Sarama ones are for other hashes; nobody says that these match Java.
	"sticky-key-kafka-fnv": stickyKey(
		"StickyKeyPartitioner(KafkaHasher(fnv-1a))", kgo.KafkaHasher(fnv32a), nil, nil),
	"sticky-key-sarama-crc32": stickyKey(
		"StickyKeyPartitioner(SaramaHasher(crc32))", kgo.SaramaHasher(crc32.ChecksumIEEE), nil, nil),
	"sticky-key-sarama-compat": stickyKey(
		"StickyKeyPartitioner(SaramaCompatHasher(fnv-1a))", kgo.SaramaCompatHasher(fnv32a), nil, nil),
	// The first is the default of kgo, with 64 KiB.
	"uniform-bytes-adaptive-keys": sending(uniformBytes(true, true), func() kgo.Partitioner {
		return kgo.UniformBytesPartitioner(64<<10, true, true, nil)
	}, cannotKeyed),
	"manual": sending(of("ManualPartitioner", kgo.ManualPartitioner, map[string]testee.Support{}),
		kgo.ManualPartitioner, cannot),
	"uniform-bytes-adaptive": uniformBytes(true, false),
	"uniform-bytes-keys":     uniformBytes(false, true),
	"uniform-bytes":          uniformBytes(false, false),
	"sticky": of("StickyPartitioner", kgo.StickyPartitioner, testee.Statistical(
		map[string]testee.Support{}, "sticky", "uniform-sticky", "built-in", "round-robin-null-key")),
	"least-backup": of("LeastBackupPartitioner", kgo.LeastBackupPartitioner, testee.Statistical(
		map[string]testee.Support{},
		"sticky", "uniform-sticky", "built-in", "round-robin-null-key", "adaptive")),
	"round-robin": of("RoundRobinPartitioner", kgo.RoundRobinPartitioner,
		map[string]testee.Support{"round-robin": testee.Exact(nil, cannotTurns)}),
}

func of(title string, make func() kgo.Partitioner, b map[string]testee.Support) *testee.Testee {
	return with(title, func(int) kgo.Partitioner { return make() }, b)
}

func with(
	title string, make func(batchSize int) kgo.Partitioner, behaviours map[string]testee.Support,
) *testee.Testee {
	return &testee.Testee{
		Title: "franz-go " + title, Module: libraryModule, Behaviours: behaviours,
		New: func(topic string, batchSize int) testee.Chooser {
			return newChooser(make(batchSize).ForTopic(topic))
		},
	}
}

// sending supports explicit-partition; where the partition is ignored, a record without key goes anywhere.
func sending(t *testee.Testee, make func() kgo.Partitioner, cannot []string) *testee.Testee {
	t.Behaviours = testee.ByName(t.Behaviours, cannot)
	t.Send = send(make)
	return t
}

func stickyKey(
	title string, hasher kgo.PartitionerHasher, claims, stickyClaims []string,
) *testee.Testee {
	return of(title, func() kgo.Partitioner { return kgo.StickyKeyPartitioner(hasher) },
		testee.Statistical(map[string]testee.Support{
			"keyed":  testee.Exact(claims, cannotKeyed),
			"sticky": {Claims: stickyClaims},
		}, "sticky", "built-in", "round-robin-null-key"))
}

func uniformBytes(adaptive, keys bool) *testee.Testee {
	// "a redux of the StickyPartitioner, proposed in KIP-794 and released with the Java client in
	// Kafka 3.3"; "backup calculation" is said to be similar only, so nothing is claimed for it.
	behaviours := testee.Statistical(map[string]testee.Support{
		"built-in": {Claims: []string{"3.8.0", "4.4.0"}},
	}, "built-in", "sticky", "round-robin-null-key")
	if adaptive {
		testee.Statistical(behaviours, "adaptive")
	}
	if keys { // "standard hashing"; "Kafka's default"
		behaviours["keyed"] = testee.Exact(everyJava, cannotKeyed)
	} else {
		testee.Statistical(behaviours, "uniform-sticky")
	}
	title := fmt.Sprintf("UniformBytesPartitioner(bytes, %t, %t, nil)", adaptive, keys)
	return with(title, func(batchSize int) kgo.Partitioner {
		return kgo.UniformBytesPartitioner(batchSize, adaptive, keys, nil)
	}, behaviours)
}

// fnv32a is the one of SaramaCompatHasher's documentation.
func fnv32a(b []byte) uint32 {
	h := fnv.New32a()
	h.Reset()
	h.Write(b)
	return h.Sum32()
}

type chooser struct {
	partitioner kgo.TopicPartitioner
	byBackup    kgo.TopicBackupPartitioner // the same, or nil
	onNewBatch  kgo.TopicPartitionerOnNewBatch
	backup      backup
	waiting     []int64
	record      kgo.Record
	zeros       []byte
}

func newChooser(partitioner kgo.TopicPartitioner) testee.Chooser {
	c := &chooser{partitioner: partitioner}
	c.byBackup, _ = partitioner.(kgo.TopicBackupPartitioner)
	c.onNewBatch, _ = partitioner.(kgo.TopicPartitionerOnNewBatch)
	return c
}

// Choose is Client.doPartition: the writable partitions, those whose metadata has no error such as
// LEADER_NOT_AVAILABLE (metadataTopic.newPartitions), unless the record requires consistency or
// none is writable.
func (c *chooser) Choose(record *testee.Record, all, led int) (int, bool, error) {
	c.record.Key = record.Key
	if record.Key == nil {
		if err := c.size(record.Bytes); err != nil {
			return 0, false, err
		}
	}
	count, amongLed := led, true
	if c.partitioner.RequiresConsistency(&c.record) || led == 0 && all > 0 {
		count, amongLed = all, false
	}
	if c.byBackup != nil {
		c.backup = backup{c.waiting, count}
		return c.byBackup.PartitionByBackup(&c.record, count, &c.backup), amongLed, nil
	}
	return c.partitioner.Partition(&c.record, count), amongLed, nil
}

// size gives the record without key a value so that it has so many bytes in a batch, as
// uniformBytesTopicPartitioner counts them: three, the lengths of key, value and headers, and those.
func (c *chooser) size(bytes int) error {
	if c.record.Headers == nil && sizeOf(&c.record) == bytes {
		return nil
	}
	c.record.Headers = nil
	for range 2 {
		c.record.Value = nil
		room := bytes - sizeOf(&c.record)
		for length := max(0, room-4); length <= room; length++ { // its own length needs some, too
			if kbin.VarintLen(int32(length))-1+length == room {
				for len(c.zeros) < length {
					c.zeros = append(c.zeros, make([]byte, length)...)
				}
				c.record.Value = c.zeros[:length]
				return nil
			}
		}
		// No value has the size where its length needs one more byte; an empty header helps.
		c.record.Headers = []kgo.RecordHeader{{}}
	}
	return fmt.Errorf("the smallest record has 6 bytes, not %d", bytes)
}

func sizeOf(r *kgo.Record) int {
	return 3 + 1 + kbin.VarintLen(int32(len(r.Value))) + len(r.Value) + 1 + 2*len(r.Headers)
}

// NewBatch is what Client.doPartition calls when a record would open a batch.
func (c *chooser) NewBatch() {
	if c.onNewBatch != nil {
		c.onNewBatch.OnNewBatch()
	}
}

// SetWaiting says how many records are buffered for each partition; zero until then.
func (c *chooser) SetWaiting(waiting []int64) {
	c.waiting = waiting
}

// backup goes over the partitions from the last to the first, as leastBackupInput does.
type backup struct {
	waiting []int64
	rest    int
}

func (b *backup) Rem() int { return b.rest }

func (b *backup) Next() (int, int64) {
	b.rest--
	if b.rest < len(b.waiting) {
		return b.rest, b.waiting[b.rest]
	}
	return b.rest, 0
}
