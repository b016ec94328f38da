'use strict'

// The Go adapters' broker (franz-go's kfake) in a process of its own, as ../README.md describes it.
// librdkafka's own mock cluster would be nicer, but from its configuration (test.mock.num.brokers)
// every topic of it has exactly four partitions, all with a leader.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const readline = require('node:readline')

const PROGRAM = path.join(__dirname, '..', 'go', 'testee-bin')

class Broker {
  topics = new Map() // name -> list of [id, leader or null]
  waiting = [] // for answers: the first for the next line

  /** A broker that listens at `address`. */
  static async start () {
    const self = new Broker()
    const answer = self.next()
    self.process = spawn(PROGRAM, ['broker'], { stdio: ['pipe', 'pipe', 'inherit'] })
    self.process.on('error', (error) => self.fail(`does not start: ${error.message}; adapters/run.py builds it`))
    self.process.on('exit', (code, signal) => self.fail(`has ended: ${signal ?? `exit code ${code}`}`))
    self.process.stdin.on('error', () => {}) // its end says more
    readline.createInterface({ input: self.process.stdout }).on('line', (line) => self.hear(JSON.parse(line)))
    self.address = (await answer).address
    return self
  }

  /** From now on the topic has these partitions. */
  async set (topic, partitions) {
    this.topics.set(topic, partitions)
    const answer = this.next()
    this.process.stdin.write(JSON.stringify({ op: 'topics', topics: { [topic]: partitions } }) + '\n')
    await answer
  }

  next () {
    if (this.failure) return Promise.reject(this.failure)
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }))
  }

  hear (answer) {
    const { resolve, reject } = this.waiting.shift()
    if (answer.error) reject(new Error(`the broker: ${answer.error}`))
    else resolve(answer)
  }

  fail (what) {
    this.failure ??= new Error(`the broker ${what}`)
    for (const { reject } of this.waiting.splice(0)) reject(this.failure)
  }

  /** It ends as its input does. */
  async close () {
    if (this.failure) return
    const ended = once(this.process, 'exit')
    this.process.stdin.end()
    await ended
  }
}

module.exports = { Broker }
