package kafkago

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"time"

	"github.com/segmentio/kafka-go"

	"kafka-conformance/adapters/go/broker"
	"kafka-conformance/adapters/go/testee"
)

const (
	mostBytes = 64 << 20 // of one batch: a case has 4 MiB
	patience  = 20 * time.Second
)

// batches are those that a Writer sends to a broker in this process, and the messages of a
// fetch response. They are read by the calls that a Reader makes (reader.go, reader.read): it hands
// these messages out, but of an error it only writes a line to its log, and asks again.
var batches = &testee.Batches{
	// The Writer has no producer ids; brokers write the rest.
	Cannot: []string{"open batches", "control batches", "producer state", "log append time", "base offsets",
		"leader epochs", "null headers", "lone surrogates"},
	Write:   write,
	Read:    read,
	Guarded: true, // a count of headers is believed
}

func write(codec string, records []testee.BatchRecord) ([]byte, error) {
	produced := make(chan []byte, 16)
	at := broker.Taking(produced)
	defer at.Close()
	transport := &kafka.Transport{Dial: func(context.Context, string, string) (net.Conn, error) {
		return at.Dial()
	}}
	defer transport.CloseIdleConnections()
	writer := &kafka.Writer{
		Addr: kafka.TCP(broker.Address), Topic: broker.OnePartition.Topic, Transport: transport,
		BatchSize: len(records), BatchBytes: mostBytes, // all in one batch
		RequiredAcks: kafka.RequireAll, MaxAttempts: 1,
	}
	if err := writer.Compression.UnmarshalText([]byte(codec)); err != nil {
		return nil, err
	}
	defer writer.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := writer.WriteMessages(ctx, messages(records)...); err != nil {
		return nil, reason(err)
	}
	if len(produced) != 1 {
		return nil, testee.ErrSplit
	}
	return <-produced, nil
}

func messages(records []testee.BatchRecord) []kafka.Message {
	messages := make([]kafka.Message, len(records))
	for i, record := range records {
		message := kafka.Message{
			Key: record.Key, Value: record.Value, Time: time.UnixMilli(record.Timestamp),
		}
		for _, header := range record.Headers {
			message.Headers = append(message.Headers, kafka.Header{Key: header.Name, Value: header.Value})
		}
		messages[i] = message
	}
	return messages
}

// reason is the first record's error: the text of all together has every one.
func reason(err error) error {
	var failed kafka.WriteErrors
	if errors.As(err, &failed) && len(failed) > 0 {
		return failed[0]
	}
	return err
}

func read(data []byte) ([]testee.BatchRecord, error) {
	at := broker.InProcess(broker.Config{
		Topics: broker.Of(broker.OnePartition), Fetch: func() ([]byte, error) { return data, nil },
	})
	defer at.Close()
	dialed, err := at.Dial()
	if err != nil {
		return nil, err
	}
	conn := kafka.NewConnWith(dialed, kafka.ConnConfig{Topic: broker.OnePartition.Topic})
	defer conn.Close()
	// The lowest offset, so that no record is left out because it were before the first.
	if _, err := conn.Seek(math.MinInt64, kafka.SeekAbsolute|kafka.SeekDontCheck); err != nil {
		return nil, err
	}
	batch := conn.ReadBatch(1, mostBytes)
	var rows []testee.BatchRecord
	for {
		message, err := batch.ReadMessage()
		switch {
		case errors.Is(err, io.EOF): // the end, also of what is cut off
			return rows, nil
		case err != nil:
			return rows, err
		}
		rows = append(rows, row(&message))
	}
}

func row(message *kafka.Message) testee.BatchRecord {
	row := testee.BatchRecord{
		Offset: message.Offset, Timestamp: message.Time.UnixMilli(),
		Key: message.Key, Value: message.Value,
	}
	if message.Time.IsZero() { // the library's word for no time, as -1 is Java's
		row.Timestamp = -1
	}
	for _, header := range message.Headers {
		row.Headers = append(row.Headers, testee.BatchHeader{Name: header.Key, Value: header.Value})
	}
	return row
}
