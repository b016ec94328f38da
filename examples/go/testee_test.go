// Hold the example's functions against the test vectors: files alone, no suite, no Java. In this folder:
// go test testee.go testee_test.go      (VECTORS=FOLDER names other files than ../../vectors)
// The files: docs/vectors.md.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const format = "kafka-conformance vectors 1"

type vectors struct {
	Format string
	Notes  map[string]struct {
		Bug    string
		SeenIn []string
	}
	Cases []struct {
		testCase // what the testee is asked, too
		ID       string
		Comment  string
		Flags    []string
		Config   struct{ Counters map[string]int32 }
		Answers  []struct {
			Clients []string
			Trace   []struct{ Answer any }
		}
	}
}

// The example is like 3.8.0, and cannot be asked everything: see its hello.
func canBeAsked(c testCase, counters map[string]int32) bool {
	for _, s := range c.Steps {
		if s.Op != "partition" || string(s.Topic) == "null" {
			return false
		}
	}
	return counters == nil && !slices.ContainsFunc(c.Metadata, func(m snapshot) bool { return m == nil })
}

func TestVectors(t *testing.T) {
	folder := os.Getenv("VECTORS")
	if folder == "" {
		folder = filepath.Join("..", "..", "vectors")
	}
	compared := 0
	for _, behaviour := range []string{"keyed", "round-robin"} {
		text, err := os.ReadFile(filepath.Join(folder, behaviour+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var file vectors
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s.json is no file of vectors: %v", behaviour, err)
		}
		if file.Format != format {
			t.Fatalf("%s.json is %q; this test reads %q", behaviour, file.Format, format)
		}
		for _, c := range file.Cases {
			for _, answer := range c.Answers {
				if !slices.Contains(answer.Clients, "3.8.0") || !canBeAsked(c.testCase, c.Config.Counters) {
					continue
				}
				compared++
				mine := trace(behaviour, c.testCase)
				for step, expected := range answer.Trace { // as JSON: an error is compared by its kind
					given, _ := json.Marshal(mine[step])
					java, _ := json.Marshal(expected.Answer)
					if string(given) == string(java) {
						continue
					}
					t.Errorf("%s: %s\n  step %d: %s, Java %s", c.ID, c.Comment, step, given, java)
					for _, flag := range c.Flags {
						t.Logf("%s: %s Seen in: %v", flag, file.Notes[flag].Bug, file.Notes[flag].SeenIn)
					}
					break
				}
			}
		}
	}
	if compared == 0 {
		t.Fatal("nothing was compared")
	}
	t.Logf("%d answers compared", compared)
}
