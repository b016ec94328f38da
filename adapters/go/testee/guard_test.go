package testee

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"
)

var large []byte

// guarded reads a byte that says what becomes of it.
var guarded = Batches{Read: func(data []byte) ([]BatchRecord, error) {
	switch string(data) {
	case "e":
		return nil, errors.New("refused")
	case "p":
		panic("refused")
	case "x":
		os.Exit(3)
	case "m":
		large = make([]byte, 2*plainMemory)
	case "h":
		time.Sleep(time.Hour)
	}
	return []BatchRecord{{Key: data}}, nil
}}

func TestMain(m *testing.M) {
	if isChild() {
		if err := guarded.serveBytes(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestWhatEndsTheProcessOfAReaderEndsNothingElse(t *testing.T) {
	row := `[[{"int64":"0"},{"int64":"0"},{"hex":"6b"},null,[]]]`
	ended := `{"error":"other","message":"the process that reads has ended"}`
	late := `{"error":"other","message":"no answer in 5s"}`
	var g guard
	for _, each := range [][2]string{
		{"k", row}, {"e", `["refused"]`}, {"p", `["refused"]`}, {"x", ended}, {"k", row}, {"h", late}, {"k", row},
		{"m", `[[{"int64":"0"},{"int64":"0"},{"hex":"6d"},null,[]]]`}, {"k", row},
	} {
		answer, err := json.Marshal(g.read([]byte(each[0])))
		if err != nil || string(answer) != each[1] {
			t.Errorf("%s: %s, %v", each[0], answer, err)
		}
	}
	g.stop()
}
