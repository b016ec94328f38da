'use strict'

// kafkajs: its partitioners are functions that it exports, and that its producer calls with
// { topic, partitionMetadata, message } (src/producer/groupMessagesPerPartition.js).
//
// What its producer never passes to them, and what we therefore cannot ask:
// - a topic without partitions or without metadata: sendMessages.js throws KafkaJSMetadataNotLoaded
//   before it asks the partitioner (asked by hand, the partitioners answer NaN);
// - a null topic: messageProducer.js throws "Invalid topic".
// A partition without leader is passed on, with leader -1 as in Kafka's metadata response.

const { version } = require('kafkajs/package.json')
const { Partitioners } = require('kafkajs')
const { attempt, bareCount, keyOf, keylessCount, partitionsOf, refuseSlowKey, start } = require('./protocol.js')

const CLIENTS = ['2.3.1', '3.2.3', '3.8.0']
const CANNOT = ['null metadata', 'unknown topics', 'null topics', 'null keys', 'odd counts']
const TOPIC = 'topic'

// The documentation claims that DefaultPartitioner (and JavaCompatiblePartitioner, its old name)
// are compatible with the Java client's; the comment in its source names the client 0.10.2 and
// round robin for null keys, which is what 2.3.1 still did. It claims nothing of the sort of
// LegacyPartitioner: that is what users keep to stay compatible with kafkajs before 2.0.
const compatible = { keyed: CLIENTS, nullKeys: ['2.3.1'] }

const PARTITIONERS = {
  default: { name: 'DefaultPartitioner', claims: compatible, checkKey: refuseSlowKey },
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

function adapter ({ name, claims, checkKey }) {
  const createPartitioner = Partitioners[name]
  const statistical = (versions) => ({ mode: 'statistical', ...(versions && { claims: versions }) })

  return {
    name: `kafkajs ${name}`,
    version,
    behaviours: {
      keyed: { mode: 'exact', records: true, ...(claims.keyed && { claims: claims.keyed }), cannot: CANNOT },
      'round-robin-null-key': statistical(claims.nullKeys),
      sticky: statistical(),
      'built-in': statistical()
    },
    answer (behaviour, { metadata, steps }) {
      const partitioner = createPartitioner()
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
