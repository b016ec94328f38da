'use strict'

// @platformatic/kafka: the partition is chosen inside its Producer. #assignPartition
// (dist/clients/producer/producer.js) calls the `partitioner` option; without one it hashes keys
// and counts records without key. It does neither if the message names its partition. #performSend
// then takes the result modulo the number of partitions. So we call the real Producer.send, of a
// producer whose network is stubbed:
// - kGetApi and kGetBootstrapConnection, which Producer inherits and the package exports, are
//   overridden to hand out a connection that goes nowhere;
// - the Metadata request is the library's own; it gets a response in Kafka's wire format, which the
//   library parses and turns into its metadata;
// - the Produce request ends in a function that notes the partition of each message.
//
// What cannot be asked, because the library's metadata call fails first, whatever the key:
// - an unknown topic: "Unknown topic t."; a topic of which ANY partition has no leader: Kafka's
//   metadata response then carries LEADER_NOT_AVAILABLE for it, and the parser rejects the whole
//   response (metadata-v12.js, parseResponse), so that send fails for every record of the topic;
// - gaps in ids: #performMetadata keeps partitions in an array by id, and send looks the index up
//   in it. A real cluster has no gaps.

const {
  CouldNotTry, attempt, bareCount, bytesOf, errorAnswer, keyOf, keylessCount, partitionAnswer, partitionsOf,
  refuseSlowKey, start
} = require('./protocol.js')

const CLIENTS = ['2.3.1', '3.2.3', '3.8.0', '4.4.0']
const CANNOT = ['null metadata', 'unknown topics', 'null topics', 'null keys', 'gaps in ids', 'leaderless partitions',
  'no available partition', 'odd counts']
const CANNOT_NAMED = ['null metadata', 'unknown topics', 'null topics', 'gaps in ids', 'leaderless partitions']
const TOPIC = 'topic'
const LEADER_NOT_AVAILABLE = 5

// `default` is a producer without the option, which is not the same as one that is given the
// exported defaultPartitioner: that one sees null keys as well.
const PARTITIONERS = {
  default: { title: 'Producer without partitioner option', option: () => undefined, murmur2: true },
  'default-partitioner': { title: 'defaultPartitioner', option: (library) => library.defaultPartitioner },
  compatibility: {
    title: 'compatibilityPartitioner',
    option: (library) => library.compatibilityPartitioner,
    claims: CLIENTS,
    named: true // so that what differs comes from the partition that is named, not from the hash
  }
}

function metadataResponse (Writer, topics) {
  return Writer.create()
    .appendInt32(0) // throttle time
    .appendArray([0], (writer, node) => writer.appendInt32(node).appendString('localhost').appendInt32(9092).appendString(null))
    .appendString('cluster')
    .appendInt32(0) // controller
    .appendArray(topics, (writer, [topic, partitions]) => writer
      .appendInt16(0)
      .appendString(topic)
      .appendUUID('00000000-0000-4000-8000-000000000000')
      .appendBoolean(false)
      .appendArray(partitions, (writer, [id, leader]) => writer
        .appendInt16(leader === null ? LEADER_NOT_AVAILABLE : 0)
        .appendInt32(id)
        .appendInt32(leader === null ? -1 : 0)
        .appendInt32(0) // leader epoch
        .appendArray([0], (writer, node) => writer.appendInt32(node), true, false)
        .appendArray([0], (writer, node) => writer.appendInt32(node), true, false)
        .appendArray([], () => {}, true, false))
      .appendInt32(0))
    .appendTaggedFields().buffer
}

function producerOf (library, partitioner) {
  const { Producer, Reader, Writer, kGetApi, kGetBootstrapConnection, kGetConnection, metadataV12, produceV9 } = library

  return new class extends Producer {
    topics = []
    chosen = []

    constructor () {
      super({ clientId: 'testee', bootstrapBrokers: ['localhost:9092'], retries: 0, metadataMaxAge: -1, partitioner })
    }

    [kGetBootstrapConnection] (callback) {
      callback(null, this.connection)
    }

    [kGetConnection] (_broker, callback) {
      callback(null, this.connection)
    }

    [kGetApi] (name, callback) {
      if (name === 'Metadata') {
        callback(null, metadataV12.api)
      } else if (name === 'Produce') {
        const produce = (_connection, _acks, _timeout, messages, _options, done) => {
          for (const message of messages) this.chosen[message.value] = message.partition
          done(null, { responses: [] })
        }
        callback(null, Object.assign(produce, { key: produceV9.api.key, version: produceV9.api.version }))
      } else {
        callback(new CouldNotTry(`the producer asks for the API ${name}`))
      }
    }

    // Producer has a `send` of its own, so the connection is this separate object.
    get connection () {
      return {
        send: (key, version, _request, parse, _requestTags, _responseTags, done) => {
          let response
          try {
            response = parse(0, key, version, Reader.from(metadataResponse(Writer, this.topics)))
          } catch (error) {
            return done(error)
          }
          done(null, response)
        }
      }
    }

    /** The partition of each record, which may name one; the values of messages only number them. */
    async choose (topic, keys, partitions, partition) {
      this.topics = [[topic, partitions]]
      this.chosen = []
      const messages = Array.from(keys, (key, value) => ({ topic, key, value, partition }))
      // With a callback, not awaited: what send does for promises needs a newer Node than the rest.
      await new Promise((resolve, reject) => {
        this.send({ messages }, (error) => error ? reject(error) : resolve())
      })
      return this.chosen
    }
  }()
}

async function adapter ({ title, option, claims, murmur2, named }) {
  const library = await import('@platformatic/kafka')
  const partitioner = option(library)
  const cannot = CANNOT

  async function stepAnswer (producer, snapshots, step) {
    if (step.op === 'murmur2') return attempt(() => library.murmur2(refuseSlowKey(bytesOf(step.key))))
    // A record that names its partition need not have a key.
    const key = refuseSlowKey(step.op === 'record' ? bytesOf(step.key) : keyOf(step)) ?? undefined
    const known = step.op === 'partition for key' ? bareCount(step.partitions) : partitionsOf(snapshots[step.metadata], step.topic)
    try {
      return partitionAnswer((await producer.choose(step.topic ?? TOPIC, [key], known, step.partition))[0])
    } catch (error) {
      if (error instanceof CouldNotTry) throw error
      return errorAnswer(error)
    }
  }

  return {
    name: `@platformatic/kafka ${title}`,
    version: library.clientSoftwareVersion,
    behaviours: {
      keyed: { mode: 'exact', records: true, ...(claims && { claims }), cannot },
      ...(named && { 'explicit-partition': { mode: 'exact', cannot: CANNOT_NAMED } }),
      ...(murmur2 && { murmur2: { mode: 'exact', operations: ['murmur2'], claims: CLIENTS } }),
      'round-robin-null-key': { mode: 'statistical', cannot },
      sticky: { mode: 'statistical', cannot },
      'built-in': { mode: 'statistical', cannot }
    },
    async answer (behaviour, { metadata, steps }) {
      const producer = producerOf(library, partitioner)
      const answers = []
      for (const step of steps) answers.push(await stepAnswer(producer, metadata, step))
      return answers
    },
    // It has no batches that a partitioner could know of, so what closes one makes no difference.
    async records (message) {
      const keys = message.behaviour === 'keyed'
        ? message.keys.map((hex) => refuseSlowKey(Buffer.from(hex, 'hex')))
        : { length: keylessCount(message) }
      try {
        return await producerOf(library, partitioner).choose(TOPIC, keys, message.partitions)
      } catch (error) {
        throw new CouldNotTry(`send: ${error.message}`)
      }
    }
  }
}

start(PARTITIONERS, adapter)
