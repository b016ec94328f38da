package testee

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// records appends the answer to into.
func (t *Testee) records(into []byte, question *message) ([]byte, error) {
	answer := append(into, `{"type":"partitions","id":`...)
	answer = strconv.AppendInt(answer, question.ID, 10)
	opened := len(answer)
	answer, err := t.appendPartitions(append(answer, `,"partitions":[`...), question)
	if err == nil {
		if answer[len(answer)-1] == ',' {
			answer = answer[:len(answer)-1]
		}
		return append(answer, "]}"...), nil
	}
	why, err := json.Marshal(err.Error())
	answer = append(answer[:opened], `,"could not try":`...)
	return append(append(answer, why...), '}'), err
}

func (t *Testee) appendPartitions(into []byte, question *message) (answer []byte, err error) {
	answer = into
	defer recovered(&err) // the protocol has no error for one of many records
	all, led := ids(question.Partitions)
	if len(all) == 0 {
		return answer, errors.New("a topic without partitions")
	}
	batchSize := defaultBatchSize
	if question.BatchSize > 0 {
		batchSize = question.BatchSize
	}
	sample := sample{record: Record{nil, PlainBytes}, all: all, led: led}
	switch question.Behaviour {
	case "keyed":
		sample.chooser = t.New("t", batchSize)
		if question.Arriving == nil {
			return sample.keyed(answer, &question.Keys)
		}
		defer func() { // after an error the rest has to be taken, too
			for range question.Arriving {
			}
		}()
		for block := range question.Arriving {
			if answer, err = sample.keyed(answer, block); err != nil {
				break
			}
		}
		return answer, err
	case "adaptive":
		// Every record is a batch of its own, so a new choice even for who counts bytes.
		sample.chooser = t.New("t", 1)
		return sample.adaptive(answer, question)
	case "built-in":
		sample.chooser = t.New("t", batchSize)
		return sample.sized(answer, question)
	case "sticky", "uniform-sticky":
		sample.chooser = t.New("t", batchSize)
		return sample.plain(answer, len(question.Closes), question.Closes)
	case "round-robin", "round-robin-null-key":
		sample.chooser = t.New("t", batchSize)
		return sample.plain(answer, question.Count, nil)
	}
	return answer, fmt.Errorf("%s is not supported", question.Behaviour)
}

// sample is one topic while records are sent to it.
type sample struct {
	chooser  Chooser
	record   Record
	all, led []int32
}

// keyed is the loop that has to be fast. Its answers are indices, as everywhere with a key.
func (s *sample) keyed(answer []byte, keys *keys) ([]byte, error) {
	all, led, start := len(s.all), len(s.led), 0
	for _, end := range keys.ends {
		s.record.Key = keys.bytes[start:end:end]
		start = end
		index, _, err := s.chooser.Choose(&s.record, all, led)
		if err != nil {
			return answer, err
		}
		answer = append(strconv.AppendInt(answer, int64(index), 10), ',')
	}
	return answer, nil
}

// one sends the record.
func (s *sample) one(answer []byte) ([]byte, error) {
	index, amongLed, err := s.chooser.Choose(&s.record, len(s.all), len(s.led))
	if err != nil {
		return answer, err
	}
	id, err := lookUp(index, amongLed, s.all, s.led)
	return append(strconv.AppendInt(answer, int64(id), 10), ','), err
}

func (s *sample) newBatch() {
	if batcher, ok := s.chooser.(Batcher); ok {
		batcher.NewBatch()
	}
}

// plain sends records of one size; closes (or nil) says which were the last of their batches.
func (s *sample) plain(answer []byte, count int, closes []int) ([]byte, error) {
	var err error
	for i := 0; i < count; i++ {
		if answer, err = s.one(answer); err != nil {
			return answer, err
		}
		if closes != nil && closes[i] == 1 {
			s.newBatch()
		}
	}
	return answer, nil
}

func (s *sample) sized(answer []byte, question *message) ([]byte, error) {
	var err error
	if len(question.Bytes) != len(question.Closes) {
		return answer, errors.New("bytes and closes of different lengths")
	}
	for i, size := range question.Bytes {
		s.record.Bytes = size
		if answer, err = s.one(answer); err != nil {
			return answer, err
		}
		if question.Closes[i] == 1 {
			s.newBatch()
		}
	}
	return answer, nil
}

// adaptive tells the partitioner how many batches wait for each partition, before each group of
// choices. Java's producer leaves those without a known leader out of the loads (RecordAccumulator,
// partitionReady), so what is not listed is no candidate here either. The slow brokers' partitions,
// those beyond length, are candidates as all others: only Java's client has that timeout.
func (s *sample) adaptive(answer []byte, question *message) ([]byte, error) {
	loaded, ok := s.chooser.(Loaded)
	if !ok {
		return answer, errors.New("it does not look at what is waiting")
	}
	led := s.led
	var err error
	for _, at := range question.Order {
		if at >= len(question.Loads) {
			return answer, fmt.Errorf("there are no loads %d", at)
		}
		var waiting []int64
		s.led, waiting = candidates(&question.Loads[at], led)
		loaded.SetWaiting(waiting)
		for i := 0; i < question.Choices; i++ {
			if answer, err = s.one(answer); err != nil {
				return answer, err
			}
			s.newBatch()
		}
	}
	return answer, nil
}

func candidates(l *load, led []int32) (ids []int32, waiting []int64) {
	queues := map[int32]int32{}
	for i, id := range l.IDs {
		queues[id] = l.Queues[i]
	}
	for _, id := range led {
		if queue, listed := queues[id]; listed {
			ids, waiting = append(ids, id), append(waiting, int64(queue))
		}
	}
	return ids, waiting
}
