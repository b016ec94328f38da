// Command testee holds the partitioners of Go's Kafka libraries behind the suite's protocol.
//
//	testee franz-go sticky-key                     answers the suite
//	testee --in-process 2 franz-go sticky-key      measures for 2 s, see testee.Measure
//	testee broker                                  is a broker for testees in other languages, see broker.Serve
//	testee                                         lists libraries and partitioners
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"kafka-conformance/adapters/go/broker"
	"kafka-conformance/adapters/go/franz"
	"kafka-conformance/adapters/go/kafkago"
	"kafka-conformance/adapters/go/sarama"
	"kafka-conformance/adapters/go/testee"
)

var libraries = map[string]map[string]*testee.Testee{
	"franz-go": franz.Testees,
	"kafka-go": kafkago.Testees,
	"sarama":   sarama.Testees,
}

func main() {
	inProcess := flag.Float64("in-process", 0, "measure the library's own `seconds`, no protocol")
	flag.Parse()
	chosen := libraries[flag.Arg(0)][flag.Arg(1)]
	run := func() error { return chosen.Serve(os.Stdin, os.Stdout) }
	switch {
	case flag.NArg() == 1 && flag.Arg(0) == "broker":
		run = func() error { return broker.Serve(os.Stdin, os.Stdout) }
	case chosen == nil || flag.NArg() != 2:
		usage()
		os.Exit(2)
	case *inProcess > 0:
		duration := time.Duration(*inProcess * float64(time.Second))
		run = func() error { return chosen.Measure(os.Stdin, os.Stdout, duration) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "testee:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: testee [--in-process SECONDS] LIBRARY PARTITIONER, or testee broker")
	for _, library := range slices.Sorted(maps.Keys(libraries)) {
		for _, name := range slices.Sorted(maps.Keys(libraries[library])) {
			fmt.Fprintf(os.Stderr, "  %s %s\n", library, name)
		}
	}
}
