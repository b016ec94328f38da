'use strict'
// An example testee in JavaScript: keyed records and round robin, exactly as the Java client does
// them. It needs Node 18 or newer and nothing else; there is nothing to build. In the project's folder:
//
//     kafka-conformance testee -- node examples/node/testee.js
//
// The protocol: docs/protocol.md. What the behaviours mean: docs/behaviours.md.

const { createInterface } = require('node:readline')
// Java computes in int, 32 bits that wrap. JavaScript's numbers do not: Math.imul multiplies in 32
// bits where * would lose digits, ^ and | work on 32 bits anyway, and >>> is Java's >>> .
function murmur2 (key) {
  const M = 0x5bd1e995
  let h = 0x9747b28c ^ key.length
  const body = key.length & ~3
  for (let i = 0; i < body; i += 4) {
    let k = Math.imul(key.readInt32LE(i), M)
    k ^= k >>> 24
    h = Math.imul(h, M) ^ Math.imul(k, M)
  }
  if (key.length > body) {
    for (let i = key.length - 1; i >= body; i--) h ^= key[i] << (8 * (i - body))
    h = Math.imul(h, M)
  }
  h = Math.imul(h ^ (h >>> 13), M)
  return h ^ (h >>> 15)
}

// A mask, not Math.abs: the absolute value of -2^31 is no int32, and the partitions would differ.
const toPositive = (number) => number & 0x7fffffff

// An error is an answer, too. It has the kind of Java's exception.
class JavaError extends Error {
  constructor (kind, message) { super(message); this.kind = kind }
}

function remainder (number, count) {
  if (count === 0) throw new JavaError('arithmetic', 'no partitions')
  return number % count
}

function partitionsOf (snapshot, topic) {
  if (snapshot === null) throw new JavaError('null', 'no metadata')
  return snapshot.find(([name]) => name === topic)?.[1] ?? [] // an unknown topic has none
}

function partitionForKey (key, count) {
  if (key === null) throw new JavaError('null', 'no key')
  return remainder(toPositive(murmur2(Buffer.from(key.hex, 'hex'))), count)
}

// A counter per topic, from 0, over the available partitions; keys make no difference.
class RoundRobin {
  constructor (counters = {}) { this.counters = new Map(Object.entries(counters)) }

  partition (topic, snapshot, client) {
    // With null metadata 3.2.3 fails before it counts, 3.8.0 after.
    if (client === '3.2.3') partitionsOf(snapshot, topic)
    if (topic === null) throw new JavaError('null', 'no topic')
    const counter = this.counters.get(topic) ?? 0
    this.counters.set(topic, (counter + 1) | 0) // wraps at 2^31
    const partitions = partitionsOf(snapshot, topic)
    const available = partitions.filter(([, leader]) => leader !== null)
    if (available.length === 0) return remainder(toPositive(counter), partitions.length)
    return available[toPositive(counter) % available.length][0]
  }
}

function answerCase (behaviour, client, { config, metadata, steps }) {
  const roundRobin = new RoundRobin(config.counters) // each case starts afresh
  return steps.map((step) => {
    try {
      if (step.op === 'partition for key') return partitionForKey(step.key, step.partitions)
      if (behaviour === 'round-robin') return roundRobin.partition(step.topic, metadata[step.metadata], client)
      return partitionForKey(step.key, partitionsOf(metadata[step.metadata], step.topic).length)
    } catch (error) {
      if (error instanceof JavaError) return { error: error.kind, message: error.message }
      throw error
    }
  })
}

function answerRecords ({ behaviour, client, partitions, keys, count }) {
  if (behaviour === 'keyed') return keys.map((hex) => partitionForKey({ hex }, partitions.length))
  const roundRobin = new RoundRobin()
  return Array.from({ length: count }, () => roundRobin.partition('topic', [['topic', partitions]], client))
}

const exact = (claims) => ({ mode: 'exact', records: true, claims })
const behaviours = { keyed: exact(['2.3.1', '3.2.3', '3.8.0']), 'round-robin': exact(['3.2.3', '3.8.0']) }

// Answer the suite's questions until it closes the input.
function serve (name, behaviours, answerCase) {
  const hello = { protocol: 1, name, version: '1', language: `JavaScript (Node ${process.versions.node})`, behaviours }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const question = JSON.parse(line)
    const { type, id, behaviour, client, cases } = question
    if (type === 'hello') console.log(JSON.stringify({ type, ...hello }))
    if (type === 'cases') console.log(JSON.stringify({ type: 'traces', id, traces: cases.map((one) => answerCase(behaviour, client, one)) }))
    if (type === 'records') console.log(JSON.stringify({ type: 'partitions', id, partitions: answerRecords(question) }))
  })
}
module.exports = { answerCase, behaviours, serve } // for check_vectors.js and batches.js
if (require.main === module) serve('Node example', behaviours, answerCase)
