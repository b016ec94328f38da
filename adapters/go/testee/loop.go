package testee

import (
	"encoding/json"
	"fmt"
	"io"
)

// Serve answers the suite until its input ends. One goroutine reads and decodes while another is
// asking the partitioner.
func (t *Testee) Serve(input io.Reader, output io.Writer) error {
	if t.Batches != nil && isChild() {
		return t.Batches.serveBytes(input, output)
	}
	questions, free := make(chan *message), make(chan *message, 2)
	free <- new(message)
	free <- new(message)
	var broken error
	go func() {
		defer close(questions)
		s := scanner{source: input}
		for question := range free {
			handedOn := false
			handOn := func() {
				handedOn = true
				questions <- question
			}
			if broken = question.read(&s, handOn); broken != nil {
				return
			}
			if !handedOn {
				questions <- question
			}
		}
	}()
	var answer []byte
	for question := range questions {
		var err error
		if answer, err = t.answer(answer[:0], question); err != nil {
			return err
		}
		if question.cut != nil {
			return question.cut
		}
		if _, err := output.Write(append(answer, '\n')); err != nil {
			return err
		}
		free <- question
	}
	if broken == io.EOF {
		return nil
	}
	return broken
}

func (t *Testee) answer(into []byte, question *message) ([]byte, error) {
	switch question.Type {
	case "hello":
		return json.Marshal(t.hello())
	case "cases":
		return t.cases(question)
	case "records":
		return t.records(into, question)
	}
	return nil, fmt.Errorf("a message of type %q", question.Type)
}

func (t *Testee) hello() any {
	return struct {
		Type       string             `json:"type"`
		Protocol   int                `json:"protocol"`
		Name       string             `json:"name"`
		Version    string             `json:"version"`
		Language   string             `json:"language"`
		Behaviours map[string]Support `json:"behaviours"`
	}{"hello", 1, t.Title, t.version(), language(), t.Behaviours}
}
