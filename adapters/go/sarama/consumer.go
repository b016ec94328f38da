package sarama

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/IBM/sarama"

	"kafka-conformance/adapters/go/broker"
	"kafka-conformance/adapters/go/testee"
)

// A consumer waits for 100 ms before its first fetch (consumer.go, partitionConsumersBatchTimeout), so
// that some wait together, each for a case of its own.
const waitingConsumers = 32

// consumer is a real one, whose broker has the bytes of one case.
type consumer struct {
	real    sarama.Consumer
	at      *broker.Broker
	records sarama.PartitionConsumer
	data    chan []byte   // of the case, for the first fetch
	fetched chan struct{} // closed at the second fetch: the first one's bytes have been read
	err     error         // why there is no real one
}

var (
	waiting  = make(chan *consumer)
	panicked = make(chan any, waitingConsumers)
	begin    = sync.OnceFunc(func() {
		// Otherwise a panic of the library would end the process. Those that wait have nothing to
		// read yet, so it is the case's.
		sarama.PanicHandler = func(raised any) { panicked <- raised }
		for range waitingConsumers {
			go func() {
				for {
					waiting <- newConsumer()
				}
			}()
		}
	})
)

func newConsumer() *consumer {
	c := &consumer{data: make(chan []byte), fetched: make(chan struct{})}
	c.at = broker.InProcess(broker.Config{Topics: broker.Of(broker.OnePartition), Fetch: c.fetch})
	config := configured(c.at)
	config.Net.ReadTimeout = never // the case may come late
	config.Consumer.Return.Errors = true
	config.Consumer.Retry.Backoff = never
	config.Consumer.MaxProcessingTime = never // it would subscribe anew
	config.Consumer.Fetch.Default = mostBytes
	if c.real, c.err = sarama.NewConsumer([]string{broker.Address}, config); c.err != nil {
		return c
	}
	c.records, c.err = c.real.ConsumePartition(
		broker.OnePartition.Topic, broker.OnePartition.All[0], sarama.OffsetOldest)
	return c
}

// fetch answers the bytes once. Then it hangs up: the second request tells that the first one's bytes
// have been handed out, as far as they will be.
func (c *consumer) fetch() ([]byte, error) {
	data, ok := <-c.data
	if !ok {
		close(c.fetched)
		return nil, io.EOF
	}
	close(c.data)
	return data, nil
}

// close takes a moment for which nobody has to wait.
func (c *consumer) close() {
	go func() {
		c.records.AsyncClose()
		for range c.records.Messages() {
		}
		for range c.records.Errors() {
		}
		_ = c.real.Close()
		c.at.Close()
	}()
}

// read is what a consumer hands out. It asks again and again, without an error, for a batch that it
// takes for one cut off; here that is the end.
func read(data []byte) ([]testee.BatchRecord, error) {
	begin()
	c := <-waiting
	if c.err != nil {
		return nil, c.err
	}
	defer c.close()
	var rows []testee.BatchRecord
	fetched := false
	c.data <- data
	for {
		select {
		case message := <-c.records.Messages():
			rows = append(rows, row(message))
			continue
		default:
		}
		if fetched { // and every message taken
			return rows, nil
		}
		select {
		case message := <-c.records.Messages():
			rows = append(rows, row(message))
		case <-c.fetched:
			fetched = true
		case raised := <-panicked:
			return rows, fmt.Errorf("panic: %v", raised)
		case err := <-c.records.Errors():
			select {
			case <-c.fetched: // it is about the broker that hung up
				fetched = true
			default:
				return rows, errors.Unwrap(err)
			}
		}
	}
}

func row(message *sarama.ConsumerMessage) testee.BatchRecord {
	row := testee.BatchRecord{
		Offset: message.Offset, Timestamp: message.Timestamp.UnixMilli(),
		Key: message.Key, Value: message.Value,
	}
	if message.Timestamp.IsZero() { // the library's word for a time below 0, as -1 is Java's
		row.Timestamp = -1
	}
	for _, header := range message.Headers {
		row.Headers = append(row.Headers,
			testee.BatchHeader{Name: string(header.Key), Value: header.Value})
	}
	return row
}
