import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pollMs } from '../api/live-state'
import { guardLeaving } from '../notices/leave-guard'
import { freshSession } from '../testing/fresh-session'
import { writeLeaveTime } from './leave-time'
import { leaveMinutes, reloadAfterRestart } from './restarting'
import { sessionNow, setSession } from './session'

let isBack: boolean
let asked: string[]
const reload = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  freshSession()
  setSession({ isRestarting: false })
  isBack = false
  asked = []
  writeLeaveTime(0)
  vi.stubGlobal('location', { pathname: '/', search: '', hash: '', origin: location.origin, reload })
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    return isBack ? Promise.resolve(new Response('{"permissions":{}}')) : Promise.reject(new TypeError('refused'))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('polls the permissions endpoint when the server is about to stop [EV-004]', async () => {
  reloadAfterRestart()
  expect(sessionNow().isRestarting).toBe(true)
  await vi.advanceTimersByTimeAsync(3 * pollMs)
  expect(asked.length).toBeGreaterThanOrEqual(2)
  expect(asked.every((address) => address.endsWith('/api/v2/meta'))).toBe(true)
  expect(reload).not.toHaveBeenCalled()
})

it('reloads the page once the server responds again [EV-005]', async () => {
  reloadAfterRestart()
  await vi.advanceTimersByTimeAsync(2 * pollMs)
  isBack = true
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(reload).toHaveBeenCalledOnce()
  const count = asked.length
  await vi.advanceTimersByTimeAsync(5 * pollMs)
  expect(asked).toHaveLength(count)
})

it('does not reload a page with unsaved work', async () => {
  const done = guardLeaving()
  reloadAfterRestart()
  isBack = true
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(reload).not.toHaveBeenCalled()
  expect(sessionNow().isRestarting).toBe(false)
  done()
})

it('polls once, even if it is notified several times', async () => {
  reloadAfterRestart()
  reloadAfterRestart()
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(asked).toHaveLength(1)
})

it('reloads despite errors after five minutes of inactivity, and not before [EV-006]', async () => {
  expect(leaveMinutes).toBe(5)
  writeLeaveTime(leaveMinutes * 60 - 30)
  reloadAfterRestart()
  await vi.advanceTimersByTimeAsync(25_000)
  expect(asked.length).toBeGreaterThan(2)
  expect(reload).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2 * pollMs)
  expect(reload).toHaveBeenCalledOnce()
  const count = asked.length
  await vi.advanceTimersByTimeAsync(5 * pollMs)
  expect(asked).toHaveLength(count)
})

it('never reloads unsaved work, regardless of inactivity', async () => {
  const done = guardLeaving()
  writeLeaveTime(3600)
  reloadAfterRestart()
  await vi.advanceTimersByTimeAsync(4 * pollMs)
  expect(reload).not.toHaveBeenCalled()
  done()
})
