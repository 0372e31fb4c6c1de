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

it('what is typed is kept from the page, and handed over once', () => {
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
])('%s goes to the page %j', (key, more) => {
  const end = holdTyping()
  type(key, more)
  expect(reaches).toHaveBeenCalledOnce()
  expect(end()).toBe('')
})

it('keys are not kept from the page for ever, when nobody comes for them', () => {
  holdTyping()
  vi.advanceTimersByTime(longestHoldMs)
  type('a')
  expect(reaches).toHaveBeenCalledOnce()
})
