'use strict'

// Hold the examples' functions against the test vectors: files alone, no suite, no Java.
//
//     node examples/node/check_vectors.js [FOLDER]
//
// The files: docs/vectors.md. Exit code 0: every answer is as the real client's; 1: not every one;
// 2: there was nothing to compare.

const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { isDeepStrictEqual } = require('node:util')
const examples = [require('./testee.js'), require('./batches.js')]

const FORMAT = 'kafka-conformance vectors 1'
const folder = process.argv[2] ?? join(__dirname, '..', '..', 'vectors')

// Errors are compared by their kind.
const same = (answer, java) => answer?.error !== undefined ? answer.error === java?.error : isDeepStrictEqual(answer, java)

// Whether an example can: one is written to read, and not to do everything.
function canBeAsked (behaviour, { config, steps, answers }) {
  if (behaviour === 'batch-reading') return steps.every(({ op, codec, odd }) => op === 'records' && codec === 'none' && !odd)
  if (behaviour !== 'record-batch') return steps.every(({ headers }) => headers !== null)
  const [last, ...appends] = steps.map(({ op }) => op).reverse() // it is handed all records at once, and they are right
  return last === 'build' && appends.length > 0 && appends.every((op) => op.startsWith('append')) && config.codec === 'none' &&
    !answers.some(({ trace }) => trace.some(({ answer }) => answer?.error))
}

function read (path) {
  try {
    const document = JSON.parse(readFileSync(path, 'utf8'))
    if (document.format === FORMAT) return document
    console.error(`${path} is '${document.format}'; this program reads '${FORMAT}'.`)
  } catch (error) {
    console.error(`${path} is no file of vectors: ${error.message}`)
  }
  process.exit(2)
}

let compared = 0
let wrong = 0
for (const [behaviour, answerCase] of examples.flatMap((one) => Object.keys(one.behaviours).map((name) => [name, one.answerCase]))) {
  const { cases, notes } = read(join(folder, `${behaviour}.json`))
  const flags = new Set()
  for (const one of cases.filter((one) => canBeAsked(behaviour, one))) {
    // Versions that answer the same stand together.
    const answers = one.answers.flatMap(({ clients, trace }) => clients.map((client) => ({ client, trace })))
    let told
    for (const { client, trace } of answers) {
      const mine = answerCase(behaviour, client, one)
      const step = trace.findIndex(({ answer }, at) => !same(mine[at], answer))
      compared++
      if (step >= 0) told ??= `client ${client}, step ${step}: ${JSON.stringify(mine[step])}, Java ${JSON.stringify(trace[step].answer)}`
    }
    if (told) {
      wrong++
      one.flags.forEach((flag) => flags.add(flag))
      console.log(`${one.id}: ${one.comment}\n  ${told}`)
    }
  }
  for (const flag of [...flags].sort()) { // what the failing cases point to
    const { bug, seenIn } = notes[flag]
    console.log(`  ${flag}: ${bug}${seenIn.length ? ` Seen in: ${seenIn.join(', ')}.` : ''}`)
  }
}
console.log(`${compared} answers compared, ${wrong} cases fail`)
process.exitCode = wrong ? 1 : compared ? 0 : 2
