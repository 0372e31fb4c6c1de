import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { notify, removeNotice, useNotices } from '../notices/notices'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { activityMs, followIdle, resetIdle, suspendIdle, useIdle, warnSeconds } from './idle'
import { idleSeconds, leaveTimeKey, minutesAway } from './leave-time'
import { sessionNow, setSession } from './session'

const user = { id: 'u', name: 'mo', email: null, domain_id: 'd', domain_name: 'd', roles: [] } as never
let stop: () => void = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
  freshSession()
  keepAccess()
  setSession({ status: 'signed-in', user, scopedToken: 'one', panel: { panel: 'self-service', version: '' } })
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response(null, { status: 204 }))),
  )
})
afterEach(() => {
  stop()
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const follow = (minutes: number) => (stop = followIdle(minutes))
async function pass(seconds: number) {
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  // flushes the promises of the sign-out request
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}
const isIn = () => sessionNow().user !== null
const record = () => JSON.parse(localStorage.getItem(leaveTimeKey())!) as { value: number; timestamp: number }
const move = () => dispatchEvent(new MouseEvent('mousemove'))

it('stores seconds and timestamp under a leaveTime key with the panel name [EN-021]', async () => {
  follow(15)
  expect(Object.keys(localStorage)).toContain('leaveTime-self-service')
  expect(record()).toEqual({ value: 0, timestamp: Date.now() })
  await pass(90)
  expect(idleSeconds()).toBe(90)
  setSession({ panel: { panel: 'admin', version: '' } })
  expect(leaveTimeKey()).toBe('leaveTime-admin')
  resetIdle()
  expect(Object.keys(localStorage)).toContain('leaveTime-admin')
})

it.each([
  ['mouse move', new MouseEvent('mousemove')],
  ['key', new KeyboardEvent('keydown', { key: 'a' })],
  ['click', new MouseEvent('click')],
])('resets the counter on a %s [ST-012]', async (_, event) => {
  follow(15)
  await pass(600)
  dispatchEvent(event)
  await pass(1)
  expect(idleSeconds()).toBeLessThan(1)
  await pass(14 * 60)
  expect(isIn()).toBe(true)
})

it('resets the counter 300 ms after the last of many mouse moves [CO-009]', async () => {
  expect(activityMs).toBe(300)
  follow(15)
  await pass(600)
  for (let at = 0; at < 5; at++) {
    move()
    await vi.advanceTimersByTimeAsync(299)
    expect(idleSeconds()).toBeGreaterThan(600)
  }
  await vi.advanceTimersByTimeAsync(1)
  expect(idleSeconds()).toBe(0)
})

it('signs out after the configured minutes of inactivity, and not before [ST-013]', async () => {
  follow(2)
  await pass(119)
  expect(isIn()).toBe(true)
  await pass(1)
  expect(isIn()).toBe(false)
  expect(minutesAway()).toBe(2)
})

it('reports only an idle sign-out that has just happened', async () => {
  follow(2)
  await pass(120)
  expect(minutesAway()).toBe(2)
  await pass(11)
  expect(minutesAway()).toBeNull()
})

it('keeps the session during work that leaving the page would interrupt, and ends it afterwards [ST-014]', async () => {
  follow(2)
  const upload = notify({ type: 'progress', title: 'upload', preventReload: true })
  await pass(3600)
  expect(isIn()).toBe(true)
  // a running task is tracked on the server even if the user leaves the page, so it does not keep the session alive
  notify({ type: 'progress', title: 'task' })
  removeNotice(upload)
  await pass(122)
  expect(isIn()).toBe(false)
})

it('keeps the session during an upload in another tab', async () => {
  follow(2)
  for (let at = 0; at < 300; at++) {
    // a tab whose counter is suspended has written this record
    localStorage.setItem(leaveTimeKey(), JSON.stringify({ value: 3, timestamp: Date.now() }))
    await pass(1)
  }
  expect(isIn()).toBe(true)
  await pass(120)
  expect(isIn()).toBe(false)
})

it('pauses while suspended and continues from the same value [ST-016]', async () => {
  follow(5)
  await pass(60)
  const resume = suspendIdle()
  const other = suspendIdle()
  await pass(3600)
  expect(record().value).toBe(60)
  resume()
  await pass(60)
  expect(record().value).toBe(60)
  other()
  await pass(30)
  expect(idleSeconds()).toBe(90)
  expect(isIn()).toBe(true)
})

it('never signs out with a limit of 0 minutes', async () => {
  follow(0)
  await pass(24 * 3600)
  expect(isIn()).toBe(true)
  expect(localStorage.getItem(leaveTimeKey())).toBeNull()
})

it('never signs out when embedded in another page [ST-018]', async () => {
  vi.stubGlobal('parent', {})
  follow(1)
  await pass(24 * 3600)
  expect(isIn()).toBe(true)
})

it('counts activity in another tab and hides the warning', async () => {
  follow(2)
  await pass(90)
  expect(useIdle.getState().secondsLeft).toBe(30)
  localStorage.setItem(leaveTimeKey(), JSON.stringify({ value: 0, timestamp: Date.now() }))
  await pass(1)
  expect(useIdle.getState().secondsLeft).toBeNull()
  await pass(100)
  expect(isIn()).toBe(true)
})

it('warns in the last minute, or in the second half of a shorter limit', async () => {
  expect(warnSeconds).toBe(60)
  follow(15)
  await pass(14 * 60 - 1)
  expect(useIdle.getState().secondsLeft).toBeNull()
  await pass(1)
  expect(useIdle.getState().secondsLeft).toBe(60)
  await pass(41)
  expect(useIdle.getState().secondsLeft).toBe(19)
  stop()
  follow(1)
  await pass(29)
  expect(useIdle.getState().secondsLeft).toBeNull()
  await pass(1)
  expect(useIdle.getState().secondsLeft).toBe(30)
})

it('signs out immediately when the computer wakes up after the limit', async () => {
  follow(15)
  await pass(10)
  vi.setSystemTime(Date.now() + 3_600_000)
  await pass(1)
  expect(isIn()).toBe(false)
})

it('does nothing without a session or while the server restarts', async () => {
  follow(1)
  setSession({ isExpired: true })
  await pass(600)
  setSession({ isExpired: false, isRestarting: true })
  await pass(600)
  expect(isIn()).toBe(true)
  setSession({ isRestarting: false })
  await pass(1)
  expect(isIn()).toBe(false)
})

it.each(['{', 'null', '7', '{"value":"x"}'])('ignores a malformed idle record: %s', async (text) => {
  follow(2)
  await pass(10)
  localStorage.setItem(leaveTimeKey(), text)
  await pass(1)
  expect(isIn()).toBe(true)
  await pass(109)
  expect(isIn()).toBe(false)
})
