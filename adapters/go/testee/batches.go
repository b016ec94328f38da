package testee

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// Batches are a library's own encoder and decoder of record batches.
type Batches struct {
	Cannot []string // the protocol's words for what Write cannot be asked
	// Write answers the batch, or ErrSplit if it becomes several.
	Write func(codec string, records []BatchRecord) ([]byte, error)
	// Read answers the records that a consumer hands out, and what it stopped at, if anything.
	Read func(data []byte) ([]BatchRecord, error)
	// Guarded: Read may never come to an end, or end the process. It has a process of its own.
	Guarded bool

	guard guard
}

// BatchRecord is a record that was written or read; nil is null.
type BatchRecord struct {
	Offset, Timestamp int64 // the offset only where it was read
	Key, Value        []byte
	Headers           []BatchHeader
}

// ErrSplit says that the library makes several batches of the records.
var ErrSplit = errors.New("the producer makes several batches of so many records")

// BatchHeader is one of its headers.
type BatchHeader struct {
	Name  string
	Value []byte
}

// OfBatches is a testee that is asked about record batches alone.
func OfBatches(title, module string, batches *Batches) *Testee {
	claims := []string{"2.3.1", "3.2.3", "3.8.0", "4.4.0"}
	return &Testee{Title: title, Module: module, Batches: batches, Behaviours: map[string]Support{
		"record-batch": {
			Mode: "exact", Claims: claims, Cannot: batches.Cannot, Operations: []string{"append", "build"},
		},
		"batch-reading": {
			Mode: "exact", Claims: claims, Cannot: []string{"odd batches"}, Operations: []string{"records"},
		},
	}}
}

// hexed is bytes in the protocol's form; nil is null.
type hexed []byte

// UnmarshalJSON reads {"hex": "00ff"}.
func (h *hexed) UnmarshalJSON(text []byte) error {
	var held struct{ Hex string }
	if err := json.Unmarshal(text, &held); err != nil || string(text) == "null" {
		return err
	}
	data, err := hex.DecodeString(held.Hex)
	*h = append([]byte{}, data...)
	return err
}

func bytesAnswer(data []byte) any {
	if data == nil {
		return nil
	}
	return map[string]string{"hex": hex.EncodeToString(data)}
}

func longAnswer(number int64) any {
	return map[string]string{"int64": strconv.FormatInt(number, 10)}
}

type batchHeader BatchHeader

// UnmarshalJSON reads [name, bytes or null].
func (h *batchHeader) UnmarshalJSON(text []byte) error {
	var value *hexed
	if err := json.Unmarshal(text, &[]any{&h.Name, &value}); err != nil {
		return err
	}
	if value != nil {
		h.Value = *value
	}
	return nil
}

type batchCase struct {
	Config struct{ Codec string }
	Steps  []struct {
		Op         string
		Data       hexed
		Times      int
		Timestamp  int64 `json:",string"`
		Key, Value *hexed
		Headers    []batchHeader
	}
}

// trace performs one case: records, all at once, or bytes.
func (b *Batches) trace(c *batchCase) any {
	trace := make([]any, len(c.Steps))
	var records []BatchRecord
	for i := range c.Steps {
		s := &c.Steps[i]
		switch s.Op {
		case "append":
			one := BatchRecord{Timestamp: s.Timestamp}
			if s.Key != nil {
				one.Key = *s.Key
			}
			if s.Value != nil {
				one.Value = *s.Value
			}
			for _, header := range s.Headers {
				one.Headers = append(one.Headers, BatchHeader(header))
			}
			for range s.Times {
				records = append(records, one)
			}
		case "build":
			written, err := b.build(c.Config.Codec, records)
			switch {
			case errors.Is(err, ErrSplit):
				return couldNotTry{err.Error()}
			case err != nil:
				trace[i] = answerOf(0, err)
			default:
				trace[i] = bytesAnswer(written)
			}
		case "records":
			if b.Guarded {
				trace[i] = b.guard.read(s.Data)
			} else {
				trace[i] = b.records(s.Data)
			}
		default:
			return couldNotTry{fmt.Sprintf("operation %q has nothing to call", s.Op)}
		}
	}
	return trace
}

func (b *Batches) build(codec string, records []BatchRecord) (written []byte, err error) {
	defer recovered(&err)
	return b.Write(codec, records)
}

// records answers what a consumer hands out; a panic is a refusal, too, but of everything.
func (b *Batches) records(data []byte) any {
	var read []BatchRecord
	var err error
	func() {
		defer recovered(&err)
		read, err = b.Read(data)
	}()
	rows := make([]any, 0, len(read)+1)
	for _, one := range read {
		headers := make([]any, 0, len(one.Headers))
		for _, header := range one.Headers {
			headers = append(headers, []any{header.Name, bytesAnswer(header.Value)})
		}
		rows = append(rows, []any{longAnswer(one.Offset), longAnswer(one.Timestamp),
			bytesAnswer(one.Key), bytesAnswer(one.Value), headers})
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "refused: %.200v\n", err)
		rows = append(rows, "refused")
	}
	return rows
}
