// Durations of specs, stored in the repository so that a fresh clone can also run the longest ones first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot } from '../paths.mjs'

const file = inRoot('tools', 'lib', 'costs', 'durations.tsv')

/** Shorter durations are not stored, because their order has little effect on the total time. */
const KEPT_FROM_MS = 2_000

/** @returns {Map<string, number>} stored durations in seconds by file */
export function readDurations() {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return new Map(
    lines.map((line) => {
      const [name = '', seconds = ''] = line.split('\t')
      return [name, Number(seconds)]
    }),
  )
}

/** Stores the durations of a full run. @param {readonly import('./costs.mjs').Cost[]} costs */
export function recordDurations(costs) {
  const lines = costs
    .filter(({ wallMs }) => wallMs >= KEPT_FROM_MS)
    .map(({ file: name, wallMs }) => `${name}\t${Math.round(wallMs / 1000)}\n`)
  writeFileSync(file, lines.toSorted().join(''))
}
