// The test tier, from MAINSTAY_TEST_TIER. Default: gate.
//   gate   `npm test`: required for every merge; one short round of each random test, with fixed seeds
//   all    `npm run test:all`: the gate and the specs that it skips (`*.all.*`), with longer rounds and new seeds
//   long   `npm run test:long`: the storms (`*.storm.spec.ts`) with many rounds, and two releases side by side
import { randomInt } from 'node:crypto'
import process from 'node:process'

/** @typedef {'gate' | 'all' | 'long'} Tier */

/** @type {readonly Tier[]} */
const tiers = ['gate', 'all', 'long']

/** @param {string} name */
export function tierNamed(name) {
  const found = tiers.find((tier) => tier === name)
  if (!found) throw new Error(`Unknown test tier: ${name}. Choose from: ${tiers.join(', ')}`)
  return found
}

export const tier = tierNamed(process.env['MAINSTAY_TEST_TIER'] ?? 'gate')

/** Returns the number of rounds for a storm in this tier. @param {Record<Tier, number>} counts */
export const rounds = (counts) => counts[tier]

const given = process.env['MAINSTAY_TEST_SEED']
/** Seed for all specs in a worker, or null if each spec uses its fixed seed. */
const chosen = given === undefined ? (tier === 'gate' ? null : randomInt(1_000_000_000)) : Number(given)

/**
 * Returns the seed for a storm: `fixed` in the gate, so that merges do not depend on chance, and a new seed for each
 * run in other tiers. A failed storm prints its seed; set MAINSTAY_TEST_SEED to that value to reproduce the failure.
 *
 * @param {number} fixed
 */
export const seedOr = (fixed) => chosen ?? fixed

/**
 * Generates deterministic pseudorandom numbers in [0, 1) from a seed (mulberry32).
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
