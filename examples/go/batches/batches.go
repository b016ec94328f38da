// Record batches of message format 2, written and read without compression, behind docs/protocol.md; Go 1.22 or newer,
// nothing else. In this folder: go build batches.go && kafka-conformance testee -- ./batches
// encode takes all records at once, and decode hands out what a consumer sees; the words in "cannot" say so.
// The bytes: docs/behaviours.md.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"strconv"
)

const hello = `{"type": "hello", "protocol": 1, "name": "example of batches", "version": "1", "language": "Go", "behaviours": {
	"record-sizes": {"mode": "exact", "cannot": ["null headers", "lone surrogates"]},
	"record-batch": {"mode": "exact", "operations": ["append", "append at", "build"], "cannot": ["open batches",
		"control batches", "null headers", "lone surrogates", "gzip", "snappy", "lz4", "zstd"]},
	"batch-reading": {"mode": "exact", "operations": ["records"], "cannot": ["odd batches", "gzip", "snappy", "lz4", "zstd"]}}}`

const (
	start         = 21 // base offset 8, length 4, leader's epoch 4, magic 1, CRC 4: the CRC is of the rest
	header        = 61
	countedFrom   = 12 // by the length
	leastLength   = 14
	logAppendTime = 0x08
	transactional = 0x10
	control       = 0x20
)

type bytesOrNull struct{ Hex string }

func (b *bytesOrNull) data() []byte {
	if b == nil {
		return nil
	}
	data, _ := hex.DecodeString(b.Hex)
	return data
}

func hexed(data []byte) any {
	if data == nil {
		return nil
	}
	return bytesAnswer{hex.EncodeToString(data)}
}

type bytesAnswer struct {
	Hex string `json:"hex"`
}

func int64Of(number int64) any { // text: a number of JSON need not hold 64 bits
	return map[string]string{"int64": strconv.FormatInt(number, 10)}
}

type headerOf struct {
	name string
	data *bytesOrNull
}

func (h *headerOf) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&h.name, &h.data})
}

type record struct {
	Key, Value *bytesOrNull
	Headers    []headerOf
}
type step struct {
	Op             string
	Data           bytesOrNull
	Number         int32
	Long           int64 `json:",string"`
	Sequence, By   int32
	OffsetDelta    int32 `json:"offset_delta"`
	TimestampDelta int64 `json:"timestamp_delta,string"`
	Times          *int
	Timestamp      int64  `json:",string"`
	Offset         *int64 `json:",string"`
	record
}
type config struct {
	BaseOffset    int64  `json:"base_offset,string"`
	LogAppendTime *int64 `json:"log_append_time,string"`
	LeaderEpoch   int32  `json:"leader_epoch"` // null stays 0, which is not compared
	ProducerID    int64  `json:"producer_id,string"`
	Epoch         int16
	Sequence      int32
	Transactional bool
}
type testCase struct {
	Config config
	Steps  []step
}

// Zig-zag, then 7 bits in a byte, the lowest first: what encoding/binary does.
func varint(out []byte, number int64) []byte { return binary.AppendVarint(out, number) }

func sized(out, data []byte, isNull bool) []byte {
	if isNull {
		return varint(out, -1)
	}
	return append(varint(out, int64(len(data))), data...)
}

func (r *record) appendTo(out []byte) []byte {
	out = sized(out, r.Key.data(), r.Key == nil)
	out = sized(out, r.Value.data(), r.Value == nil)
	out = varint(out, int64(len(r.Headers)))
	for _, h := range r.Headers {
		out = sized(sized(out, []byte(h.name), false), h.data.data(), h.data == nil)
	}
	return out
}

// Deltas are from the first record of the batch, not from the one before.
func (r *record) encode(offsetDelta int32, timeDelta int64) []byte {
	body := r.appendTo(varint(varint([]byte{0}, timeDelta), int64(offsetDelta)))
	return append(varint(nil, int64(len(body))), body...)
}

func encode(c config, appends []step) []byte {
	batch, following, count := make([]byte, header), c.BaseOffset, 0
	first, last := appends[0].Timestamp, appends[0].Timestamp
	for _, s := range appends {
		if s.Offset != nil {
			following = *s.Offset
		}
		times := 1
		if s.Times != nil {
			times = *s.Times
		}
		for ; times > 0; times-- {
			batch = append(batch, s.encode(int32(following-c.BaseOffset), s.Timestamp-first)...)
			last, following, count = max(last, s.Timestamp), following+1, count+1
		}
	}
	var attributes uint16
	if c.LogAppendTime != nil {
		attributes, last = logAppendTime, *c.LogAppendTime
	}
	if c.Transactional {
		attributes |= transactional
	}
	big := binary.BigEndian
	big.PutUint64(batch, uint64(c.BaseOffset))
	big.PutUint32(batch[8:], uint32(len(batch)-countedFrom))
	big.PutUint32(batch[12:], uint32(c.LeaderEpoch))
	batch[16] = 2
	big.PutUint16(batch[21:], attributes)
	big.PutUint32(batch[23:], uint32(following-1-c.BaseOffset))
	big.PutUint64(batch[27:], uint64(first))
	big.PutUint64(batch[35:], uint64(last))
	big.PutUint64(batch[43:], uint64(c.ProducerID))
	big.PutUint16(batch[51:], uint16(c.Epoch))
	big.PutUint32(batch[53:], uint32(c.Sequence))
	big.PutUint32(batch[57:], uint32(count))
	big.PutUint32(batch[17:], checksum(batch))
	return batch
}

func checksum(batch []byte) uint32 { // CRC-32C, not gzip's CRC-32
	return crc32.Checksum(batch[start:], crc32.MakeTable(crc32.Castagnoli))
}

var errCorrupt = errors.New("corrupt")

type reader struct{ data []byte }

func (r *reader) take(size int64) []byte {
	if size < 0 || size > int64(len(r.data)) {
		panic(errCorrupt)
	}
	taken := r.data[:size:size]
	r.data = r.data[size:]
	return taken
}

func (r *reader) varlong(bits int) int64 { // encoding/binary's refuses bits beyond 64, which Java drops
	var number uint64
	for shift := 0; shift < bits; shift += 7 {
		b := r.take(1)[0]
		number |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if bits == 32 {
				number &= 0xffffffff
			}
			return int64(number>>1) ^ -int64(number&1)
		}
	}
	panic(errCorrupt)
}
func (r *reader) varint() int64 { return r.varlong(32) }

func (r *reader) sized() []byte { // nil for null
	if size := r.varint(); size >= 0 {
		return append([]byte{}, r.take(size)...)
	}
	return nil
}

func (r *reader) headers() []any {
	count := r.varint()
	if count < 0 || count > int64(len(r.data)) {
		panic(errCorrupt)
	}
	headers := []any{}
	for ; count > 0; count-- {
		name := r.sized()
		if name == nil {
			panic(errCorrupt)
		}
		headers = append(headers, []any{string(name), hexed(r.sized())})
	}
	return headers
}

func recordsOf(batch []byte) (rows []any) {
	big := binary.BigEndian
	if len(batch) < header || checksum(batch) != big.Uint32(batch[17:]) {
		panic(errCorrupt)
	}
	attributes, count := big.Uint16(batch[21:]), int32(big.Uint32(batch[57:]))
	if attributes&7 != 0 || count < 0 { // this example reads no compressed batches
		panic(errCorrupt)
	}
	r := reader{batch[header:]}
	for number := int32(0); number < count; number++ {
		body := reader{r.take(r.varint())}
		body.take(1) // attributes, of which none is in use
		time := int64(big.Uint64(batch[27:])) + body.varlong(64)
		offset := int64(big.Uint64(batch)) + body.varint()
		if attributes&logAppendTime != 0 {
			time = int64(big.Uint64(batch[35:]))
		}
		rows = append(rows, []any{int64Of(offset), int64Of(time), hexed(body.sized()), hexed(body.sized()), body.headers()})
		if len(body.data) > 0 {
			panic(errCorrupt)
		}
	}
	if count > 0 && len(r.data) > 0 {
		panic(errCorrupt)
	}
	if attributes&control != 0 {
		return nil
	}
	return rows
}

func decode(data []byte) (rows []any) {
	rows = []any{}
	defer func() { // a consumer hands out what it has read before
		if problem := recover(); problem == errCorrupt {
			rows = append(rows, "refused")
		} else if problem != nil {
			panic(problem)
		}
	}()
	for len(data) >= countedFrom { // what is cut off is no batch
		length := int64(int32(binary.BigEndian.Uint32(data[8:])))
		if length < leastLength {
			panic(errCorrupt)
		}
		if len(data) <= 16 {
			break
		}
		if data[16] > 2 || countedFrom+length > 1<<31-1 {
			panic(errCorrupt)
		}
		if countedFrom+length > int64(len(data)) {
			break
		}
		if data[16] < 2 { // a message of an older format
			panic(errCorrupt)
		}
		rows = append(rows, recordsOf(data[:countedFrom+length])...)
		data = data[countedFrom+length:]
	}
	return rows
}

func perform(s step) any {
	asAnswer := func(data []byte) any { return []any{len(data), hexed(data)} }
	switch s.Op {
	case "records":
		return decode(s.Data.data())
	case "varint":
		return asAnswer(varint(nil, int64(s.Number)))
	case "varlong":
		return asAnswer(varint(nil, s.Long))
	case "sequence": // 0 follows 2^31 - 1
		return []int32{(s.Sequence + s.By) & 0x7fffffff, (s.Sequence - s.By) & 0x7fffffff}
	case "record size":
		return len(s.encode(s.OffsetDelta, s.TimestampDelta))
	default: // upper bound: its own numbers have 21 bytes at most
		return len(s.appendTo(make([]byte, header+21)))
	}
}

func trace(behaviour string, c testCase) (answers []any) {
	for i, s := range c.Steps {
		if behaviour != "record-batch" {
			answers = append(answers, perform(s))
		} else if s.Op == "build" { // the last
			answers = append(answers, hexed(encode(c.Config, c.Steps[:i])))
		} else {
			answers = append(answers, nil)
		}
	}
	return answers
}

func main() {
	type question struct {
		Type, Behaviour string
		ID              int
		Cases           []testCase
	}
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for q := (question{}); input.Decode(&q) == nil; q = (question{}) {
		if q.Type == "hello" {
			output.Encode(json.RawMessage(hello))
			continue
		}
		traces := [][]any{}
		for _, c := range q.Cases {
			traces = append(traces, trace(q.Behaviour, c))
		}
		output.Encode(map[string]any{"type": "traces", "id": q.ID, "traces": traces})
	}
}
