package testee

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand"
	"strings"
	"testing"
	"testing/iotest"
)

// lengths answers each key's length: enough to see that keys arrive whole and in order.
type lengths struct{}

func (lengths) Choose(record *Record, _, _ int) (int, bool, error) {
	sum := len(record.Key)
	for i, b := range record.Key {
		sum += i * int(b)
	}
	return sum, false, nil
}

var lengthsTestee = Testee{New: func(string, int) Chooser { return lengths{} }}

// question has keys of all lengths around multiples of four, and enough of them for some blocks.
func question(t *testing.T, count int) (keys []string, members []string) {
	t.Helper()
	random := rand.New(rand.NewSource(1))
	for range count {
		key := make([]byte, random.Intn(40))
		random.Read(key)
		keys = append(keys, hex.EncodeToString(key))
	}
	text, _ := json.Marshal(keys)
	return keys, []string{
		`"type": "records"`, `"id": 7`, `"behaviour": "keyed"`, `"partitions": [[0, 1], [1, null]]`,
		`"unknown": {"a": ["]", "\"", -1.5e3, null]}`, `"keys": ` + string(text),
	}
}

func answersOf(t *testing.T, reader io.Reader) [][]int {
	t.Helper()
	var output bytes.Buffer
	if err := lengthsTestee.Serve(reader, &output); err != nil {
		t.Fatal(err)
	}
	var all [][]int
	for decoder := json.NewDecoder(&output); decoder.More(); {
		var answer struct{ Partitions []int }
		if err := decoder.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		all = append(all, answer.Partitions)
	}
	return all
}

func TestKeysArriveInAnyOrderOfMembersAndAnyPieces(t *testing.T) {
	keys, members := question(t, 3*blockKeys+17)
	first := "{" + strings.Join(members, ", ") + "}\n" // the keys last: they are handed on early
	members[0], members[5] = members[5], members[0]
	second := " {" + strings.Join(members, " ,") + " } \r\n" // the keys first
	input := strings.Repeat(first+second, 2)
	for name, reader := range map[string]io.Reader{
		"at once":      strings.NewReader(input),
		"byte by byte": iotest.OneByteReader(strings.NewReader(input)),
		"by halves":    iotest.HalfReader(strings.NewReader(input)),
	} {
		answers := answersOf(t, reader)
		if len(answers) != 4 {
			t.Fatalf("%s: %d answers", name, len(answers))
		}
		for _, answer := range answers {
			for i, key := range keys {
				bytes, _ := hex.DecodeString(key)
				want, _, _ := lengths{}.Choose(&Record{Key: bytes}, 0, 0)
				if answer[i] != want {
					t.Fatalf("%s: key %d, %s: %d, not %d", name, i, key, answer[i], want)
				}
			}
		}
	}
}

func TestWhatIsBrokenIsNotAnswered(t *testing.T) {
	_, members := question(t, 10)
	whole := "{" + strings.Join(members, ",") + "}\n"
	for cut := 1; cut < len(whole); cut++ {
		var output bytes.Buffer
		err := lengthsTestee.Serve(strings.NewReader(whole[:cut]), &output)
		if err == nil {
			t.Fatalf("no error for %q", whole[:cut])
		}
		// Once all keys are there the answer is due; what is missing is only the end of the line.
		if output.Len() > 0 && cut < len(whole)-2 {
			t.Fatalf("an answer to %q", whole[:cut])
		}
	}
	for _, bad := range []string{
		"[]\n", "{\"type\"}\n", "{} {}\n", "{\"keys\": [\"0g\"]}\n", "{\"keys\": [\"012\"]}\n",
	} {
		if err := lengthsTestee.Serve(strings.NewReader(bad), io.Discard); err == nil {
			t.Fatalf("no error for %q", bad)
		}
	}
}
