// A testee to start from: it answers keyed, and "not yet" to whatever else is asked. Go 1.18 or newer.
// Build: go build testee.go
// Run:   kafka-conformance testee -- ./testee
// What is asked, and how to go on: docs/write-a-testee.md. Every rule: docs/protocol.md.
package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
)

// partitionForKey is where your code goes: replace the body by a call of your own partitioner.
func partitionForKey(key []byte, partitions int) int {
	return int(murmur2(key)&0x7fffffff) % partitions
}

// murmur2 is Java's hash. Delete it when your own code is called.
func murmur2(key []byte) uint32 {
	const m = 0x5bd1e995
	h := 0x9747b28c ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := (uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24) * m
		h = h*m ^ (k^k>>24)*m
	}
	for i, b := range key {
		h ^= uint32(b) << (8 * i)
	}
	if len(key) > 0 {
		h *= m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}

// What you support: docs/protocol.md has all behaviours, and the words of "cannot".
var hello = map[string]any{
	"type": "hello", "protocol": 1, "name": "my partitioner", "version": "0.1", "language": "Go",
	"behaviours": map[string]any{"keyed": map[string]any{
		"mode": "exact", "claims": []string{"3.8.0"}, "operations": []string{"partition"},
		"cannot": []string{"null metadata", "unknown topics", "null topics"}}},
}
var notYet = map[string]any{"could not try": "not yet"}

type testCase struct {
	Metadata [][][2]any // snapshots; each a list of [topic, [[id, leader], ...]]
	Steps    []struct {
		Op       string
		Topic    string
		Key      struct{ Hex string }
		Metadata int // the number of the snapshot that this step sees
	}
}

// trace answers one case, a value for each step. Each case starts afresh: keep no state across.
func trace(behaviour string, c testCase) any {
	answers := []any{}
	for _, step := range c.Steps {
		if behaviour != "keyed" || step.Op != "partition" {
			return notYet
		}
		count := 0
		for _, entry := range c.Metadata[step.Metadata] {
			if entry[0] == step.Topic {
				count = len(entry[1].([]any))
			}
		}
		key, _ := hex.DecodeString(step.Key.Hex)
		answers = append(answers, partitionForKey(key, count))
	}
	return answers
}

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var question struct {
			Type, Behaviour string
			ID              int
			Cases           []testCase
		}
		if input.Decode(&question) != nil {
			return // the end of the input: exit with code 0
		}
		switch question.Type {
		case "hello":
			output.Encode(hello)
		case "cases":
			traces := []any{}
			for _, c := range question.Cases {
				traces = append(traces, trace(question.Behaviour, c))
			}
			output.Encode(map[string]any{"type": "traces", "id": question.ID, "traces": traces})
		default:
			output.Encode(map[string]any{"type": "partitions", "id": question.ID, "could not try": "not yet"})
		}
	}
}
