// Which tier of tests runs; MAINSTAY_TEST_TIER says it to all parts of a run, and the gate runs without it.
//   gate   `npm test`: what a landing needs, with one short round of everything random, and the same seeds each time
//   all    `npm run test:all`: the gate, the specs that it leaves out (`*.all.*`), longer rounds and new seeds
//   long   `npm run test:long`: the storms (`*.storm.spec.ts`) with many rounds, and two releases side by side
import { randomInt } from 'node:crypto'
import process from 'node:process'

/** @typedef {'gate' | 'all' | 'long'} Tier */

/** @type {readonly Tier[]} */
const tiers = ['gate', 'all', 'long']

/** @param {string} name */
export function tierNamed(name) {
  const found = tiers.find((tier) => tier === name)
  if (!found) throw new Error(`no tier ${name}; tiers are ${tiers.join(', ')}`)
  return found
}

export const tier = tierNamed(process.env['MAINSTAY_TEST_TIER'] ?? 'gate')

/** How many rounds a storm has in this tier. @param {Record<Tier, number>} counts */
export const rounds = (counts) => counts[tier]

const given = process.env['MAINSTAY_TEST_SEED']
/** One for all specs of a worker; null where each has the one that it is written with. */
const chosen = given === undefined ? (tier === 'gate' ? null : randomInt(1_000_000_000)) : Number(given)

/**
 * The seed of a storm: `fixed` in the gate, as no landing may depend on chance, and another one in each run of the other tiers.
 * A storm that fails names its seed; MAINSTAY_TEST_SEED repeats it.
 *
 * @param {number} fixed
 */
export const seedOr = (fixed) => chosen ?? fixed

/**
 * Numbers from 0 to below 1, always the same for a seed (mulberry32).
 *
 * @param {number} seed
 * @returns {() => number}
 */
export function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
