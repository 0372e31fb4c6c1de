import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { holdTyping, longestHoldMs } from './hold-typing'

const reaches = vi.fn<(event: KeyboardEvent) => void>()
beforeEach(() => {
  vi.useFakeTimers()
  addEventListener('keydown', reaches)
})
afterEach(() => {
  vi.useRealTimers()
  removeEventListener('keydown', reaches)
  reaches.mockClear()
})

const type = (key: string, more: KeyboardEventInit = {}) =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))

it('buffers typed text instead of passing it to the page, and returns it once', () => {
  const end = holdTyping()
  for (const key of ['w', 'e', 'x', 'Backspace', 'b', ' ', '1']) type(key)
  expect(reaches).not.toHaveBeenCalled()
  expect(end()).toBe('web 1')
  type('a')
  expect(reaches).toHaveBeenCalledOnce()
  expect(end()).toBe('')
})

it.each<[string, KeyboardEventInit]>([
  ['Escape', {}],
  ['Tab', {}],
  ['k', { ctrlKey: true }],
  ['k', { metaKey: true }],
  ['k', { altKey: true }],
])('passes %s on to the page (%j)', (key, more) => {
  const end = holdTyping()
  type(key, more)
  expect(reaches).toHaveBeenCalledOnce()
  expect(end()).toBe('')
})

it('stops buffering keys after a timeout', () => {
  holdTyping()
  vi.advanceTimersByTime(longestHoldMs)
  type('a')
  expect(reaches).toHaveBeenCalledOnce()
})
