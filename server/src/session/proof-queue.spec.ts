import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAdmission, createProofQueue } from './proof-queue'

const limits = { atOnce: 2, waiting: 6, strangers: 4, longestMs: 10_000, present: 3 }
const busy = { code: 'server_busy', status: 503, data: { retry_after: 5 } }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Starts tasks that run until the test ends them, and records the order in which they started. */
function works() {
  const inTurn = createProofQueue(limits)
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const enter = (name: string, isKnown: boolean) =>
    inTurn(isKnown, () => {
      begun.push(name)
      return new Promise<string>((resolve) => running.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    running.get(name)!()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { begun, enter, end }
}

it('checks a few passwords at a time and queues the rest, known sources first', async () => {
  const { begun, enter, end } = works()
  const all = ['a', 'b', 'stranger', 'known'].map((name) => enter(name, name === 'known'))
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual(['a', 'b'])
  await end('a')
  await end('b')
  expect(begun).toEqual(['a', 'b', 'known', 'stranger'])
  await end('known')
  await end('stranger')
  await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'stranger', 'known'])
})

it('a full queue returns Retry-After and reserves places for known sources', async () => {
  const { enter } = works()
  for (const name of ['a', 'b', '1', '2', '3', '4']) void enter(name, false)
  await expect(enter('5', false)).rejects.toMatchObject(busy)
  void enter('known 1', true)
  void enter('known 2', true)
  await expect(enter('known 3', true)).rejects.toMatchObject(busy)
})

it('refuses sign-ins above the limit without doing any work', async () => {
  const admitted = createAdmission(limits)
  let leave!: () => void
  const held = new Promise<void>((resolve) => (leave = resolve))
  const first = [1, 2, 3].map(() => admitted(() => held))
  const work = vi.fn<() => Promise<void>>()
  await expect(admitted(work)).rejects.toMatchObject(busy)
  expect(work).not.toHaveBeenCalled()
  leave()
  await Promise.all(first)
  await expect(admitted(() => Promise.resolve('in'))).resolves.toBe('in')
})

it('refuses a sign-in that has waited longer than the limit', async () => {
  const { begun, enter, end } = works()
  void enter('a', false)
  void enter('b', false)
  const late = expect(enter('late', true)).rejects.toMatchObject(busy)
  await vi.advanceTimersByTimeAsync(limits.longestMs)
  await late
  await end('a')
  void enter('c', false)
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual(['a', 'b', 'c'])
})
