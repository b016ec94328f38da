'use strict'

// kafkajs: its partitioners are functions that it exports, and that its producer calls with
// { topic, partitionMetadata, message } (src/producer/groupMessagesPerPartition.js).
//
// What its producer never passes to them, and what we therefore cannot ask:
// - a topic without partitions or without metadata: sendMessages.js throws KafkaJSMetadataNotLoaded
//   before it asks the partitioner (asked by hand, the partitioners answer NaN);
// - a null topic: messageProducer.js throws "Invalid topic".
// A partition without leader is passed on, with leader -1 as in Kafka's metadata response.
//
// A record that names its partition: the partitioner returns what the message says, but the function
// that sends (sendMessages.js) groups messages by leader afterwards, and leaves out those of partitions
// that the metadata does not have. So it is the one that is asked: see sender.

const { version } = require('kafkajs/package.json')
const { Partitioners } = require('kafkajs')
const Cluster = require('kafkajs/src/cluster')
const createEosManager = require('kafkajs/src/producer/eosManager')
const createSendMessages = require('kafkajs/src/producer/sendMessages')
const {
  attempt, bareCount, bytesOf, errorAnswer, keyOf, keylessCount, partitionAnswer, partitionsOf, refuseSlowKey, start
} = require('./protocol.js')

const CLIENTS = ['2.3.1', '3.2.3', '3.8.0', '4.4.0']
const CANNOT = ['null metadata', 'unknown topics', 'null topics', 'null keys', 'odd counts']
const CANNOT_NAMED = ['null metadata', 'unknown topics', 'null topics']
const TOPIC = 'topic'

// The documentation claims that DefaultPartitioner (and JavaCompatiblePartitioner, its old name)
// are compatible with the Java client's; the comment in its source names the client 0.10.2 and
// round robin for null keys, which is what 2.3.1 still did. It claims nothing of the sort of
// LegacyPartitioner: that is what users keep to stay compatible with kafkajs before 2.0.
const compatible = { keyed: CLIENTS, nullKeys: ['2.3.1'] }

const PARTITIONERS = {
  default: { name: 'DefaultPartitioner', claims: compatible, checkKey: refuseSlowKey, named: true },
  'java-compatible': { name: 'JavaCompatiblePartitioner', claims: compatible, checkKey: refuseSlowKey },
  legacy: { name: 'LegacyPartitioner', claims: {}, checkKey: (key) => key }
}

function partitionMetadata (partitions) {
  return partitions.map(([partitionId, leader]) => ({
    partitionErrorCode: leader === null ? 5 : 0, // LEADER_NOT_AVAILABLE
    partitionId,
    leader: leader ?? -1,
    replicas: [],
    isr: []
  }))
}

/**
 * The library's own sending of messages, over a cluster that has metadata and no connection: what is
 * produced is only noted. Its findBroker would refresh the metadata until a leader is there.
 */
function sender (partitioner) {
  const produced = []
  const logger = { debug () {}, info () {}, warn () {}, error () {} }
  const cluster = Object.assign(Object.create(Cluster.prototype), {
    brokerPool: { metadata: null },
    targetTopics: new Set(),
    addMultipleTargetTopics: async () => {},
    refreshMetadata: async () => {},
    refreshMetadataIfNecessary: async () => {},
    isConnected: () => true,
    findBroker: async ({ nodeId }) => ({
      nodeId,
      produce: async ({ topicData }) => {
        produced.push(...topicData.flatMap(({ partitions }) => partitions.map(({ partition }) => partition)))
        return { topics: [] }
      }
    })
  })
  const eosManager = createEosManager({ logger, cluster, transactional: false })
  const once = (task) => task((error) => { throw error })
  const sendMessages = createSendMessages({ logger, cluster, partitioner, eosManager, retrier: once })

  /** The partition that the message was produced to, or null: send succeeded, and produced nothing. */
  return async (topic, known, message) => {
    produced.length = 0
    cluster.brokerPool.metadata = { topicMetadata: [{ topic, partitionMetadata: known }] }
    try {
      await sendMessages({ acks: -1, topicMessages: [{ topic, messages: [message] }] })
    } catch (error) {
      return errorAnswer(error)
    }
    return produced.length === 0 ? null : partitionAnswer(produced[0])
  }
}

async function sendEach (send, metadata, steps, checkKey) {
  const answers = []
  for (const { topic, partition, key, metadata: at } of steps) {
    const known = partitionMetadata(partitionsOf(metadata[at], topic))
    answers.push(await send(topic, known, { key: checkKey(bytesOf(key)), value: null, partition }))
  }
  return answers
}

function adapter ({ name, claims, checkKey, named }) {
  const createPartitioner = Partitioners[name]
  const statistical = (versions) => ({ mode: 'statistical', ...(versions && { claims: versions }) })

  return {
    name: `kafkajs ${name}`,
    version,
    behaviours: {
      keyed: { mode: 'exact', records: true, ...(claims.keyed && { claims: claims.keyed }), cannot: CANNOT },
      ...(named && { 'explicit-partition': { mode: 'exact', cannot: CANNOT_NAMED } }),
      'round-robin-null-key': statistical(claims.nullKeys),
      sticky: statistical(),
      'built-in': statistical()
    },
    answer (behaviour, { metadata, steps }) {
      const partitioner = createPartitioner()
      if (behaviour === 'explicit-partition') return sendEach(sender(partitioner), metadata, steps, checkKey)
      const snapshots = metadata.map((snapshot) => snapshot?.map(([topic, all]) => [topic, partitionMetadata(all)]))
      return steps.map((step) => {
        const known = step.op === 'partition for key'
          ? partitionMetadata(bareCount(step.partitions))
          : partitionsOf(snapshots[step.metadata], step.topic)
        const message = { key: checkKey(keyOf(step)), value: null }
        return attempt(() => partitioner({ topic: step.topic ?? TOPIC, partitionMetadata: known, message }))
      })
    },
    // It is told nothing about batches, so what closes one makes no difference to it.
    records (message) {
      const partitioner = createPartitioner()
      const known = partitionMetadata(message.partitions)
      const ask = (key) => partitioner({ topic: TOPIC, partitionMetadata: known, message: { key, value: null } })
      if (message.behaviour === 'keyed') return message.keys.map((hex) => ask(checkKey(Buffer.from(hex, 'hex'))))
      return Array.from({ length: keylessCount(message) }, () => ask(null))
    }
  }
}

start(PARTITIONERS, adapter)
