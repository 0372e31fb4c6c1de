import { expect, it, vi } from 'vitest'
import { silentLogger } from '../testing/silent-logger'
import { createPushQueue } from './push-queue'
import { lineOf } from './sample'
import { NotPushable } from './store/metrics-store'

const log = silentLogger

it('sends queued lines once the store is available again, and drops the oldest beyond the limit', async () => {
  let isAway = true
  const taken: string[] = []
  const push = vi.fn(async (lines: readonly string[]) => {
    if (isAway) throw new Error('away')
    taken.push(...lines)
  })
  const queue = createPushQueue({ store: { push }, log, mostLines: 4, pauseMs: 1 })
  for (const name of ['a', 'b', 'c']) queue.add([`${name}1`, `${name}2`])
  expect(queue.counts()).toEqual({ waiting: 4, dropped: 2 })
  await vi.waitFor(() => expect(push.mock.calls.length).toBeGreaterThan(2))
  isAway = false
  await queue.settled()
  expect(taken).toEqual(['b1', 'b2', 'c1', 'c2'])
  expect(queue.counts()).toEqual({ waiting: 0, dropped: 2 })
  await queue.close()
})

it('never blocks on a hanging store, and accepts no lines after it is closed', async () => {
  let answer!: () => void
  const queue = createPushQueue({ store: { push: () => new Promise((done) => (answer = done)) }, log, mostLines: 10 })
  for (let count = 0; count < 100; count++) queue.add([`line ${count}`])
  expect(queue.counts()).toEqual({ waiting: 10, dropped: 90 })
  const closed = queue.close()
  answer()
  await closed
  queue.add(['late'])
  expect(queue.counts().waiting).toBe(10)
})

it('stops sending to a store that accepts no samples', async () => {
  const push = vi.fn(() => Promise.reject(new NotPushable('no')))
  const queue = createPushQueue({ store: { push }, log })
  queue.add(['a'])
  await queue.settled()
  queue.add(['b'])
  await queue.settled()
  expect([push.mock.calls.length, queue.counts().waiting]).toEqual([1, 0])
  await queue.close()
})

it('escapes label values and appends the timestamp', () => {
  const labels = { name: 'a"b\\c\nd' }
  expect(lineOf({ name: 'mainstay_a', labels, value: 1.5 }, 7)).toBe('mainstay_a{name="a\\"b\\\\c\\nd"} 1.5 7')
  expect(lineOf({ name: 'mainstay_a', labels: {}, value: 0 })).toBe('mainstay_a 0')
})
