package franz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-conformance/adapters/go/testee"
)

// broker is at the other end of a pipe: it answers which versions it knows, what its topic is like, and
// takes the bytes that are produced to it.
type broker struct {
	named    *testee.Named
	produced chan<- []byte // of each batch; nil where nothing is flushed
}

func (b *broker) serve(conn net.Conn) {
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
		request := make([]byte, header.Length-8)
		if _, err := io.ReadFull(conn, request); err != nil {
			return
		}
		response, err := b.respond(header.Key, header.Version, request)
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

func (b *broker) respond(key, version int16, request []byte) (kmsg.Response, error) {
	switch kmsg.Key(key) {
	case kmsg.ApiVersions:
		versions := kmsg.NewPtrApiVersionsResponse()
		for _, known := range []struct {
			key kmsg.Key
			max int16
		}{{kmsg.Produce, 7}, {kmsg.Metadata, 7}, {kmsg.ApiVersions, 2}} {
			version := kmsg.NewApiVersionsResponseApiKey()
			version.ApiKey, version.MaxVersion = known.key.Int16(), known.max
			versions.ApiKeys = append(versions.ApiKeys, version)
		}
		return versions, nil
	case kmsg.Metadata:
		return metadata(b.named), nil
	case kmsg.Produce:
		return b.take(version, request)
	}
	return nil, errors.New("an API that is not needed")
}

// take hands the batches of a request on; before its body stands the client's id.
func (b *broker) take(version int16, request []byte) (kmsg.Response, error) {
	if len(request) < 2 || b.produced == nil {
		return nil, errors.New("nothing is to be produced")
	}
	named := max(0, int(int16(binary.BigEndian.Uint16(request))))
	produce, response := kmsg.NewPtrProduceRequest(), kmsg.NewPtrProduceResponse()
	produce.SetVersion(version)
	if err := produce.ReadFrom(request[2+named:]); err != nil {
		return nil, err
	}
	for _, topic := range produce.Topics {
		answer := kmsg.NewProduceResponseTopic()
		answer.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			b.produced <- bytes.Clone(partition.Records)
			taken := kmsg.NewProduceResponseTopicPartition()
			taken.Partition = partition.Partition
			answer.Partitions = append(answer.Partitions, taken)
		}
		response.Topics = append(response.Topics, answer)
	}
	return response, nil
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
