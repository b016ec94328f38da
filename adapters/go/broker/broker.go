// Package broker is a broker at the other end of a pipe, with one topic, for the libraries whose own
// producers and consumers are asked.
package broker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-conformance/adapters/go/testee"
)

// Address is the broker's, where a library wants one.
const Address = "broker:9092"

// OnePartition is the topic of those who write or read batches.
var OnePartition = &testee.Named{Topic: "t", All: []int32{0}, Led: []int32{0}}

// Broker answers which versions it knows, what its topic is like and at which offsets it begins and
// ends, takes the bytes that are produced to it, and hands out others.
type Broker struct {
	Named    *testee.Named
	Produced chan<- []byte // of each batch; nil where nothing is to be produced
	// Fetch answers the bytes for a fetch request, or false to hang up; nil where nothing is to be
	// fetched. It may wait, as a broker does that has nothing new.
	Fetch func() ([]byte, bool)
}

// The newest versions that it knows. In none of them have headers tags, and zstd is there.
var newest = map[kmsg.Key]int16{
	kmsg.Produce: 7, kmsg.Fetch: 10, kmsg.ListOffsets: 4, kmsg.Metadata: 7, kmsg.ApiVersions: 2,
}

// Dial is a new connection to it.
func (b *Broker) Dial() net.Conn {
	ours, theirs := net.Pipe()
	go b.serve(theirs)
	return ours
}

func (b *Broker) serve(conn net.Conn) {
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
		body := response.AppendTo(make([]byte, 8))
		binary.BigEndian.PutUint32(body, uint32(len(body)-4))
		binary.BigEndian.PutUint32(body[4:], uint32(header.Correlation))
		if _, err := conn.Write(body); err != nil {
			return
		}
	}
}

var errUnneeded = errors.New("an API that is not needed")

// respond answers a request; before its body stands the client's id.
func (b *Broker) respond(key, version int16, data []byte) (kmsg.Response, error) {
	request := kmsg.RequestForKey(key)
	if request == nil || len(data) < 2 {
		return nil, errUnneeded
	}
	if kmsg.Key(key) == kmsg.ApiVersions && version > newest[kmsg.ApiVersions] {
		response := versions()
		response.ErrorCode = kerr.UnsupportedVersion.Code // in version 0, as brokers say it
		return response, nil
	}
	named := max(0, int(int16(binary.BigEndian.Uint16(data))))
	request.SetVersion(version)
	if err := request.ReadFrom(data[2+named:]); err != nil {
		return nil, fmt.Errorf("request %d: %w", key, err)
	}
	response, err := b.response(request)
	if err == nil {
		response.SetVersion(version)
	}
	return response, err
}

func (b *Broker) response(request kmsg.Request) (kmsg.Response, error) {
	switch request := request.(type) {
	case *kmsg.ApiVersionsRequest:
		return versions(), nil
	case *kmsg.MetadataRequest:
		return b.metadata(), nil
	case *kmsg.ListOffsetsRequest:
		return offsets(request), nil
	case *kmsg.ProduceRequest:
		return b.take(request)
	case *kmsg.FetchRequest:
		return b.handOut(request)
	}
	return nil, errUnneeded
}

func versions() *kmsg.ApiVersionsResponse {
	response := kmsg.NewPtrApiVersionsResponse()
	for key, version := range newest {
		known := kmsg.NewApiVersionsResponseApiKey()
		known.ApiKey, known.MaxVersion = key.Int16(), version
		response.ApiKeys = append(response.ApiKeys, known)
	}
	return response
}

func (b *Broker) metadata() *kmsg.MetadataResponse {
	response := kmsg.NewPtrMetadataResponse()
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host, broker.Port = "broker", 9092
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic = kmsg.StringPtr(b.Named.Topic)
	for _, id := range b.Named.All {
		partition := kmsg.NewMetadataResponseTopicPartition()
		partition.Partition, partition.Leader = id, -1
		partition.ErrorCode = kerr.LeaderNotAvailable.Code
		if slices.Contains(b.Named.Led, id) {
			partition.Leader, partition.ErrorCode = broker.NodeID, 0
		}
		topic.Partitions = append(topic.Partitions, partition)
	}
	response.Brokers = append(response.Brokers, broker)
	response.Topics = append(response.Topics, topic)
	return response
}

// offsets answers the lowest and the highest that there can be, so that no record is left out because
// it were before the first.
func offsets(request *kmsg.ListOffsetsRequest) *kmsg.ListOffsetsResponse {
	const earliest = -2
	response := kmsg.NewPtrListOffsetsResponse()
	for _, topic := range request.Topics {
		answer := kmsg.NewListOffsetsResponseTopic()
		answer.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			listed := kmsg.NewListOffsetsResponseTopicPartition()
			listed.Partition, listed.Offset = partition.Partition, math.MaxInt64
			if partition.Timestamp == earliest {
				listed.Offset = math.MinInt64
			}
			answer.Partitions = append(answer.Partitions, listed)
		}
		response.Topics = append(response.Topics, answer)
	}
	return response
}

// take hands the batches of a request on.
func (b *Broker) take(request *kmsg.ProduceRequest) (kmsg.Response, error) {
	if b.Produced == nil {
		return nil, errUnneeded
	}
	response := kmsg.NewPtrProduceResponse()
	for _, topic := range request.Topics {
		answer := kmsg.NewProduceResponseTopic()
		answer.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			b.Produced <- bytes.Clone(partition.Records)
			taken := kmsg.NewProduceResponseTopicPartition()
			taken.Partition = partition.Partition
			answer.Partitions = append(answer.Partitions, taken)
		}
		response.Topics = append(response.Topics, answer)
	}
	return response, nil
}

// handOut answers a fetch request, with the same bytes whatever its offset is.
func (b *Broker) handOut(request *kmsg.FetchRequest) (kmsg.Response, error) {
	if b.Fetch == nil {
		return nil, errUnneeded
	}
	data, ok := b.Fetch()
	if !ok {
		return nil, io.EOF
	}
	response := kmsg.NewPtrFetchResponse()
	for _, topic := range request.Topics {
		answer := kmsg.NewFetchResponseTopic()
		answer.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			fetched := kmsg.NewFetchResponseTopicPartition()
			fetched.Partition, fetched.RecordBatches = partition.Partition, data
			fetched.HighWatermark, fetched.LastStableOffset = math.MaxInt64, math.MaxInt64
			answer.Partitions = append(answer.Partitions, fetched)
		}
		response.Topics = append(response.Topics, answer)
	}
	return response, nil
}
