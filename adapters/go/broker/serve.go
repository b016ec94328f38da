package broker

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Serve is the broker as a program, for testees in other languages; adapters/README.md has its protocol.
// It ends when its input does, so that it cannot outlive the testee.
func Serve(input io.Reader, output io.Writer) error {
	answers := json.NewEncoder(output)
	s := &served{topics: &Topics{}, read: make(chan struct{}, 1)}
	b, err := OnLoopback(Config{Topics: s.topics, Produced: s.take, Fetch: s.fetch})
	if err != nil {
		err = fmt.Errorf("the broker does not start: %w", err)
		return errors.Join(err, answers.Encode(map[string]string{"error": err.Error()}))
	}
	defer b.Close()
	if err := answers.Encode(map[string]string{"address": b.Address()}); err != nil {
		return err
	}
	lines, ended := linesOf(input)
	for {
		select {
		case line := <-lines:
			if err := answers.Encode(s.answer(line, ended)); err != nil {
				return err
			}
		case <-ended:
			return nil
		}
	}
}

// linesOf reads on while a line is answered: the end of the input ends also an answer that has to wait.
func linesOf(input io.Reader) (<-chan []byte, <-chan struct{}) {
	lines, ended := make(chan []byte), make(chan struct{})
	go func() {
		defer close(ended)
		reader := bufio.NewReaderSize(input, 1<<16)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	return lines, ended
}

// served is what a program's broker was told, and has been told.
type served struct {
	topics  *Topics
	read    chan struct{} // full once a fetch has come for which there was nothing
	mutex   sync.Mutex
	batches []string // produced, in hex
	data    []byte   // to be fetched
	has     bool     // whether there is such data
	holds   bool     // whether it is fetched again and again
}

func (s *served) take(batch []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.batches = append(s.batches, hex.EncodeToString(batch))
}

func (s *served) fetch() ([]byte, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.has {
		select {
		case s.read <- struct{}{}:
		default:
		}
		return nil, ErrSilent
	}
	s.has = s.holds
	return s.data, nil
}

type question struct {
	Op     string
	Topics map[string][][2]*int32 // ids and leaders; null is none
	Data   string                 // hex
}

type told map[string]any

func (s *served) answer(line []byte, ended <-chan struct{}) told {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return told{"error": err.Error()}
	}
	switch asked.Op {
	case "topics":
		return s.set(asked.Topics)
	case "hand out", "hold":
		return s.give(asked.Data, asked.Op == "hold")
	case "produced":
		s.mutex.Lock()
		defer s.mutex.Unlock()
		batches := append([]string{}, s.batches...)
		s.batches = nil
		return told{"batches": batches}
	case "wait until read":
		select {
		case <-s.read:
		case <-ended:
		}
		return told{}
	}
	return told{"error": fmt.Sprintf("no op is called %q", asked.Op)}
}

func (s *served) set(topics map[string][][2]*int32) told {
	for name, all := range topics {
		partitions := make([]Partition, len(all))
		for i, one := range all {
			if one[0] == nil {
				return told{"error": "a partition without id"}
			}
			partitions[i] = Partition{*one[0], one[1] != nil}
		}
		s.topics.Set(name, partitions)
	}
	return told{}
}

func (s *served) give(data string, holds bool) told {
	decoded, err := hex.DecodeString(data)
	if err != nil {
		return told{"error": err.Error()}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.read: // it was about what had been there before
	default:
	}
	s.data, s.has, s.holds = decoded, true, holds
	return told{}
}
