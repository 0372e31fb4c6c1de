import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calmMsOf, decide, GAP_MS, GONE_MS, type Found, type Watch } from './decide'

type Look = 'over' | 'near' | 'calm' | 'unknown' | 'away'

/**
 * Runs `decide` for a series of evaluations, storing the watches in between. Returns when alerts were raised and
 * closed.
 */
function follow(looks: readonly { look: Look; afterMs: number; isSuspended?: boolean }[], durationMs: number) {
  const watches = new Map<string, Watch>()
  let now = 0
  const told: { what: 'raised' | 'closed'; at: number }[] = []
  for (const { look, afterMs, isSuspended = false } of looks) {
    now += afterMs
    // the rule was not evaluated, because the server was down or the store did not respond
    if (look === 'away') continue
    const found: Found[] = look === 'over' || look === 'near' ? [{ key: 'a', isOver: look === 'over' }] : []
    const unknown = new Set(look === 'unknown' ? ['a'] : [])
    const decision = decide([...watches.values()], { found, unknown }, { now, durationMs, isSuspended })
    for (const _ of decision.raise) told.push({ what: 'raised', at: now })
    for (const _ of decision.close) told.push({ what: 'closed', at: now })
    // a watch that is neither kept nor forgotten does not change
    for (const key of decision.forget) expect(watches.delete(key)).toBe(true)
    for (const watch of decision.keep) watches.set(watch.key, watch)
    for (const { watch } of decision.raise) watches.set(watch.key, { ...watch, alertId: 'one' })
  }
  return told
}
const minute = 60_000
const every = (look: Look, times: number, afterMs = minute) => Array.from({ length: times }, () => ({ look, afterMs }))

test('raises an alert only if the condition holds without interruption for the whole duration', () => {
  expect(follow(every('over', 15), 15 * minute)).toEqual([])
  expect(follow(every('over', 16), 15 * minute)).toEqual([{ what: 'raised', at: 16 * minute }])
  expect(follow([...every('over', 14), ...every('near', 1), ...every('over', 15)], 15 * minute)).toEqual([])
})

test('closes an alert only after the condition has been over for a while, but not near the threshold', () => {
  const raised = every('over', 6)
  const told = { what: 'raised', at: 6 * minute }
  expect(follow([...raised, ...every('near', 60)], 5 * minute)).toEqual([told])
  expect(follow([...raised, ...every('calm', 2), ...every('over', 1), ...every('calm', 2)], 5 * minute)).toEqual([told])
  expect(follow([...raised, ...every('calm', 3)], 5 * minute)).toEqual([told, { what: 'closed', at: 9 * minute }])
})

test('neither raises nor closes alerts while the condition is unknown, for up to a day', () => {
  const told = { what: 'raised', at: 6 * minute }
  expect(follow([...every('over', 6), ...every('unknown', 600)], 5 * minute)).toEqual([told])
  expect(follow([...every('over', 6), ...every('away', 600), ...every('over', 1)], 5 * minute)).toEqual([told])
  const gone = [...every('over', 6), { look: 'unknown' as const, afterMs: GONE_MS }]
  expect(follow(gone, 5 * minute)).toEqual([told, { what: 'closed', at: 6 * minute + GONE_MS }])
})

test('restarts the duration after a gap between evaluations', () => {
  const held = [...every('over', 3), { look: 'over' as const, afterMs: GAP_MS + 1 }]
  expect(follow([...held, ...every('over', 4)], 5 * minute)).toEqual([])
  expect(follow([...every('over', 3), { look: 'over', afterMs: GAP_MS }], 5 * minute)).toHaveLength(1)
})

test('raises nothing while a rule is suspended, but still closes alerts', () => {
  const silent = (look: Look) => ({ look, afterMs: minute, isSuspended: true })
  expect(follow([...every('over', 2), silent('over'), silent('over')], 2 * minute)).toEqual([])
  const told = follow([...every('over', 3), silent('calm'), silent('calm'), silent('calm')], 2 * minute)
  expect(told.map(({ what }) => what)).toEqual(['raised', 'closed'])
})

test('alternates between raising and closing and respects the minimum times, for any sequence of evaluations', () => {
  const look = fc.record({
    look: fc.constantFrom<Look>('over', 'near', 'calm', 'unknown', 'away'),
    afterMs: fc.integer({ min: 1, max: 10 * minute }),
    isSuspended: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(look, { maxLength: 60 }), fc.integer({ min: 0, max: 15 * minute }), (looks, durationMs) => {
      const told = follow(looks, durationMs)
      for (const [index, { what, at }] of told.entries()) {
        expect(what).toBe(index % 2 === 0 ? 'raised' : 'closed')
        const before = told[index - 1]
        if (before && what === 'closed') expect(at - before.at).toBeGreaterThanOrEqual(calmMsOf(durationMs))
        if (before && what === 'raised') expect(at - before.at).toBeGreaterThanOrEqual(durationMs)
      }
    }),
  )
})
