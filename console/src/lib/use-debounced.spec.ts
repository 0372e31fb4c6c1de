import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { useDebounced } from './use-debounced'

afterEach(() => vi.useRealTimers())

it('returns the last value once it has not changed for 300 ms [CO-024]', () => {
  vi.useFakeTimers()
  const { result, rerender } = renderHook(({ value }) => useDebounced(value), { initialProps: { value: 'a' } })
  const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
  rerender({ value: 'b' })
  pass(299)
  rerender({ value: 'c' })
  pass(299)
  expect(result.current).toBe('a')
  pass(1)
  expect(result.current).toBe('c')
})
