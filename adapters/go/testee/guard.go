package testee

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

const (
	childIs       = "TESTEE_READS_BATCHES" // of the environment: this process is a child
	readingTime   = 5 * time.Second
	readingMemory = 1 << 30   // half of what the suite allows a testee
	plainMemory   = 256 << 20 // far more than any undamaged case takes
)

// guard reads batches in a child process: damage can make a library count for hours or ask for more
// memory than there is, which ends a Go program, and nothing else could end that.
type guard struct {
	child *exec.Cmd
	bytes io.Writer
	lines chan []byte // of answers; closed when the child has ended
}

// readBatches is a child's answer.
type readBatches struct {
	Rows any
	// Last: this child has taken much memory, and answers no more, so that no case finds less of it.
	Last bool
}

func isChild() bool { return os.Getenv(childIs) != "" }

// read answers what the child reads, or that it came to no answer.
func (g *guard) read(data []byte) any {
	if g.child == nil {
		if err := g.start(); err != nil {
			return failure{"other", err.Error()}
		}
	}
	why := "the process that reads has ended"
	if _, err := fmt.Fprintf(g.bytes, "%x\n", data); err == nil {
		select {
		case line, ok := <-g.lines:
			if ok {
				return g.rows(line)
			}
		case <-time.After(readingTime):
			why = fmt.Sprintf("no answer in %v", readingTime)
		}
	}
	g.stop()
	return failure{"other", why}
}

func (g *guard) rows(line []byte) any {
	var rows json.RawMessage
	read := readBatches{Rows: &rows}
	if err := json.Unmarshal(line, &read); err != nil {
		return failure{"other", err.Error()}
	}
	if read.Last {
		g.stop()
	}
	return rows
}

func (g *guard) start() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, os.Args[1:]...)
	child.Env = append(os.Environ(), childIs+"=1")
	child.Stderr = os.Stderr
	bytes, err := child.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	lines := make(chan []byte, 1)
	go func() {
		defer close(lines)
		reader := bufio.NewReader(answers)
		for {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	g.child, g.bytes, g.lines = child, bytes, lines
	return nil
}

func (g *guard) stop() {
	_ = g.child.Process.Kill() // it may have ended
	for range g.lines {
	}
	_ = g.child.Wait()
	g.child = nil
}

// serveBytes is what the child does until its input ends: a line of rows for each line of bytes.
func (b *Batches) serveBytes(input io.Reader, output io.Writer) error {
	if err := limitMemory(readingMemory); err != nil {
		return err
	}
	lines, answers := bufio.NewReader(input), json.NewEncoder(output)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := hex.DecodeString(string(line[:len(line)-1]))
		if err != nil {
			return err
		}
		read := readBatches{Rows: b.records(data)}
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		read.Last = memory.HeapSys > plainMemory
		if err := answers.Encode(read); err != nil || read.Last {
			return err
		}
	}
}
