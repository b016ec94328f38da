// Package broker is franz-go's fake broker, kfake, for the libraries whose own producers and consumers
// are asked: in this process, or as a program for those of other languages (serve.go).
//
// kfake listens, reads requests, agrees on versions and writes answers. What is in the answers is said
// here, for a broker that wants to make sense of batches would refuse the damaged ones.
package broker

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Address is where a broker of this process is, for its own Dial alone.
const Address = "localhost:9092"

// Config is what a broker has and does.
type Config struct {
	Topics *Topics
	// Produced is handed each batch that is produced.
	Produced func(batch []byte)
	// Fetch answers the bytes for a fetch request, whatever its offset is, ErrSilent to leave it without
	// an answer, or any other error to hang up. While it waits, the broker answers nothing else.
	Fetch func() ([]byte, error)
}

// ErrSilent leaves a request, and all that come after it on its connection, without an answer.
var ErrSilent = errors.New("no answer")

var errUnneeded = errors.New("a request that is not needed")

// Broker is a cluster of one, with topics that do not depend on what was produced.
type Broker struct {
	Config
	cluster *kfake.Cluster
	network *kfake.VirtualNetwork
	host    string
	port    int32
}

// InProcess starts a broker that only its Dial reaches.
func InProcess(config Config) *Broker {
	network := &kfake.VirtualNetwork{}
	_, port, _ := net.SplitHostPort(Address)
	number, _ := strconv.Atoi(port)
	b, err := start(config, kfake.Ports(number), kfake.ListenFn(network.Listen))
	if err != nil {
		panic(err) // nothing else is in that network
	}
	b.network = network
	return b
}

// Taking starts one with OnePartition, which hands over the batches that are produced to it.
func Taking(produced chan<- []byte) *Broker {
	return InProcess(Config{Topics: Of(OnePartition), Produced: func(batch []byte) { produced <- batch }})
}

// OnLoopback starts a broker at a free port.
func OnLoopback(config Config) (*Broker, error) {
	return start(config, kfake.NumBrokers(1))
}

// newest are the versions of Kafka 2.1, which was the first with zstd, and of what is needed alone: in
// none of its headers are tags, kafka-go knows no newer ones, and of another request kfake would offer
// versions from 3 to 2, which rskafka refuses. With ApiVersions 3 librdkafka need not ask twice.
func newest() *kversion.Versions {
	versions := &kversion.Versions{}
	for key, version := range map[kmsg.Key]int16{
		kmsg.Produce: 7, kmsg.Fetch: 10, kmsg.ListOffsets: 4, kmsg.Metadata: 7, kmsg.FindCoordinator: 2,
		kmsg.ApiVersions: 3,
	} {
		versions.SetMaxKeyVersion(key.Int16(), version)
	}
	return versions
}

func start(config Config, options ...kfake.Opt) (*Broker, error) {
	cluster, err := kfake.NewCluster(append(options, kfake.MaxVersions(newest()))...)
	if err != nil {
		return nil, err
	}
	b := &Broker{Config: config, cluster: cluster}
	host, port, err := net.SplitHostPort(cluster.ListenAddrs()[0])
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	b.host, b.port = host, int32(number)
	for key, answer := range map[kmsg.Key]answer{
		kmsg.Metadata: b.metadata, kmsg.ListOffsets: offsets, kmsg.Produce: b.take, kmsg.Fetch: b.handOut,
		kmsg.FindCoordinator: noCoordinator,
	} {
		b.control(key.Int16(), answer)
	}
	return b, nil
}

type answer func(kmsg.Request) (kmsg.Response, error)

// control puts our answers in the place of kfake's, one request after the other: a control that is kept
// (KeepControl) keeps the last request of every connection that there was, too.
func (b *Broker) control(key int16, answer answer) {
	b.cluster.ControlKey(key, func(request kmsg.Request) (kmsg.Response, error, bool) {
		b.control(key, answer)
		response, err := answer(request)
		if errors.Is(err, ErrSilent) {
			return nil, nil, true
		}
		if err != nil {
			return nil, err, true
		}
		response.SetVersion(request.GetVersion())
		return response, nil, true
	})
}

// Address is the broker's, as clients want it.
func (b *Broker) Address() string { return net.JoinHostPort(b.host, strconv.Itoa(int(b.port))) }

// Dial is a new connection to a broker of this process.
func (b *Broker) Dial() (net.Conn, error) {
	return b.network.DialContext(context.Background(), "tcp", Address)
}

// Close hangs up on every client.
func (b *Broker) Close() { b.cluster.Close() }

func (b *Broker) metadata(request kmsg.Request) (kmsg.Response, error) {
	asked := request.(*kmsg.MetadataRequest)
	response := kmsg.NewPtrMetadataResponse()
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host, broker.Port = b.host, b.port
	response.Brokers = append(response.Brokers, broker)
	response.ControllerID = broker.NodeID
	if asked.Topics == nil || asked.Version == 0 && len(asked.Topics) == 0 {
		for _, name := range b.Topics.names() {
			response.Topics = append(response.Topics, b.topic(name, broker.NodeID))
		}
	}
	for _, topic := range asked.Topics {
		response.Topics = append(response.Topics, b.topic(*topic.Topic, broker.NodeID))
	}
	return response, nil
}

func (b *Broker) topic(name string, leader int32) kmsg.MetadataResponseTopic {
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic = kmsg.StringPtr(name)
	partitions, known := b.Topics.get(name)
	if !known {
		topic.ErrorCode = kerr.UnknownTopicOrPartition.Code
	}
	for _, one := range partitions {
		partition := kmsg.NewMetadataResponseTopicPartition()
		partition.Partition, partition.Leader = one.ID, leader
		if !one.Led {
			partition.Leader, partition.ErrorCode = -1, kerr.LeaderNotAvailable.Code
		}
		topic.Partitions = append(topic.Partitions, partition)
	}
	return topic
}

// offsets answers the lowest and the highest that there can be, so that no record is left out because
// it were before the first.
func offsets(request kmsg.Request) (kmsg.Response, error) {
	const earliest = -2
	response := kmsg.NewPtrListOffsetsResponse()
	for _, topic := range request.(*kmsg.ListOffsetsRequest).Topics {
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
	return response, nil
}

// take hands the batches of a request on.
func (b *Broker) take(request kmsg.Request) (kmsg.Response, error) {
	produce := request.(*kmsg.ProduceRequest)
	if b.Produced == nil {
		return nil, errUnneeded
	}
	response := kmsg.NewPtrProduceResponse()
	for _, topic := range produce.Topics {
		answer := kmsg.NewProduceResponseTopic()
		answer.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			b.Produced(bytes.Clone(partition.Records))
			taken := kmsg.NewProduceResponseTopicPartition()
			taken.Partition = partition.Partition
			answer.Partitions = append(answer.Partitions, taken)
		}
		response.Topics = append(response.Topics, answer)
	}
	if produce.Acks == 0 { // an answer would be taken for that of another request
		return nil, ErrSilent
	}
	return response, nil
}

// handOut answers a fetch request, with the same bytes whatever its offset is; of the partition there is
// always more.
func (b *Broker) handOut(request kmsg.Request) (kmsg.Response, error) {
	if b.Fetch == nil {
		return nil, errUnneeded
	}
	data, err := b.Fetch()
	if err != nil {
		return nil, err
	}
	response := kmsg.NewPtrFetchResponse()
	for _, topic := range request.(*kmsg.FetchRequest).Topics {
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

// noCoordinator keeps librdkafka's consumers from a second connection, to the one of their group. It
// compresses by lz4 only where there is such a request.
func noCoordinator(kmsg.Request) (kmsg.Response, error) {
	response := kmsg.NewPtrFindCoordinatorResponse()
	response.ErrorCode, response.NodeID = kerr.CoordinatorNotAvailable.Code, -1
	return response, nil
}
