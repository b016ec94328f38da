// Package testee holds Go partitioners behind the suite's protocol (docs/protocol.md).
//
// The libraries' partitioners have one thing in common: they are asked with a record and a number of
// partitions, and answer an index. Whether that is the number of all partitions or of those with a
// leader is decided by the library's own producer, and an adapter says how.
package testee

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// PlainBytes is the size of a record's value where the suite does not say one.
const PlainBytes = 100

// Record is what a partitioner sees of a record.
type Record struct {
	Key   []byte // nil: it has none
	Bytes int    // of the record without key in a batch; adapters make a value of it
}

// Named is a record that may name its partition, and the ids of its topic's partitions: all of them,
// and those with a leader.
type Named struct {
	Topic     string
	Partition *int32 // nil: it names none
	Key       []byte
	All, Led  []int32
}

// Refused marks the library's error for a partition that it does not accept.
func Refused(err error) error { return refused{err} }

type refused struct{ error }

// Chooser is one partitioner for one topic, fresh from its library.
type Chooser interface {
	// Choose asks for a record's partition as the library's producer does where all partitions
	// exist, led of which have a leader: an index among the latter if amongLed, else among all.
	Choose(record *Record, all, led int) (index int, amongLed bool, err error)
}

// Batcher is a Chooser that wants to know about new batches.
type Batcher interface {
	// NewBatch says that the last chosen partition's batch is closed.
	NewBatch()
}

// Loaded is a Chooser that looks at what is waiting to be sent.
type Loaded interface {
	// SetWaiting says how many records wait for each partition, by index.
	SetWaiting(waiting []int64)
}

// Support is how one behaviour is supported; the protocol's words.
type Support struct {
	Mode    string   `json:"mode"`
	Records bool     `json:"records,omitempty"`
	Claims  []string `json:"claims,omitempty"`
	Cannot  []string `json:"cannot,omitempty"`

	Operations []string `json:"operations,omitempty"`
}

// Testee is one partitioner of a library.
type Testee struct {
	Title      string
	Module     string // the library's Go module, to report the version that is linked
	Behaviours map[string]Support
	// New makes a topic's partitioner; batchSize is for those that have such a setting.
	New func(topic string, batchSize int) Chooser
	// Send hands a record to the library's producer and answers the partition that it goes to; or nil,
	// where explicit-partition is not supported.
	Send func(record *Named) (int32, error)
	// Batches are not nil for a testee that is asked about record batches, and about nothing else.
	Batches *Batches
}

// version of the library that this binary was really built with.
func (t *Testee) version() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, module := range info.Deps {
			if module.Path == t.Module {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}

func language() string {
	return "Go " + strings.TrimPrefix(runtime.Version(), "go")
}

// Statistical supports the behaviours, without claims.
func Statistical(behaviours map[string]Support, names ...string) map[string]Support {
	for _, name := range names {
		support := behaviours[name]
		support.Mode = "statistical"
		behaviours[name] = support
	}
	return behaviours
}

// ByName supports explicit-partition.
func ByName(behaviours map[string]Support, cannot []string) map[string]Support {
	behaviours["explicit-partition"] = Support{Mode: "exact", Cannot: cannot}
	return behaviours
}

// Exact supports one behaviour by cases and by records.
func Exact(claims, cannot []string) Support {
	return Support{Mode: "exact", Records: true, Claims: claims, Cannot: cannot}
}
