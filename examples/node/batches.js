'use strict'
// An example testee in JavaScript: record batches of message format 2, written and read without
// compression. It needs Node 18 or newer and nothing else. In the project's folder:
//
//     kafka-conformance testee -- node examples/node/batches.js
//
// encode takes all records at once, and decode hands out what a consumer sees; the words in `cannot`
// say so. Offsets and times are BigInt: a number of JavaScript is exact to 2^53 only.
// The bytes: docs/behaviours.md. The protocol: docs/protocol.md.

const { serve } = require('./testee.js')

const START = 21 // base offset 8, length 4, leader's epoch 4, magic 1, CRC 4: the CRC is of the rest
const HEADER = 61
const LENGTH_COUNTS_FROM = 12
const LEAST_LENGTH = 14
const LOG_APPEND_TIME = 8
const TRANSACTIONAL = 16
const CONTROL = 32

const table = Int32Array.from({ length: 256 }, (_, crc) => {
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0) // Castagnoli's, not gzip's
  return crc
})
function crc32c (data) {
  let crc = -1
  for (const byte of data) crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8)
  return ~crc >>> 0
}

// Zig-zag, then 7 bits in a byte, the lowest first. Shifts of numbers have 32 bits, of BigInt 64 here.
function varlong (number) {
  let left = BigInt.asUintN(64, (number << 1n) ^ (number >> 63n))
  const bytes = []
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(left)])
}
const varint = (number) => varlong(BigInt(number)) // the same bytes, if the number is an int32
const sized = (data) => data === null ? varint(-1) : Buffer.concat([varint(data.length), data])

function contents ({ key, value, headers }) {
  const named = headers.flatMap(([name, data]) => [sized(Buffer.from(name)), sized(data)])
  return Buffer.concat([sized(key), sized(value), varint(headers.length), ...named])
}

// Deltas are from the first record of the batch, not from the one before.
function record (offsetDelta, timeDelta, one) {
  const body = Buffer.concat([Buffer.alloc(1), varlong(BigInt.asIntN(64, timeDelta)), varint(offsetDelta), contents(one)])
  return Buffer.concat([varint(body.length), body])
}

function encode (config, records) {
  const base = BigInt(config.base_offset)
  const firstTime = records[0].time
  const written = records.map((one) => record(one.offset - base, one.time - firstTime, one))
  const batch = Buffer.concat([Buffer.alloc(HEADER), ...written])
  const byBroker = config.log_append_time !== null
  const times = records.map(({ time }) => time)
  batch.writeBigInt64BE(base, 0)
  batch.writeInt32BE(batch.length - LENGTH_COUNTS_FROM, 8)
  batch.writeInt32BE(config.leader_epoch ?? 0, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE((byBroker ? LOG_APPEND_TIME : 0) | (config.transactional ? TRANSACTIONAL : 0), 21)
  batch.writeInt32BE(Number(records[records.length - 1].offset - base), 23)
  batch.writeBigInt64BE(firstTime, 27)
  batch.writeBigInt64BE(byBroker ? BigInt(config.log_append_time) : times.reduce((a, b) => a > b ? a : b), 35)
  batch.writeBigInt64BE(BigInt(config.producer_id), 43)
  batch.writeInt16BE(config.epoch, 51)
  batch.writeInt32BE(config.sequence, 53)
  batch.writeInt32BE(records.length, 57)
  batch.writeUInt32BE(crc32c(batch.subarray(START)), 17)
  return batch
}

class Corrupt extends Error {}

class Reader {
  constructor (data) { this.data = data; this.at = 0 }

  take (size) {
    if (size < 0 || size > this.data.length - this.at) throw new Corrupt('beyond the end')
    this.at += size
    return this.data.subarray(this.at - size, this.at)
  }

  varlong (bits = 64) {
    let number = 0n
    for (let shift = 0; shift < bits; shift += 7) {
      const [byte] = this.take(1)
      number |= BigInt(byte & 0x7f) << BigInt(shift)
      if (byte < 0x80) {
        number = BigInt.asUintN(bits, number)
        return (number >> 1n) ^ -(number & 1n)
      }
    }
    throw new Corrupt('a number that is too long')
  }

  varint () { return Number(this.varlong(32)) }

  sized () {
    const size = this.varint()
    return size < 0 ? null : this.take(size)
  }

  header () {
    const name = this.sized()
    if (name === null) throw new Corrupt('a header without name')
    return [name.toString(), hexed(this.sized())]
  }
}

function recordsOf (batch) {
  if (batch.length < HEADER || crc32c(batch.subarray(START)) !== batch.readUInt32BE(17)) throw new Corrupt('checksum')
  const attributes = batch.readInt16BE(21)
  if (attributes & 7) throw new Corrupt('this example reads no compressed batches')
  const reader = new Reader(batch.subarray(HEADER))
  const count = batch.readInt32BE(57)
  if (count < 0) throw new Corrupt('count')
  const rows = []
  for (let number = 0; number < count; number++) {
    const body = new Reader(reader.take(reader.varint()))
    body.take(1) // attributes, of which none is in use
    const time = attributes & LOG_APPEND_TIME ? (body.varlong(), batch.readBigInt64BE(35)) : batch.readBigInt64BE(27) + body.varlong()
    const offset = batch.readBigInt64BE(0) + body.varlong(32)
    const contents = [hexed(body.sized()), hexed(body.sized())]
    const headers = body.varint()
    if (headers < 0 || headers > body.data.length - body.at) throw new Corrupt('number of headers')
    rows.push([int64(offset), int64(time), ...contents, Array.from({ length: headers }, () => body.header())])
    if (body.at < body.data.length) throw new Corrupt('bytes behind a record')
  }
  if (count && reader.at < reader.data.length) throw new Corrupt('bytes behind the last record')
  return attributes & CONTROL ? [] : rows
}

// What a consumer hands out; then 'refused' if it stops at what it cannot read.
function decode (data) {
  const rows = []
  try {
    for (let at = 0; data.length - at >= LENGTH_COUNTS_FROM;) { // what is cut off is no batch
      const length = data.readInt32BE(at + 8)
      if (length < LEAST_LENGTH) throw new Corrupt('length')
      if (data.length - at <= 16) break
      if (data[at + 16] > 2 || length > 2 ** 31 - 1 - LENGTH_COUNTS_FROM) throw new Corrupt('magic or length')
      const end = at + LENGTH_COUNTS_FROM + length
      if (end > data.length) break
      if (data[at + 16] < 2) throw new Corrupt('messages of an older format')
      rows.push(...recordsOf(data.subarray(at, end)))
      at = end
    }
  } catch (error) {
    if (error instanceof Corrupt) return [...rows, 'refused']
    throw error
  }
  return rows
}

const given = (data) => data === null ? null : Buffer.from(data.hex, 'hex')
const hexed = (data) => data === null ? null : { hex: data.toString('hex') }
const int64 = (number) => ({ int64: BigInt.asIntN(64, number).toString() })
const contentsOf = (step) => ({ key: given(step.key), value: given(step.value), headers: step.headers.map(([name, data]) => [name, given(data)]) })

function perform (step) {
  const asAnswer = (bytes) => [bytes.length, hexed(bytes)]
  switch (step.op) {
    case 'records': return decode(given(step.data))
    case 'varint': return asAnswer(varint(step.number))
    case 'varlong': return asAnswer(varlong(BigInt(step.long)))
    case 'sequence': return [step.by, -step.by].map((by) => (((step.sequence + by) % 2 ** 31) + 2 ** 31) % 2 ** 31) // 0 follows 2^31 - 1
    case 'record size': return record(step.offset_delta, BigInt(step.timestamp_delta), contentsOf(step)).length
    default: return HEADER + 21 + contents(contentsOf(step)).length // upper bound: its own numbers have 21 bytes at most
  }
}

// Null until the batch is built.
function traceOfBatch ({ config, steps }) {
  const records = []
  let following = BigInt(config.base_offset)
  for (const step of steps.slice(0, -1)) {
    following = BigInt(step.offset ?? following)
    for (let times = step.times ?? 1; times > 0; times--) {
      records.push({ offset: following++, time: BigInt(step.timestamp), ...contentsOf(step) })
    }
  }
  return [...Array(steps.length - 1).fill(null), hexed(encode(config, records))]
}

const answerCase = (behaviour, client, one) => behaviour === 'record-batch' ? traceOfBatch(one) : one.steps.map(perform)
const codecs = ['gzip', 'snappy', 'lz4', 'zstd']
const behaviours = {
  'record-sizes': { mode: 'exact', cannot: ['null headers', 'lone surrogates'] },
  'record-batch': {
    mode: 'exact',
    operations: ['append', 'append at', 'build'],
    cannot: ['open batches', 'control batches', 'null headers', 'lone surrogates', ...codecs]
  },
  'batch-reading': { mode: 'exact', operations: ['records'], cannot: ['odd batches', ...codecs] }
}

module.exports = { answerCase, behaviours } // for check_vectors.js
if (require.main === module) serve('example of batches', behaviours, answerCase)
