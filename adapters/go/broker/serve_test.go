package broker

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// asking is a testee's side of a program.
type asking struct {
	*testing.T
	questions *io.PipeWriter
	answers   *bufio.Reader
	ended     chan error
}

func begin(t *testing.T) (*asking, string) {
	input, questions := io.Pipe()
	answers, output := io.Pipe()
	a := &asking{t, questions, bufio.NewReader(answers), make(chan error, 1)}
	go func() {
		a.ended <- Serve(input, output)
		_ = output.Close()
	}()
	return a, a.next()["address"].(string)
}

func (a *asking) next() map[string]any {
	line, err := a.answers.ReadBytes('\n')
	if err != nil {
		a.Fatal(err)
	}
	var told map[string]any
	if err := json.Unmarshal(line, &told); err != nil {
		a.Fatal(err)
	}
	return told
}

func (a *asking) ask(question string) map[string]any {
	if _, err := io.WriteString(a.questions, question+"\n"); err != nil {
		a.Fatal(err)
	}
	return a.next()
}

func (a *asking) end() {
	_ = a.questions.Close()
	select {
	case err := <-a.ended:
		if err != nil {
			a.Error(err)
		}
	case <-time.After(10 * time.Second):
		a.Error("it does not end with its input")
	}
}

func client(t *testing.T, address string) *kgo.Client {
	client, err := kgo.NewClient(kgo.SeedBrokers(address), kgo.DisableIdempotentWrite())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func fetch(t *testing.T, client *kgo.Client) []byte {
	request := kmsg.NewPtrFetchRequest()
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.Partitions = "t", []kmsg.FetchRequestTopicPartition{kmsg.NewFetchRequestTopicPartition()}
	request.Topics = []kmsg.FetchRequestTopic{topic}
	response, err := request.RequestWith(t.Context(), client.Broker(0))
	if err != nil {
		t.Fatal(err)
	}
	return response.Topics[0].Partitions[0].RecordBatches
}

func TestEveryVersionThatIsOfferedIsOne(t *testing.T) {
	a, address := begin(t)
	defer a.end()
	response, err := kmsg.NewPtrApiVersionsRequest().RequestWith(t.Context(), client(t, address))
	if err != nil {
		t.Fatal(err)
	}
	if len(response.ApiKeys) != 6 {
		t.Error(response.ApiKeys)
	}
	for _, one := range response.ApiKeys {
		if one.MinVersion > one.MaxVersion {
			t.Error(one)
		}
	}
}

func TestTopicsAreAsTold(t *testing.T) {
	a, address := begin(t)
	defer a.end()
	a.ask(`{"op": "topics", "topics": {"t": [[0, 0], [2, null]]}}`)
	request := kmsg.NewPtrMetadataRequest()
	for _, name := range []string{"t", "other"} {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		request.Topics = append(request.Topics, topic)
	}
	response, err := request.RequestWith(t.Context(), client(t, address))
	if err != nil {
		t.Fatal(err)
	}
	led, leaderless := response.Topics[0].Partitions[0], response.Topics[0].Partitions[1]
	if led.ErrorCode != 0 || led.Leader != 0 || led.Partition != 0 {
		t.Error(led)
	}
	if leaderless.ErrorCode != kerr.LeaderNotAvailable.Code || leaderless.Leader != -1 || leaderless.Partition != 2 {
		t.Error(leaderless)
	}
	if response.Topics[1].ErrorCode != kerr.UnknownTopicOrPartition.Code {
		t.Error(response.Topics[1])
	}
}

func TestWhatIsProducedIsHandedOverOnce(t *testing.T) {
	a, address := begin(t)
	defer a.end()
	a.ask(`{"op": "topics", "topics": {"t": [[0, 0]]}}`)
	client := client(t, address)
	record := &kgo.Record{Topic: "t", Value: []byte("v")}
	if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if batches := a.ask(`{"op": "produced"}`)["batches"].([]any); len(batches) != 1 || len(batches[0].(string)) < 122 {
		t.Error(batches)
	}
	if batches := a.ask(`{"op": "produced"}`)["batches"].([]any); len(batches) != 0 {
		t.Error(batches)
	}
}

func TestAnyBytesAreFetchedOnceOrAsLongAsTheyAreHeld(t *testing.T) {
	a, address := begin(t)
	defer a.end()
	client := client(t, address)
	a.ask(`{"op": "hold", "data": "00"}`)
	for range 2 {
		if data := fetch(t, client); len(data) != 1 || data[0] != 0 {
			t.Error(data)
		}
	}
	a.ask(`{"op": "hand out", "data": "ff"}`)
	if data := fetch(t, client); len(data) != 1 || data[0] != 0xff {
		t.Error(data)
	}
	go func() { // it gets no answer
		request := kmsg.NewPtrFetchRequest()
		_, _ = request.RequestWith(t.Context(), client.Broker(0))
	}()
	if told := a.ask(`{"op": "wait until read"}`); len(told) != 0 {
		t.Error(told)
	}
}

func TestItEndsWithItsInputAlsoWhileItWaits(t *testing.T) {
	a, _ := begin(t)
	if _, err := io.WriteString(a.questions, `{"op": "wait until read"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = a.answers.ReadBytes('\n') }()
	a.end()
}

func TestAMistakeIsTold(t *testing.T) {
	a, _ := begin(t)
	defer a.end()
	for _, line := range []string{"", "[]", `{"op": "x"}`, `{"op": "hold", "data": "0"}`, `{"op": "topics", "topics": {"t": [[null, 0]]}}`} {
		if told := a.ask(line); told["error"] == nil {
			t.Errorf("%s: %v", line, told)
		}
	}
}
