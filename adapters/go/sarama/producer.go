package sarama

import (
	"errors"
	"slices"

	"github.com/IBM/sarama"

	"kafka-conformance/adapters/go/testee"
)

// send gives a message to a real asynchronous producer: its topicProducer.partitionMessage asks the
// partitioner and refuses with ErrInvalidPartition what it cannot use. (The producers in sarama/mocks
// do not: they have a loop of their own.) No partition of the client has a leader, so that what was
// given a partition comes back with the error of that.
func send(partitioner sarama.PartitionerConstructor) func(*testee.Named) (int32, error) {
	return func(named *testee.Named) (int32, error) {
		config := sarama.NewConfig()
		config.Producer.Partitioner = partitioner
		config.Producer.Retry.Max, config.Producer.Retry.Backoff = 0, 0
		// Sorted, as the real client has them (client.go, setPartitionCache).
		all, led := slices.Sorted(slices.Values(named.All)), slices.Sorted(slices.Values(named.Led))
		producer, err := sarama.NewAsyncProducerFromClient(&client{config: config, all: all, led: led})
		if err != nil {
			return 0, err
		}
		defer producer.AsyncClose()
		message := &sarama.ProducerMessage{Topic: named.Topic}
		if named.Partition != nil {
			message.Partition = *named.Partition
		}
		if named.Key != nil {
			message.Key = sarama.ByteEncoder(named.Key)
		}
		producer.Input() <- message
		failed := <-producer.Errors()
		switch {
		case errors.Is(failed.Err, errNoBroker):
			return failed.Msg.Partition, nil
		case errors.Is(failed.Err, sarama.ErrInvalidPartition):
			return 0, testee.Refused(failed.Err)
		}
		return 0, failed.Err
	}
}

var errNoBroker = errors.New("this client has no broker")

// client has what the producer asks for before it sends.
type client struct {
	sarama.Client
	config   *sarama.Config
	all, led []int32
}

func (c *client) Config() *sarama.Config { return c.config }

func (c *client) Closed() bool { return false }

func (c *client) Partitions(string) ([]int32, error) { return c.all, nil }

func (c *client) WritablePartitions(string) ([]int32, error) { return c.led, nil }

func (c *client) RefreshMetadata(...string) error { return nil }

func (c *client) Leader(string, int32) (*sarama.Broker, error) { return nil, errNoBroker }
