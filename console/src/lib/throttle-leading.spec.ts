import { afterEach, expect, it, vi } from 'vitest'
import { throttleLeading } from './throttle-leading'

afterEach(() => vi.useRealTimers())

it('runs only the first of several calls within a second [CO-023]', () => {
  vi.useFakeTimers()
  const run = vi.fn()
  const wish = throttleLeading(run)
  wish()
  vi.advanceTimersByTime(999)
  wish()
  expect(run).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  wish()
  wish()
  expect(run).toHaveBeenCalledTimes(2)
})
