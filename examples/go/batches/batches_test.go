// Hold the example's functions against the test vectors: files alone, no suite, no Java. In this folder:
// go test batches.go batches_test.go      (VECTORS=FOLDER names other files than ../../../vectors)
// The files: docs/vectors.md.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const format = "kafka-conformance vectors 1"

type vectors struct {
	Format string
	Notes  map[string]struct{ Bug string }
	Cases  []json.RawMessage
}
type vector struct {
	testCase // what the testee is asked, too
	ID       string
	Comment  string
	Flags    []string
	Config   struct { // as well, for what the example does not look at
		Codec   string
		Control bool
		config
	}
	Steps []struct {
		Codec, Op string
		Odd       bool
		Headers   json.RawMessage
	}
	Answers []struct {
		Clients []string
		Trace   []struct{ Answer any }
	}
}

// The example is written to read, and not to do everything: see its hello.
func canBeAsked(behaviour string, v vector) bool {
	last := len(v.Steps) - 1
	for i, s := range v.Steps {
		switch {
		case behaviour == "batch-reading" && (s.Op != "records" || s.Codec != "none" || s.Odd):
			return false
		case behaviour == "record-batch" && (s.Op == "build") != (i == last):
			return false
		case behaviour == "record-batch" && i < last && s.Op != "append" && s.Op != "append at":
			return false
		case string(s.Headers) == "null":
			return false
		}
	}
	for _, answer := range v.Answers {
		for _, java := range answer.Trace {
			if object, ok := java.Answer.(map[string]any); ok && object["error"] != nil {
				return false // it is handed records that are right
			}
		}
	}
	return behaviour != "record-batch" || last > 0 && v.Config.Codec == "none"
}

func TestVectors(t *testing.T) {
	folder := os.Getenv("VECTORS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "vectors")
	}
	compared := 0
	for _, behaviour := range []string{"record-sizes", "record-batch", "batch-reading"} {
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
		for _, one := range file.Cases {
			var v vector
			var c testCase
			if err := json.Unmarshal(one, &v); err != nil {
				t.Fatalf("%s.json is no file of vectors: %v", behaviour, err)
			}
			if !canBeAsked(behaviour, v) {
				continue
			}
			if err := json.Unmarshal(one, &c); err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
			var mine []any
			told, _ := json.Marshal(trace(behaviour, c))
			json.Unmarshal(told, &mine)
			for _, answer := range v.Answers {
				compared += len(answer.Clients)
				for step, java := range answer.Trace {
					if step < len(mine) && reflect.DeepEqual(mine[step], java.Answer) {
						continue
					}
					t.Errorf("%s: %s\n  step %d: of %v, Java %v", v.ID, v.Comment, step, mine, java.Answer)
					for _, flag := range v.Flags {
						t.Logf("%s: %s", flag, file.Notes[flag].Bug)
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
