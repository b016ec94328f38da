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
	readingMemory = 8 << 30 // addresses, most of which are never touched
)

// guard reads batches in a child process: damage can make a library count for hours or ask for more
// memory than there is, which ends a Go program, and nothing else could end that.
type guard struct {
	child *exec.Cmd
	bytes io.Writer
	rows  chan []byte // closed when the child has ended
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
		case rows, ok := <-g.rows:
			if ok {
				return json.RawMessage(rows)
			}
		case <-time.After(readingTime):
			why = fmt.Sprintf("no answer in %v", readingTime)
		}
	}
	g.stop()
	return failure{"other", why}
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
	rows := make(chan []byte, 1)
	go func() {
		defer close(rows)
		lines := bufio.NewReader(answers)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			rows <- line
		}
	}()
	g.child, g.bytes, g.rows = child, bytes, rows
	return nil
}

func (g *guard) stop() {
	_ = g.child.Process.Kill() // it may have ended
	for range g.rows {
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
		if err := answers.Encode(b.records(data)); err != nil {
			return err
		}
		// So that no case finds less memory for what another left behind. A pool lets go of it in the
		// second collection.
		runtime.GC()
		runtime.GC()
	}
}
