package sarama

import (
	"errors"
	"net"
	"time"

	"github.com/IBM/sarama"

	"kafka-conformance/adapters/go/broker"
	"kafka-conformance/adapters/go/testee"
)

const (
	mostBytes = 64 << 20 // of one batch: a case has 4 MiB
	patience  = 20 * time.Second
	// Retries would come after a case is over.
	never = 24 * time.Hour
)

// batches are those that a producer sends to a broker in this process, and what a consumer
// hands out of a fetch response.
var batches = &testee.Batches{
	// Producers begin at sequence 0 and cannot be told otherwise; brokers write the rest.
	Cannot: []string{"open batches", "control batches", "producer state", "log append time", "base offsets",
		"leader epochs", "null headers", "lone surrogates"},
	Write: write,
	Read:  read,
}

// configured is what producer and consumer have in common; in version 2.1 Kafka got zstd.
func configured(at *broker.Broker) *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.V2_1_0_0
	config.Net.Proxy.Enable, config.Net.Proxy.Dialer = true, dialer{at}
	config.Metadata.Retry.Max, config.Metadata.RefreshFrequency = 0, 0
	return config
}

type dialer struct{ at *broker.Broker }

// Dial is the one of proxy.Dialer.
func (d dialer) Dial(string, string) (net.Conn, error) { return d.at.Dial() }

func write(codec string, records []testee.BatchRecord) ([]byte, error) {
	produced := make(chan []byte, 16)
	at := broker.Taking(produced)
	defer at.Close()
	config := configured(at)
	if err := config.Producer.Compression.UnmarshalText([]byte(codec)); err != nil {
		return nil, err
	}
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Flush.Messages = len(records) // all in one batch
	config.Producer.MaxMessageBytes = mostBytes
	config.Producer.Retry.Max = 0
	config.Producer.Return.Successes = true
	producer, err := sarama.NewSyncProducer([]string{broker.Address}, config)
	if err != nil {
		return nil, err
	}
	sent := make(chan error, 1)
	go func() {
		sent <- producer.SendMessages(messages(records))
		_ = producer.Close()
	}()
	select {
	case err = <-sent:
	case <-time.After(patience):
		err = errors.New("the producer does not send its records")
	}
	if err != nil {
		return nil, reason(err)
	}
	if len(produced) != 1 {
		return nil, testee.ErrSplit
	}
	return <-produced, nil
}

func messages(records []testee.BatchRecord) []*sarama.ProducerMessage {
	messages := make([]*sarama.ProducerMessage, len(records))
	for i, record := range records {
		message := &sarama.ProducerMessage{
			Topic: broker.OnePartition.Topic, Timestamp: time.UnixMilli(record.Timestamp),
		}
		if record.Key != nil {
			message.Key = sarama.ByteEncoder(record.Key)
		}
		if record.Value != nil {
			message.Value = sarama.ByteEncoder(record.Value)
		}
		for _, header := range record.Headers {
			message.Headers = append(message.Headers,
				sarama.RecordHeader{Key: []byte(header.Name), Value: header.Value})
		}
		messages[i] = message
	}
	return messages
}

// reason is the first record's error: the text of all together has none of them.
func reason(err error) error {
	var failed sarama.ProducerErrors
	if errors.As(err, &failed) && len(failed) > 0 {
		return failed[0].Err
	}
	return err
}
