'use strict'

// node-rdkafka: librdkafka chooses partitions inside `produce`. So we call the real produce, of a
// real producer that is connected to a fake broker (broker.js), and read the partition of each
// record from its delivery report.
//
// librdkafka asks its partitioner only for topics whose metadata it has, with partitions 0 to n - 1
// (rd_kafka_msg_partitioner in rdkafka_msg.c); an unknown topic fails the message without it.
// A record for a partition without leader waits there until message.timeout.ms is over, and its
// delivery report then names the partition that had been chosen. Records without key need not wait so
// long: once all of them have been partitioned, the broker elects leaders.
//
// node-rdkafka does not support partitioner_cb, so librdkafka's own partitioners are all there are.

const Kafka = require('node-rdkafka')
const { version } = require('node-rdkafka/package.json')
const {
  CouldNotTry, bareCount, bytesOf, errorAnswer, keyOf, keylessCount, partitionsOf, start
} = require('../node/protocol.js')
const { Broker } = require('./broker.js')

const CLIENTS = ['2.3.1', '3.2.3', '3.8.0', '4.4.0']
const CANNOT = ['null metadata', 'unknown topics', 'null topics', 'null keys', 'gaps in ids', 'odd counts']
const CANNOT_NAMED = ['null metadata', 'unknown topics', 'null topics', 'gaps in ids']

// CONFIGURATION.md calls the murmur2 ones "Java Producer compatible", and murmur2_random
// "functionally equivalent to the default partitioner in the Java Producer": so null keys are
// claimed as well, for the client whose default it can mean. Sticky partitioning came with KIP-480,
// which INTRODUCTION.md lists as supported.
const keyed = { keyed: CLIENTS }
const PARTITIONERS = {
  consistent_random: { keyed: true },
  murmur2_random: { keyed: true, claims: { ...keyed, sticky: ['3.2.3'] } },
  // The sticky partition of null keys changes by time; 0 turns stickiness off.
  'murmur2_random-no-linger': { partitioner: 'murmur2_random', linger: 0, keyed: true, claims: keyed },
  // Whatever the partitioner, a partition that is named is treated alike; with this one keys, also
  // empty ones, go where Java's go.
  murmur2: { keyed: true, claims: keyed, named: true },
  consistent: { keyed: true },
  fnv1a_random: { keyed: true },
  fnv1a: { keyed: true },
  random: { keyed: false }
}

const withoutLeader = ([, leader]) => leader === null

class Producer {
  known = new Map() // partitions as JSON -> topic; records with keys depend on no state of a topic
  count = 0

  static async connect (partitioner, linger) {
    const self = new Producer()
    self.broker = await Broker.start()
    self.client = new Kafka.Producer({
      'metadata.broker.list': self.broker.address,
      'broker.address.family': 'v4',
      dr_cb: true,
      'queue.buffering.max.messages': 10_000_000,
      'queue.buffering.max.kbytes': 1_000_000,
      'message.max.bytes': 64_000_000,
      'topic.metadata.refresh.interval.ms': -1,
      ...(linger !== undefined && { 'sticky.partitioning.linger.ms': linger })
    }, { partitioner, 'message.timeout.ms': 1000 })
    self.client.on('delivery-report', (_error, { partition, opaque }) => opaque.request.delivered(opaque.index, partition))
    self.client.on('event.error', (error) => console.error(error))
    await new Promise((resolve, reject) => {
      self.client.connect({ timeout: 5000 }, (error) => error ? reject(error) : resolve())
    })
    self.client.setPollInterval(5)
    return self
  }

  /** The topic with these partitions for records with keys; the producer knows its metadata. */
  topic (partitions) {
    const text = JSON.stringify(partitions)
    if (!this.known.has(text)) this.known.set(text, this.newTopic(partitions))
    return this.known.get(text)
  }

  async newTopic (partitions) {
    if (partitions.some(([id], index) => id !== index)) throw new CouldNotTry('gaps in ids')
    const topic = `t${this.count++}`
    await this.broker.set(topic, partitions)
    await this.learn(topic)
    return topic
  }

  learn (topic) {
    return new Promise((resolve, reject) => {
      this.client.getMetadata({ topic, timeout: 10_000 }, (error) => error ? reject(error) : resolve())
    })
  }

  /** Gives every partition of the topic a leader, and tells the producer if that changes anything. */
  async elect (topic) {
    const partitions = this.broker.topics.get(topic)
    if (!partitions.some(withoutLeader)) return
    await this.broker.set(topic, partitions.map(([id]) => [id, 0]))
    await this.learn(topic)
  }

  /**
   * A new topic to whose leaders the producer is connected: until then all its partitions count as
   * unavailable, and each record without key is drawn anew, sticky or not. Records with an explicit
   * partition connect it; they do not ask the partitioner.
   */
  async warmTopic (partitions) {
    const topic = await this.newTopic(partitions)
    const led = partitions.filter((partition) => !withoutLeader(partition)).map(([id]) => id)
    await this.deliver(topic, led.map(() => null), led)
    return topic
  }

  /** The partition of each record with these keys, or the error that produce threw. */
  deliver (topic, keys, explicit = []) {
    return new Promise((resolve) => {
      const chosen = new Array(keys.length)
      let missing = keys.length
      const delivered = (index, partition) => {
        chosen[index] = partition
        if (--missing === 0) resolve(chosen)
      }
      const request = { delivered }
      if (missing === 0) resolve(chosen)
      for (let index = 0; index < keys.length; index++) {
        try {
          this.client.produce(topic, explicit[index] ?? null, null, keys[index], null, { request, index })
        } catch (error) {
          delivered(index, errorAnswer(error))
        }
      }
    })
  }

  async close () {
    await new Promise((resolve) => this.client.disconnect(100, resolve))
    await this.broker.close()
  }
}

async function adapter ({ partitioner, linger, keyed, claims = {}, named }, choice) {
  const producer = await Producer.connect(partitioner ?? choice, linger)
  const statistical = (versions) => ({ mode: 'statistical', ...(versions && { claims: versions }), cannot: CANNOT })

  return {
    name: `node-rdkafka ${choice}`,
    version: `${version.replace(/^v/, '')} (librdkafka ${Kafka.librdkafkaVersion})`,
    behaviours: {
      ...(keyed && { keyed: { mode: 'exact', records: true, ...(claims.keyed && { claims: claims.keyed }), cannot: CANNOT } }),
      ...(named && { 'explicit-partition': { mode: 'exact', cannot: CANNOT_NAMED } }),
      'round-robin-null-key': statistical(),
      sticky: statistical(claims.sticky),
      ...(!keyed && { 'uniform-sticky': statistical() }),
      'built-in': statistical()
    },
    // All steps at once: each may wait for its delivery report, and no step depends on another.
    answer (behaviour, { metadata, steps }) {
      return Promise.all(steps.map(async (step) => {
        const key = step.op === 'record' ? bytesOf(step.key) : keyOf(step)
        const partitions = step.op === 'partition for key'
          ? bareCount(step.partitions)
          : partitionsOf(metadata[step.metadata], step.topic)
        const topic = await producer.topic(partitions)
        const [partition] = await producer.deliver(topic, [key], [step.partition])
        return partition
      }))
    },
    async records (message) {
      if (message.behaviour === 'keyed') {
        const keys = message.keys.map((hex) => Buffer.from(hex, 'hex'))
        return producer.deliver(await producer.topic(message.partitions), keys)
      }
      const keys = new Array(keylessCount(message)).fill(null)
      const topic = await producer.warmTopic(message.partitions)
      const delivery = producer.deliver(topic, keys)
      await producer.elect(topic)
      return delivery
    },
    close: () => producer.close()
  }
}

start(PARTITIONERS, adapter)
