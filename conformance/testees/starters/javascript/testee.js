'use strict'
// A testee to start from: it answers keyed, and "not yet" to whatever else is asked. Node 18 or newer.
// Run: kafka-conformance testee -- node testee.js
// What is asked, and how to go on: docs/write-a-testee.md. Every rule: docs/protocol.md.

const { createInterface } = require('node:readline')

// Your code goes here: replace the body by a call of your own partitioner.
function partitionForKey (key, partitions) {
  return (murmur2(key) & 0x7fffffff) % partitions
}

// Java's hash. Delete it when your own code is called.
function murmur2 (key) {
  const M = 0x5bd1e995
  const whole = key.length & ~3
  let h = 0x9747b28c ^ key.length
  for (let i = 0; i < whole; i += 4) {
    const k = Math.imul(key.readInt32LE(i), M)
    h = Math.imul(h, M) ^ Math.imul(k ^ (k >>> 24), M)
  }
  for (let i = whole; i < key.length; i++) h ^= key[i] << (8 * (i - whole))
  if (key.length > whole) h = Math.imul(h, M)
  h = Math.imul(h ^ (h >>> 13), M)
  return h ^ (h >>> 15)
}

// What you support: docs/protocol.md has all behaviours, and the words of "cannot".
const hello = {
  type: 'hello',
  protocol: 1,
  name: 'my partitioner',
  version: '0.1',
  language: 'JavaScript',
  behaviours: {
    keyed: {
      mode: 'exact',
      claims: ['3.8.0'],
      operations: ['partition'],
      cannot: ['null metadata', 'unknown topics', 'null topics']
    }
  }
}
const notYet = { 'could not try': 'not yet' }

// One answer for each step of a case. Each case starts afresh: keep no state across.
function trace (behaviour, { metadata, steps }) {
  if (behaviour !== 'keyed' || steps.some(({ op }) => op !== 'partition')) return notYet
  return steps.map((step) => {
    // A snapshot is a list of [topic, [[id, leader], ...]].
    const [, partitions] = metadata[step.metadata].find(([topic]) => topic === step.topic)
    return partitionForKey(Buffer.from(step.key.hex, 'hex'), partitions.length)
  })
}

function answer ({ type, id, behaviour, cases }) {
  if (type === 'hello') return hello
  if (type === 'cases') return { type: 'traces', id, traces: cases.map((one) => trace(behaviour, one)) }
  return { type: 'partitions', id, ...notYet }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n')
})
