package franz

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"kafka-conformance/adapters/go/testee"
)

// send produces a record with a real client, whose Client.doPartition asks the partitioner and refuses
// what it cannot use. The connection is a pipe to a broker that knows one topic; nothing is flushed.
func send(partitioner func() kgo.Partitioner) func(*testee.Named) (int32, error) {
	return func(named *testee.Named) (int32, error) {
		result := make(outcome, 2) // the hook's, and that the client was closed
		client, err := kgo.NewClient(
			kgo.SeedBrokers("broker:9092"),
			kgo.MaxVersions(kversion.V0_11_0()), // before headers had tags
			kgo.DisableIdempotentWrite(),
			kgo.ManualFlushing(),
			kgo.RecordPartitioner(partitioner()),
			kgo.WithHooks(result),
			kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go serve(theirs, named)
				return ours, nil
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

// serve is the broker: it answers which versions it knows and what the topic is like.
func serve(conn net.Conn, named *testee.Named) {
	defer conn.Close()
	for {
		var header struct {
			Length       int32
			Key, Version int16
			Correlation  int32
		}
		if binary.Read(conn, binary.BigEndian, &header) != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, conn, int64(header.Length)-8); err != nil {
			return
		}
		response, err := respond(header.Key, named)
		if err != nil {
			return
		}
		response.SetVersion(header.Version)
		body := response.AppendTo(make([]byte, 8))
		binary.BigEndian.PutUint32(body, uint32(len(body)-4))
		binary.BigEndian.PutUint32(body[4:], uint32(header.Correlation))
		if _, err := conn.Write(body); err != nil {
			return
		}
	}
}

func respond(key int16, named *testee.Named) (kmsg.Response, error) {
	switch kmsg.Key(key) {
	case kmsg.ApiVersions:
		versions := kmsg.NewPtrApiVersionsResponse()
		for _, known := range []struct {
			key kmsg.Key
			max int16
		}{{kmsg.Produce, 3}, {kmsg.Metadata, 4}, {kmsg.ApiVersions, 1}} {
			version := kmsg.NewApiVersionsResponseApiKey()
			version.ApiKey, version.MaxVersion = known.key.Int16(), known.max
			versions.ApiKeys = append(versions.ApiKeys, version)
		}
		return versions, nil
	case kmsg.Metadata:
		return metadata(named), nil
	}
	return nil, errors.New("an API that is not needed")
}

func metadata(named *testee.Named) *kmsg.MetadataResponse {
	response := kmsg.NewPtrMetadataResponse()
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host, broker.Port = "broker", 9092
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic = kmsg.StringPtr(named.Topic)
	for _, id := range named.All {
		partition := kmsg.NewMetadataResponseTopicPartition()
		partition.Partition, partition.Leader = id, -1
		partition.ErrorCode = kerr.LeaderNotAvailable.Code
		for _, led := range named.Led {
			if led == id {
				partition.Leader, partition.ErrorCode = broker.NodeID, 0
			}
		}
		topic.Partitions = append(topic.Partitions, partition)
	}
	response.Brokers = append(response.Brokers, broker)
	response.Topics = append(response.Topics, topic)
	return response
}
