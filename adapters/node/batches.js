'use strict'

// Record batches of kafkajs and @platformatic/kafka: their own encoders and decoders, without a
// network. A batch is what the library puts into a Produce request; what is read is what its
// consumer makes of the records of a Fetch response, without those of control batches. Whatever
// the reading throws is a refusal. Batches are read in a worker, because damage can make a library
// count to 2^31 and beyond, and nothing else could end that.

const { once } = require('node:events')
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads')
const { bytesOf, errorAnswer, start } = require('./protocol.js')

const READING_CPU_MS = 2000
const LOOK_MS = 50
const READING_MB = 512
const READY = 'ready'

const CLIENTS = ['2.3.1', '3.2.3', '3.8.0', '4.4.0']
const CANNOT = ['open batches', 'control batches', 'log append time', 'base offsets', 'leader epochs', 'null headers',
  'lone surrogates', 'far times']
const TOPIC = 't'

/** An int64; a BigInt beyond, which Java's longs have not, as text, for there is no such answer. */
function long (number) {
  return BigInt.asIntN(64, BigInt(number)) === BigInt(number) ? { int64: String(number) } : String(number)
}

function hex (value) {
  return value == null ? null : { hex: value.toString('hex') }
}

/** Each append of a case as often as it says. */
function recordsOf (steps) {
  const records = []
  for (const { op, times = 1, timestamp, key, value, headers } of steps) {
    if (op !== 'append') continue
    for (let n = 0; n < times; n++) {
      records.push({
        timestamp, key: bytesOf(key), value: bytesOf(value), headers: headers.map(([name, held]) => [name, bytesOf(held)])
      })
    }
  }
  return records
}

/** kafkajs: headers are an object, in which those of one name stand together. */
function kafkajs () {
  const Long = require('kafkajs/src/utils/long')
  const Decoder = require('kafkajs/src/protocol/decoder')
  const Encoder = require('kafkajs/src/protocol/encoder')
  const { Types } = require('kafkajs/src/protocol/message/compression')
  const produce = require('kafkajs/src/protocol/requests/produce/v3/request')
  const decodeMessages = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages')

  function grouped (headers) {
    const found = {}
    for (const [name, value] of headers) (found[name] ??= []).push(value)
    return found
  }

  return {
    title: 'kafkajs record batches',
    version: require('kafkajs/package.json').version,
    codecs: ['gzip'],
    async write (config, records) {
      const messages = records.map((record) => ({ ...record, headers: grouped(record.headers) }))
      const partitions = [{ partition: 0, messages, firstSequence: config.sequence < 0 ? undefined : config.sequence }]
      const request = await produce({
        acks: -1,
        timeout: 0,
        transactionalId: config.transactional ? TOPIC : null,
        producerId: Long.fromValue(config.producer_id),
        producerEpoch: config.epoch < 0 ? undefined : config.epoch,
        compression: config.codec === 'gzip' ? Types.GZIP : Types.None,
        topicData: [{ topic: TOPIC, partitions }]
      }).encode()
      // A transaction's name, acks, timeout, one topic, one partition, and the size of its batch.
      const before = 2 + (config.transactional ? TOPIC.length : 0) + 2 + 4 + 4 + 2 + TOPIC.length + 4 + 4 + 4
      return request.buffer.subarray(before)
    },
    async read (data) {
      const messages = await decodeMessages(new Decoder(new Encoder().writeBytes(data).buffer))
      return messages.filter(({ isControlRecord }) => !isControlRecord).map((message) => [
        long(message.offset), long(message.timestamp), hex(message.key), hex(message.value),
        Object.entries(message.headers).flatMap(([name, held]) => [held].flat().map((value) => [name, hex(value)]))
      ])
    }
  }
}

async function platformatic () {
  const library = await import('@platformatic/kafka')
  return {
    title: '@platformatic/kafka record batches',
    version: library.clientSoftwareVersion,
    codecs: ['gzip', 'snappy', 'lz4', 'zstd'].filter((codec) => library.compressionsAlgorithms[codec]?.available !== false),
    async write (config, records) {
      const messages = records.map(({ timestamp, key, value, headers }) => ({
        timestamp: BigInt(timestamp),
        key,
        value,
        headers: new Map(headers.map(([name, held]) => [Buffer.from(name), held])),
        topic: TOPIC,
        partition: 0
      }))
      const isIdempotent = config.producer_id !== '-1'
      return library.createRecordsBatch(messages, {
        compression: config.codec,
        producerId: isIdempotent ? BigInt(config.producer_id) : undefined,
        producerEpoch: isIdempotent ? config.epoch : undefined,
        sequences: isIdempotent ? { getWithDefault: () => config.sequence } : undefined,
        transactionalId: config.transactional ? TOPIC : undefined
      }).buffer
    },
    async read (data) {
      const rows = []
      for (const batch of library.readRecordsBatches(library.Reader.from(data))) {
        if (batch.attributes & 0x20) continue // control batches, as its stream of messages does
        for (const record of batch.records) {
          rows.push([
            long(batch.firstOffset + BigInt(record.offsetDelta)),
            long(batch.firstTimestamp + record.timestampDelta),
            hex(record.key),
            hex(record.value),
            record.headers.map(([name, value]) => [name.toString('utf8'), hex(value)])
          ])
        }
      }
      return rows
    }
  }
}

const LIBRARIES = { kafkajs, platformatic }

/**
 * Reads in a worker, one answer after the other; one that takes too long, or too much, is ended. What counts is the time
 * that this process computes, not a clock's, and not before the worker has its library: a busy machine changes no answer.
 */
class Reading {
  #name
  #worker = null
  #last = Promise.resolve()

  constructor (name) {
    this.#name = name
  }

  records (data) {
    this.#last = this.#last.then(() => this.#read(data))
    return this.#last
  }

  async #read (data) {
    this.#worker ??= await this.#started()
    const worker = this.#worker
    const begun = process.cpuUsage()
    let timer
    const late = new Promise((resolve) => {
      timer = setInterval(() => {
        const { user, system } = process.cpuUsage(begun)
        if (user + system > READING_CPU_MS * 1000) resolve([{ error: 'other', message: `no answer in ${READING_CPU_MS} ms` }])
      }, LOOK_MS)
    })
    // What a worker dies of, such as its memory, is an event of its own.
    const answered = once(worker, 'message').catch((error) => [errorAnswer(error)])
    worker.postMessage(data)
    const [answer] = await Promise.race([answered, late])
    clearInterval(timer)
    if (!Array.isArray(answer)) {
      this.#worker = null
      await worker.terminate()
    }
    return answer
  }

  async #started () {
    const worker = new Worker(__filename, { workerData: this.#name, resourceLimits: { maxOldGenerationSizeMb: READING_MB } })
    const [message] = await once(worker, 'message')
    if (message !== READY) throw new Error(`a worker began with ${message}`)
    return worker
  }

  async close () {
    await this.#worker?.terminate()
  }
}

async function work () {
  const { read } = await LIBRARIES[workerData]()
  parentPort.on('message', async (data) => {
    try {
      parentPort.postMessage(await read(Buffer.from(data)))
    } catch (error) {
      console.error(`refused: ${String(error).slice(0, 200)}`)
      parentPort.postMessage(['refused'])
    }
  })
  parentPort.postMessage(READY)
}

async function main (make, choice) {
  const { title, version, codecs, write } = await make()
  const missing = ['gzip', 'snappy', 'lz4', 'zstd'].filter((codec) => !codecs.includes(codec))
  const reading = new Reading(choice)

  async function built (testCase) {
    try {
      return hex(await write(testCase.config, recordsOf(testCase.steps)))
    } catch (error) {
      return errorAnswer(error)
    }
  }

  const exact = { mode: 'exact', claims: CLIENTS }
  return {
    name: title,
    version,
    behaviours: {
      'record-batch': { ...exact, cannot: [...CANNOT, ...missing], operations: ['append', 'build'] },
      'batch-reading': { ...exact, cannot: ['odd batches', ...missing], operations: ['records'] }
    },
    answer: (behaviour, testCase) => Promise.all(testCase.steps.map(({ op, data }) => {
      if (behaviour === 'batch-reading') return reading.records(bytesOf(data))
      return op === 'build' ? built(testCase) : null
    })),
    close: () => reading.close()
  }
}

if (isMainThread) start(LIBRARIES, main)
else work()
