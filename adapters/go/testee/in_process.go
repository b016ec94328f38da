package testee

import (
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Measure reads one line, the keyed records question, and calls the partitioner with its keys, over
// and over for so long: what the library can do without any protocol. It prints keys per second.
func (t *Testee) Measure(input io.Reader, output io.Writer, duration time.Duration) error {
	var question message
	if err := question.read(&scanner{source: input}, nil); err != nil {
		return err
	}
	all, led := ids(question.Partitions)
	if question.Type != "records" || len(question.Keys.ends) == 0 || len(all) == 0 {
		return errors.New("expected records with keys and partitions")
	}
	chooser := t.New("t", defaultBatchSize)
	record := Record{nil, PlainBytes}
	calls, sum := 0, 0
	start := time.Now()
	for time.Since(start) < duration {
		begin := 0
		for _, end := range question.Keys.ends {
			record.Key = question.Keys.bytes[begin:end:end]
			begin = end
			index, _, err := chooser.Choose(&record, len(all), len(led))
			if err != nil {
				return err
			}
			sum += index // so that it is needed
		}
		calls += len(question.Keys.ends)
	}
	seconds := time.Since(start).Seconds()
	return json.NewEncoder(output).Encode(map[string]any{
		"keys_per_second": float64(calls) / seconds, "keys": len(question.Keys.ends),
		"calls": calls, "seconds": seconds, "sum": sum,
	})
}
