package franz

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"kafka-conformance/adapters/go/broker"
	"kafka-conformance/adapters/go/testee"
)

// send produces a record with a real client, whose Client.doPartition asks the partitioner and refuses
// what it cannot use. The broker is in this process and knows one topic; nothing is flushed.
func send(partitioner func() kgo.Partitioner) func(*testee.Named) (int32, error) {
	return func(named *testee.Named) (int32, error) {
		result := make(outcome, 2) // the hook's, and that the client was closed
		at := broker.InProcess(broker.Config{Topics: broker.Of(named)})
		defer at.Close()
		client, err := kgo.NewClient(
			kgo.SeedBrokers(broker.Address),
			kgo.MaxVersions(kversion.V0_11_0()), // before headers had tags
			kgo.DisableIdempotentWrite(),
			kgo.ManualFlushing(),
			kgo.RecordPartitioner(partitioner()),
			kgo.WithHooks(result),
			kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
				return at.Dial()
			}),
		)
		if err != nil {
			return 0, err
		}
		defer client.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		record := &kgo.Record{Topic: named.Topic, Key: named.Key}
		if named.Partition != nil {
			record.Partition = *named.Partition
		}
		client.Produce(ctx, record, func(_ *kgo.Record, err error) { result <- chosen{err: err} })
		first := <-result
		if first.err != nil && strings.Contains(first.err.Error(), "invalid record partitioning choice") {
			return 0, testee.Refused(first.err)
		}
		return first.partition, first.err
	}
}

type chosen struct {
	partition int32
	err       error
}

type outcome chan chosen

// OnProduceRecordPartitioned is the client's hook.
func (o outcome) OnProduceRecordPartitioned(record *kgo.Record, _ int32) {
	o <- chosen{partition: record.Partition}
}
