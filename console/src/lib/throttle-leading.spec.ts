import { afterEach, expect, it, vi } from 'vitest'
import { throttle } from './throttle-leading'

afterEach(() => vi.useRealTimers())

it('of several wishes within a second the first is taken [CO-023]', () => {
  vi.useFakeTimers()
  const run = vi.fn()
  const wish = throttle(run)
  wish()
  vi.advanceTimersByTime(999)
  wish()
  expect(run).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  wish()
  wish()
  expect(run).toHaveBeenCalledTimes(2)
})
