// How long specs take, kept with the code: a fresh clone has no cache of it, and begins with the longest as well.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot } from '../paths.mjs'

const file = inRoot('tools', 'lib', 'costs', 'durations.tsv')

/** Shorter ones are left out: whatever their order, no worker ends late by it. */
const KEPT_FROM_MS = 2_000

/** @returns {Map<string, number>} seconds by file, of those that take long */
export function readDurations() {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return new Map(
    lines.map((line) => {
      const [name = '', seconds = ''] = line.split('\t')
      return [name, Number(seconds)]
    }),
  )
}

/** Keeps what a whole run took. @param {readonly import('./costs.mjs').Cost[]} costs */
export function recordDurations(costs) {
  const lines = costs
    .filter(({ wallMs }) => wallMs >= KEPT_FROM_MS)
    .map(({ file: name, wallMs }) => `${name}\t${Math.round(wallMs / 1000)}\n`)
  writeFileSync(file, lines.toSorted().join(''))
}
