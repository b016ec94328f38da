package testee

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// message is a line of the suite. The long arrays are scanned by hand into reused memory, because
// encoding/json needs longer for a key than any partitioner does.
type message struct {
	Type, Behaviour string
	ID              int64
	Cases           json.RawMessage
	Partitions      []partition
	Keys            keys
	Count, Choices  int
	BatchSize       int
	Closes, Bytes   []int
	Order           []int
	Loads           []load

	// If all that matters was known before the keys, they come in here instead, while they arrive;
	// cut is the error because of which they ended, to be looked at after the last.
	Arriving chan *keys
	cut      error
	ring     *[4]keys
}

type load struct {
	Queues, IDs []int32
	Length      int
}

// keys are one after the other in one piece of memory.
type keys struct {
	bytes []byte
	ends  []int
}

// read reads the next line; io.EOF if there is none. A question whose keys are Arriving is handed
// on before it is read to the end.
func (m *message) read(s *scanner, handOn func()) error {
	*m = message{
		ring:  m.ring,
		Cases: m.Cases[:0], Keys: keys{m.Keys.bytes[:0], m.Keys.ends[:0]},
		Closes: m.Closes[:0], Bytes: m.Bytes[:0], Order: m.Order[:0],
	}
	if s.at == s.end && !s.more() {
		return s.failure(io.EOF)
	}
	if !s.take('{') {
		return s.failure(errors.New("the line is no JSON object"))
	}
	for more := !s.take('}'); more; {
		name, err := s.value()
		if err != nil {
			return s.failure(err)
		}
		member := string(bytes.TrimSpace(name)) // a copy: name is gone when more is read
		if !s.take(':') {
			return s.failure(errors.New("a member without value"))
		}
		if err := m.member(member, s, handOn); err != nil {
			return s.failure(fmt.Errorf("member %.100s: %w", member, err))
		}
		if more = s.take(','); !more && !s.take('}') {
			return s.failure(errors.New("an object without end"))
		}
	}
	if !s.take('\n') {
		return s.failure(errors.New("the object does not end with the line"))
	}
	return nil
}

func (m *message) member(name string, s *scanner, handOn func()) error {
	switch name {
	case `"keys"`:
		known := m.Type == "records" && m.ID != 0 && m.Behaviour == "keyed" && m.Partitions != nil
		if known && handOn != nil {
			return m.arrive(s, handOn)
		}
		return s.keys(&m.Keys, nil)
	case `"closes"`:
		return s.integers(&m.Closes)
	case `"bytes"`:
		return s.integers(&m.Bytes)
	case `"order"`:
		return s.integers(&m.Order)
	}
	value, err := s.value()
	if err != nil {
		return err
	}
	switch name {
	case `"type"`:
		return json.Unmarshal(value, &m.Type)
	case `"id"`:
		return json.Unmarshal(value, &m.ID)
	case `"behaviour"`:
		return json.Unmarshal(value, &m.Behaviour)
	case `"partitions"`:
		return json.Unmarshal(value, &m.Partitions)
	case `"count"`:
		return json.Unmarshal(value, &m.Count)
	case `"choices"`:
		return json.Unmarshal(value, &m.Choices)
	case `"batch_size"`:
		return json.Unmarshal(value, &m.BatchSize)
	case `"loads"`:
		return json.Unmarshal(value, &m.Loads)
	case `"cases"`:
		m.Cases = append(m.Cases, value...) // value is gone when more is read
	}
	return nil
}

// scanner reads JSON while it arrives, so that the suite's writing and this reading overlap.
type scanner struct {
	source  io.Reader
	buffer  []byte
	at, end int // what was read and not yet used
	broken  error
}

const chunk = 256 << 10

// more reads on. It may move what is not yet used to the buffer's beginning; false at the end.
func (s *scanner) more() bool {
	if s.at > 0 {
		s.end = copy(s.buffer, s.buffer[s.at:s.end])
		s.at = 0
	}
	if len(s.buffer)-s.end < chunk {
		s.buffer = append(s.buffer[:s.end], make([]byte, len(s.buffer)+chunk)...)
	}
	read, err := s.source.Read(s.buffer[s.end:min(len(s.buffer), s.end+chunk)])
	s.end += read
	if read == 0 && err != io.EOF {
		s.broken = err
	}
	return read > 0
}

// failure is this one unless reading itself failed.
func (s *scanner) failure(err error) error {
	if s.broken != nil {
		return s.broken
	}
	return err
}

// next is the next character that is no white space, without taking it; 0 at the end.
func (s *scanner) next() byte {
	for s.at < s.end || s.more() {
		if c := s.buffer[s.at]; c != ' ' && c != '\t' && c != '\r' {
			return c
		}
		s.at++
	}
	return 0
}

// take skips white space and then this character, if it is there.
func (s *scanner) take(expected byte) bool {
	if s.next() != expected {
		return false
	}
	s.at++
	return true
}

var errEnd = errors.New("the input ended within a line")

// value is the text of the next value, whatever it is, until more is read.
func (s *scanner) value() ([]byte, error) {
	s.next()
	depth, quoted := 0, false
	for at := 0; ; at++ { // relative to s.at, which more moves
		for s.at+at >= s.end {
			if !s.more() {
				return nil, errEnd
			}
		}
		c := s.buffer[s.at+at]
		switch {
		case c == '\n':
			return nil, errors.New("the line ended within a value")
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case depth == 0 && (c == ']' || c == '}' || c == ',' || c == ':'):
			s.at += at
			return s.buffer[s.at-at : s.at], nil
		case c == ']' || c == '}':
			depth--
		}
	}
}

// list calls item for each item of a list.
func (s *scanner) list(item func() error) error {
	if !s.take('[') {
		return errors.New("no list")
	}
	if s.take(']') {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if !s.take(',') {
			break
		}
	}
	if !s.take(']') {
		return errors.New("a list without end")
	}
	return nil
}

func (s *scanner) integers(into *[]int) error {
	return s.list(func() error {
		if s.next()-'0' > 9 {
			return errors.New("no whole number")
		}
		number := 0
		for (s.at < s.end || s.more()) && s.buffer[s.at]-'0' <= 9 {
			number = number*10 + int(s.buffer[s.at]-'0')
			s.at++
		}
		*into = append(*into, number)
		return nil
	})
}

const blockKeys, blockBytes = 4096, 256 << 10

// arrive hands the question on, then its keys, block by block.
func (m *message) arrive(s *scanner, handOn func()) error {
	if m.ring == nil {
		m.ring = new([4]keys)
	}
	m.Arriving = make(chan *keys, 2)
	handOn()
	defer close(m.Arriving)
	at := 0
	// Two blocks wait at most and one is read, so that the fourth is free to be filled.
	next := func() *keys {
		at = (at + 1) % len(m.ring)
		m.ring[at] = keys{m.ring[at].bytes[:0], m.ring[at].ends[:0]}
		return &m.ring[at]
	}
	block := next()
	m.cut = s.keys(block, func() *keys {
		m.Arriving <- block
		block = next()
		return block
	})
	m.Arriving <- block
	return m.cut
}

// keys reads a list of them; full, if given, takes what is one block and answers where to go on.
func (s *scanner) keys(into *keys, full func() *keys) error {
	return s.list(func() error {
		if !s.take('"') {
			return errors.New("no key")
		}
		for {
			var used int
			into.bytes, used = appendHex(into.bytes, s.buffer[s.at:s.end])
			s.at += used
			if s.at < s.end && s.buffer[s.at] == '"' {
				s.at++
				into.ends = append(into.ends, len(into.bytes))
				if full != nil && (len(into.ends) == blockKeys || len(into.bytes) >= blockBytes) {
					into = full()
				}
				return nil
			}
			if s.end-s.at >= 2 {
				return errors.New("a key that is not hexadecimal")
			}
			if !s.more() {
				return errEnd
			}
		}
	})
}

// appendHex decodes as many pairs of hexadecimal digits as there are.
func appendHex(into, text []byte) ([]byte, int) {
	const ones = 0x0101010101010101
	at := 0
	// Eight digits at once. Of the characters in question, only digits (0x30 to 0x39) have bit 4
	// and only letters (0x61 to 0x66) bit 6; a quote (0x22), which ends the loop, has neither.
	for len(text)-at >= 8 {
		eight := binary.LittleEndian.Uint64(text[at:])
		if (eight>>4|eight>>6)&ones != ones {
			break
		}
		digits := eight&(0x0f*ones) + (eight>>6&ones)*9
		pairs := (digits<<4 | digits>>8) & 0x00ff00ff00ff00ff
		pairs = (pairs | pairs>>8) & 0x0000ffff0000ffff
		into = binary.LittleEndian.AppendUint32(into, uint32(pairs|pairs>>16))
		at += 8
	}
	for len(text)-at >= 2 {
		high, low := digit(text[at]), digit(text[at+1])
		if high > 15 || low > 15 {
			break
		}
		into = append(into, high<<4|low)
		at += 2
	}
	return into, at
}

func digit(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c-'a' < 6:
		return c - 'a' + 10
	}
	return 255
}
