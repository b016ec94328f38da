'use strict'

// The testee protocol (docs/protocol.md): JSON Lines on standard input and output. Each adapter
// brings what it is and how it answers; everything that all adapters share is here.
//
// serve({ name, version, behaviours, answer, records }):
//   answer(behaviour, testCase, client)   one answer for each step of a case, an array; may be async
//   records(message)                      one partition for each record, an array; may be async
// Both may throw CouldNotTry. Each call starts afresh, so an adapter makes new partitioners in it.

const MIN_INT32 = -(2 ** 31)
const MAX_INT32 = 2 ** 31 - 1
const SLOWEST_KEY = 64 * 1024

/** The adapter has no way to ask the library this; not an answer of the library. */
class CouldNotTry extends Error {}

/** What the library threw, by the kinds of the protocol. */
function errorAnswer (error) {
  return { error: kindOf(error), message: String(error?.message ?? error).slice(0, 500) }
}

// JavaScript has no NullPointerException: using null or undefined is a TypeError whose only mark is
// its text. V8's texts are "Cannot read properties of null" and "undefined is not a function" alike.
function kindOf (error) {
  const message = String(error?.message)
  if (error instanceof TypeError && /\b(null|undefined)\b/.test(message)) return 'null'
  if (error instanceof RangeError) return /[Dd]ivision by zero/.test(message) ? 'arithmetic' : 'index'
  if (error?.code === 'ERR_ASSERTION') return 'assertion'
  return 'other'
}

/** A number that a partitioner returned, or the error that it is no partition (NaN, undefined). */
function partitionAnswer (partition) {
  if (Number.isInteger(partition) && partition >= MIN_INT32 && partition <= MAX_INT32) {
    return partition + 0 || 0 // -0 would be written as 0 anyway; be plain about it
  }
  return { error: 'other', message: `${String(partition)} is no partition` }
}

/** The answer of one call into the library: a partition, or the error that it threw. */
function attempt (call) {
  try {
    return partitionAnswer(call())
  } catch (error) {
    if (error instanceof CouldNotTry) throw error
    return errorAnswer(error)
  }
}

/** How many records a message of this behaviour has that carry no key. */
function keylessCount (message) {
  const { count, closes } = message
  if (count !== undefined) return count
  if (closes !== undefined) return closes.length
  throw new CouldNotTry(`no records without keys in ${message.behaviour}`)
}

function bytesOf (value) {
  return value === null ? null : Buffer.from(value.hex, 'hex')
}

/** The key of a keyed step. Null is not hashed by these libraries, a record without key goes elsewhere. */
function keyOf (step) {
  if (step.key === null) throw new CouldNotTry('a null key: the library never hashes it')
  return bytesOf(step.key)
}

/**
 * Refuses a key that would take a library too long: both pure JavaScript clients multiply an
 * unbounded BigInt for each word of the key and never cut it to 32 bits, so that their murmur2 takes
 * time quadratic in the key's length: 0.1 s for 64 KiB, 0.5 s for 128 KiB, over a minute for 1 MiB.
 */
function refuseSlowKey (key) {
  if (key !== null && key.length > SLOWEST_KEY) {
    throw new CouldNotTry(`a key of ${key.length} bytes: the library's hash takes time quadratic in its length`)
  }
  return key
}

/** The partitions of a topic in a snapshot of the metadata. */
function partitionsOf (snapshot, topic) {
  return snapshot.find(([name]) => name === topic)[1]
}

/** Partitions 0 to count - 1, as metadata has them, for "partition for key". */
function bareCount (count) {
  return Array.from({ length: count }, (_, id) => [id, 0])
}

async function traceOf (adapter, message, testCase) {
  try {
    return await adapter.answer(message.behaviour, testCase, message.client)
  } catch (error) {
    if (error instanceof CouldNotTry) return { 'could not try': error.message }
    throw error
  }
}

async function partitionsAnswer (adapter, message) {
  try {
    const partitions = await adapter.records(message)
    for (let i = 0; i < partitions.length; i++) {
      if (typeof partitionAnswer(partitions[i]) !== 'number') {
        throw new CouldNotTry(`record ${i}: ${String(partitions[i])} is no partition`)
      }
    }
    return { partitions: Array.from(partitions) }
  } catch (error) {
    if (error instanceof CouldNotTry) return { 'could not try': error.message }
    throw error
  }
}

async function reply (adapter, message) {
  const { type, id } = message
  if (type === 'hello') {
    const { name, version, behaviours } = adapter
    return { type, protocol: 1, name, version, language: `JavaScript (Node ${process.versions.node})`, behaviours }
  }
  if (type === 'records') return { type: 'partitions', id, ...await partitionsAnswer(adapter, message) }
  // All at once: where a producer waits for its network, the cases then wait together.
  const traces = await Promise.all(message.cases.map((testCase) => traceOf(adapter, message, testCase)))
  return { type: 'traces', id, traces }
}

// Lines may have several MiB and arrive in small chunks: they are joined once, at their end.
async function * lines (input) {
  let parts = []
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end))
      yield Buffer.concat(parts).toString('utf8')
      parts = []
      start = end + 1
    }
    parts.push(chunk.subarray(start))
  }
}

/** Answers on standard output until standard input ends, then calls close and exits with 0. */
async function serve (adapter) {
  console.log = console.info = console.debug = console.error // standard output is the protocol's
  for await (const line of lines(process.stdin)) {
    if (line.trim() === '') continue
    const text = JSON.stringify(await reply(adapter, JSON.parse(line))) + '\n'
    await new Promise((resolve) => process.stdout.write(text, resolve))
  }
  await adapter.close?.()
  process.exit(0)
}

/** Runs main with the partitioner that the command line names; a wrong name is said plainly. */
function start (known, main) {
  const choice = process.argv[2]
  if (!Object.hasOwn(known, choice)) {
    console.error(`usage: node ${process.argv[1]} ${Object.keys(known).join('|')}`)
    process.exit(2)
  }
  Promise.resolve(main(known[choice], choice)).then(serve).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}

module.exports = {
  CouldNotTry,
  attempt,
  bareCount,
  bytesOf,
  errorAnswer,
  keyOf,
  keylessCount,
  partitionAnswer,
  partitionsOf,
  refuseSlowKey,
  start
}
