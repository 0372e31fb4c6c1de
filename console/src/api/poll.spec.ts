import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { poll, stopPolls } from './poll'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('runs every 5 s by default, or at the given interval [CO-026]', async () => {
  const usual = vi.fn(() => Promise.resolve())
  const quick = vi.fn(() => Promise.resolve())
  const stops = [poll(usual), poll(quick, 1000)]
  await pass(4999)
  expect([usual.mock.calls.length, quick.mock.calls.length]).toEqual([1, 5])
  await pass(1)
  expect([usual.mock.calls.length, quick.mock.calls.length]).toEqual([2, 6])
  for (const stop of stops) stop()
})

it('runs immediately, then again after each run, even a failed one, until it is stopped [UI-112]', async () => {
  const ends: ((failure?: Error) => void)[] = []
  const run = vi.fn(
    () => new Promise<void>((resolve, reject) => ends.push((failure) => (failure ? reject(failure) : resolve()))),
  )
  const stop = poll(run, 1000)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(60_000)
  expect(run).toHaveBeenCalledTimes(1)
  ends[0]!()
  await pass(999)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(1)
  expect(run).toHaveBeenCalledTimes(2)
  ends[1]!(new Error('no answer'))
  await pass(1000)
  expect(run).toHaveBeenCalledTimes(3)
  ends[2]!()
  await pass(999)
  stop()
  await pass(60_000)
  expect(run).toHaveBeenCalledTimes(3)
  const another = poll(run, 1000)
  expect(run).toHaveBeenCalledTimes(4)
  // stopping the poll during a run prevents further runs
  another()
  ends[3]!()
  await pass(60_000)
  expect(run).toHaveBeenCalledTimes(4)
})

it('is stopped together with all other polls on sign-out', async () => {
  const run = vi.fn(() => Promise.resolve())
  poll(run)
  await pass(5000)
  stopPolls()
  await pass(60_000)
  expect(run).toHaveBeenCalledTimes(2)
})
