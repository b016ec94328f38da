'use strict'

// Just enough of a Kafka broker for a producer to choose partitions against: it listens on the
// loopback interface, describes the topics that it was told of, and accepts whatever is produced.
// librdkafka's own mock cluster would be nicer, but from its configuration (test.mock.num.brokers)
// every topic of it has exactly four partitions, all with a leader.

const net = require('node:net')

const PRODUCE = 0
const METADATA = 3
const API_VERSIONS = 18
const UNKNOWN_TOPIC = 3
const LEADER_NOT_AVAILABLE = 5
// What the broker offers: API key, lowest and highest version. Fetch (1) is only named, because
// librdkafka writes today's record format to brokers alone that could also be read from.
const VERSIONS = [[PRODUCE, 3, 3], [1, 4, 4], [METADATA, 1, 1], [API_VERSIONS, 0, 0]]
const UNSUPPORTED_VERSION = 35

const int8 = (value) => Buffer.from([value])
const int16 = (value) => { const buffer = Buffer.alloc(2); buffer.writeInt16BE(value); return buffer }
const int32 = (value) => { const buffer = Buffer.alloc(4); buffer.writeInt32BE(value); return buffer }
const int64 = (value) => { const buffer = Buffer.alloc(8); buffer.writeBigInt64BE(BigInt(value)); return buffer }
const string = (text) => Buffer.concat([int16(Buffer.byteLength(text)), Buffer.from(text)])
const array = (items, write) => Buffer.concat([int32(items.length), ...items.map(write)])

class Reader {
  constructor (buffer) {
    this.buffer = buffer
    this.at = 0
  }

  int16 () { this.at += 2; return this.buffer.readInt16BE(this.at - 2) }
  int32 () { this.at += 4; return this.buffer.readInt32BE(this.at - 4) }

  string () {
    const length = Math.max(this.int16(), 0) // a null string reads as ""
    this.at += length
    return this.buffer.toString('utf8', this.at - length, this.at)
  }

  bytes () { this.at += Math.max(this.int32(), 0) }
  array (read) { return Array.from({ length: Math.max(this.int32(), 0) }, read) }
}

class Broker {
  topics = new Map() // name -> list of [id, leader or null]

  /** Listens; resolves to "host:port". */
  listen () {
    this.server = net.createServer((socket) => this.converse(socket)).unref()
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => resolve(`127.0.0.1:${this.server.address().port}`))
    })
  }

  converse (socket) {
    let pending = Buffer.alloc(0)
    socket.on('error', () => {}) // the client hung up
    socket.on('data', (chunk) => {
      pending = pending.length ? Buffer.concat([pending, chunk]) : chunk
      while (pending.length >= 4 && pending.length >= 4 + pending.readInt32BE(0)) {
        const end = 4 + pending.readInt32BE(0)
        const answer = this.answer(new Reader(pending.subarray(4, end)))
        socket.write(Buffer.concat([int32(answer.length), answer]))
        pending = pending.subarray(end)
      }
    })
  }

  answer (request) {
    const api = request.int16()
    const version = request.int16()
    const correlation = int32(request.int32())
    request.string() // client id
    if (api === API_VERSIONS) return Buffer.concat([correlation, this.apiVersions(version)])
    if (api === METADATA) return Buffer.concat([correlation, this.metadata(request)])
    if (api === PRODUCE) return Buffer.concat([correlation, this.produce(request)])
    throw new Error(`the broker was asked for API ${api}`)
  }

  apiVersions (version) {
    return Buffer.concat([
      int16(version === 0 ? 0 : UNSUPPORTED_VERSION),
      array(VERSIONS, (numbers) => Buffer.concat(numbers.map(int16)))
    ])
  }

  metadata (request) {
    const { address, port } = this.server.address()
    const topics = request.array(() => request.string())
    return Buffer.concat([
      array([0], (node) => Buffer.concat([int32(node), string(address), int32(port), int16(-1)])),
      int32(0), // controller
      array(topics, (topic) => Buffer.concat([
        int16(this.topics.has(topic) ? 0 : UNKNOWN_TOPIC),
        string(topic),
        int8(0),
        array(this.topics.get(topic) ?? [], ([id, leader]) => Buffer.concat([
          int16(leader === null ? LEADER_NOT_AVAILABLE : 0),
          int32(id),
          int32(leader === null ? -1 : 0), // one broker leads them all
          array([0], int32),
          array([0], int32)
        ]))
      ]))
    ])
  }

  produce (request) {
    request.string() // transactional id
    request.int16() // acks
    request.int32() // timeout
    const topics = request.array(() => [request.string(), request.array(() => {
      const id = request.int32()
      request.bytes() // the records
      return id
    })])
    return Buffer.concat([
      array(topics, ([topic, ids]) => Buffer.concat([
        string(topic),
        array(ids, (id) => Buffer.concat([int32(id), int16(0), int64(0), int64(-1)]))
      ])),
      int32(0) // throttle time
    ])
  }
}

module.exports = { Broker }
