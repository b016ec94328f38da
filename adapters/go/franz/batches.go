package franz

import (
	"context"
	"math"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"kafka-conformance/adapters/go/broker"
	"kafka-conformance/adapters/go/testee"
)

const mostBytes = 64 << 20 // of one batch: a case has 4 MiB

var topic = broker.OnePartition.Topic

// batches are those that a producer sends to a broker in this process, and what a consumer
// makes of a fetch response's bytes.
var batches = &testee.Batches{
	// The producer begins at sequence 0 and cannot be told otherwise; its records have the time that they are given.
	Cannot: []string{"open batches", "control batches", "producer state", "log append time", "base offsets",
		"leader epochs", "null headers", "lone surrogates"},
	Write: write,
	Read:  read,
}

func codec(name string) kgo.CompressionCodec {
	return map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}[name]
}

func write(codecName string, records []testee.BatchRecord) ([]byte, error) {
	produced, buffered := make(chan []byte, 16), make(inBatch, len(records))
	at := broker.Taking(produced)
	defer at.Close()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(broker.Address),
		kgo.MaxVersions(kversion.V2_1_0()), // zstd is there, and headers have no tags yet
		kgo.DisableIdempotentWrite(),
		kgo.ManualFlushing(),
		kgo.MaxBufferedRecords(math.MaxInt32),
		kgo.ProducerBatchMaxBytes(mostBytes),
		kgo.BrokerMaxWriteBytes(mostBytes),
		kgo.ProducerBatchCompression(codec(codecName)),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.WithHooks(buffered),
		kgo.Dialer(func(context.Context, string, string) (net.Conn, error) {
			return at.Dial()
		}),
	)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, one := range records {
		record := &kgo.Record{Topic: topic, Key: one.Key, Value: one.Value, Timestamp: time.UnixMilli(one.Timestamp)}
		for _, header := range one.Headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: header.Name, Value: header.Value})
		}
		client.Produce(ctx, record, nil)
	}
	for range records { // a flush that comes before the topic's metadata sends what is there
		select {
		case <-buffered:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := client.Flush(ctx); err != nil {
		return nil, err
	}
	if len(produced) != 1 {
		return nil, testee.ErrSplit
	}
	return <-produced, nil
}

// inBatch is told of each record that is in a batch.
type inBatch chan struct{}

// OnProduceRecordPartitioned is the client's hook.
func (b inBatch) OnProduceRecordPartitioned(*kgo.Record, int32) { b <- struct{}{} }

func read(data []byte) ([]testee.BatchRecord, error) {
	response := kmsg.NewFetchResponseTopicPartition()
	response.RecordBatches = data
	options := kgo.ProcessFetchPartitionOpts{Topic: topic, Offset: math.MinInt64}
	fetched, _ := kgo.ProcessFetchPartition(options, &response, kgo.DefaultDecompressor(), nil)
	rows := make([]testee.BatchRecord, 0, len(fetched.Records))
	for _, record := range fetched.Records {
		row := testee.BatchRecord{Offset: record.Offset, Timestamp: record.Timestamp.UnixMilli(), Key: record.Key, Value: record.Value}
		for _, header := range record.Headers {
			row.Headers = append(row.Headers, testee.BatchHeader{Name: header.Key, Value: header.Value})
		}
		rows = append(rows, row)
	}
	return rows, fetched.Err
}
