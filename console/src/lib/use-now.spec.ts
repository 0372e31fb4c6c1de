import { act, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useNow } from './use-now'

it('returns the current time on first render, even after a pause, and updates it every 15 s', () => {
  vi.useFakeTimers()
  try {
    renderHook(useNow).unmount()
    vi.advanceTimersByTime(3_600_000)
    const drawn: number[] = []
    renderHook(() => drawn.push(useNow()))
    expect(drawn[0]).toBe(Date.now())
    void act(() => vi.advanceTimersByTime(15_000))
    expect(drawn.at(-1)).toBe(Date.now())
  } finally {
    vi.useRealTimers()
  }
})
