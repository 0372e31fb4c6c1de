import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { focusWithRetry } from './focus-with-retry'

let screen: HTMLElement
let other: HTMLElement
beforeEach(() => {
  vi.useFakeTimers()
  document.body.innerHTML = '<div><button>screen</button></div><button>other</button>'
  screen = document.querySelector('div')!
  other = document.querySelector('body > button')!
})
afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

it('retries ten times, every 300 ms, until the console has the focus [CO-039]', () => {
  const focus = vi.fn()
  focusWithRetry(screen, focus)
  expect(focus).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(299)
  expect(focus).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(focus).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(9 * 300)
  expect(focus).toHaveBeenCalledTimes(11)
  vi.advanceTimersByTime(60_000)
  expect(focus).toHaveBeenCalledTimes(11)
})

it('stops when the console has the focus, when the user focuses another element, or when it closes', () => {
  let calls = 0
  focusWithRetry(screen, () => {
    if (++calls === 3) screen.querySelector('button')!.focus()
  })
  vi.advanceTimersByTime(10_000)
  expect([calls, document.activeElement?.textContent]).toEqual([3, 'screen'])

  const focus = vi.fn()
  document.querySelector<HTMLElement>(':focus')?.blur()
  focusWithRetry(screen, focus)
  other.focus()
  vi.advanceTimersByTime(10_000)
  expect(focus).toHaveBeenCalledTimes(1)

  other.blur()
  focusWithRetry(screen, focus)()
  vi.advanceTimersByTime(10_000)
  expect(focus).toHaveBeenCalledTimes(2)
})
