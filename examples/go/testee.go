// Keyed and round-robin of docs/behaviours.md, behind docs/protocol.md; Go 1.22 or newer, nothing else.
// In this folder: go build testee.go && kafka-conformance testee -- ./testee
package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
)

// "operations" and "cannot" say what this one leaves out; the encoder below makes one line of it.
const hello = `{"type": "hello", "protocol": 1, "name": "example", "version": "1", "language": "Go", "behaviours": {
	"keyed": {"mode": "exact", "records": true, "claims": ["3.8.0"], "operations": ["partition"]}, "round-robin": {
	"mode": "exact", "records": true, "claims": ["3.8.0"], "cannot": ["null metadata", "null topics", "set counters"]}}}`

type snapshot [][2]json.RawMessage // null, or a list of [topic, partitions]
type testCase struct {
	Metadata []snapshot
	Steps    []struct {
		Op       string
		Topic    json.RawMessage // as JSON, to be compared with those of the metadata
		Key      struct{ Hex string }
		Metadata int
	}
}
type question struct {
	Type, Behaviour string
	ID, Count       int
	Keys            []string
	Partitions      [][2]*int32 // id and leader; nil is null
	Cases           []testCase
}

func murmur2(digits string) int32 { // uint32 wraps, and shifts like Java's >>>
	const m = 0x5bd1e995
	key, _ := hex.DecodeString(digits)
	h := 0x9747b28c ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := (uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24) * m
		h = h*m ^ (k^k>>24)*m
	}
	for i, b := range key { // up to three bytes are left
		h ^= uint32(b) << (8 * i)
	}
	h *= [...]uint32{1, m, m, m}[len(key)] // if there were any
	h = (h ^ h>>13) * m
	return int32(h ^ h>>15)
}
func index(number int32, count int) any { // toPositive(number) % count
	if count == 0 {
		return map[string]any{"error": "arithmetic"}
	}
	return (number & 0x7fffffff) % int32(count) // Go's remainder has the sign that Java's has
}
func inTurn(counter int32, partitions [][2]*int32) any {
	var available []any // the ids of those with a leader
	for _, p := range partitions {
		if p[1] != nil {
			available = append(available, *p[0])
		}
	}
	if len(available) == 0 {
		return index(counter, len(partitions)) // among all of them, and not looked up
	}
	return available[index(counter, len(available)).(int32)]
}
func trace(behaviour string, c testCase) []any { // each case has counters of its own
	answers, counters := []any{}, map[string]int32{}
	for _, s := range c.Steps {
		topic, partitions := string(s.Topic), [][2]*int32{}
		for _, entry := range c.Metadata[s.Metadata] { // unknown topics have no partitions
			if string(entry[0]) == topic {
				json.Unmarshal(entry[1], &partitions)
			}
		}
		if c.Metadata[s.Metadata] == nil {
			answers = append(answers, map[string]any{"error": "null"})
		} else if behaviour == "keyed" {
			answers = append(answers, index(murmur2(s.Key.Hex), len(partitions)))
		} else {
			answers = append(answers, inTurn(counters[topic], partitions))
			counters[topic]++ // wraps at 2^31
		}
	}
	return answers
}
func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for q, answers := (question{}), []any{}; input.Decode(&q) == nil; q, answers = (question{}), []any{} {
		for _, c := range q.Cases {
			answers = append(answers, trace(q.Behaviour, c))
		}
		for _, key := range q.Keys { // records of keyed
			answers = append(answers, index(murmur2(key), len(q.Partitions)))
		}
		for i := range q.Count { // records of round-robin
			answers = append(answers, inTurn(int32(i), q.Partitions))
		}
		if q.Type == "hello" {
			output.Encode(json.RawMessage(hello))
		} else { // what the answer is called, and so is its list
			name := map[string]string{"cases": "traces", "records": "partitions"}[q.Type]
			output.Encode(map[string]any{"type": name, "id": q.ID, name: answers})
		}
	}
}
