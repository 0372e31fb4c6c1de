import { expect, test } from 'vitest'
import { fairSemaphore } from './fair-semaphore'

/** Returns work that runs until `end` is called. */
function job() {
  let end!: () => void
  const ended = new Promise<void>((resolve) => (end = resolve))
  const state = { isRunning: false, end, work: () => ((state.isRunning = true), ended) }
  return state
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('runs work up to the limit and queues the rest in order', async () => {
  const inTurn = fairSemaphore(2, 2)
  const jobs = [job(), job(), job(), job()] as const
  const all = jobs.map(({ work }) => inTurn('a', work))
  const running = () => jobs.map(({ isRunning }) => isRunning)
  await settle()
  expect(running()).toEqual([true, true, false, false])
  jobs[1].end()
  await settle()
  expect(running()).toEqual([true, true, true, false])
  for (const { end } of jobs) end()
  await Promise.all(all)
  expect(running()).toEqual([true, true, true, true])
})

test('other owners’ work bypasses the queue of an owner that has reached its limit', async () => {
  const inTurn = fairSemaphore(3, 2)
  const [a1, a2, a3, b1, b2] = [job(), job(), job(), job(), job()]
  const all = [
    inTurn('a', a1.work),
    inTurn('a', a2.work),
    inTurn('a', a3.work),
    inTurn('b', b1.work),
    inTurn('b', b2.work),
  ]
  const running = () => [a1, a2, a3, b1, b2].map(({ isRunning }) => isRunning)
  await settle()
  expect(running()).toEqual([true, true, false, true, false])
  b1.end()
  await settle()
  expect(running()).toEqual([true, true, false, true, true])
  a1.end()
  await settle()
  expect(running()).toEqual([true, true, true, true, true])
  for (const { end } of [a2, a3, b2]) end()
  await Promise.all(all)
})

test('releases the slot if the work fails', async () => {
  const inTurn = fairSemaphore(1, 1)
  await expect(inTurn('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await inTurn('a', () => Promise.resolve('runs'))).toBe('runs')
})
