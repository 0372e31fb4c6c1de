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
  // the server answers at once
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}
const isIn = () => sessionNow().user !== null
const record = () => JSON.parse(localStorage.getItem(leaveTimeKey())!) as { value: number; timestamp: number }
const move = () => dispatchEvent(new MouseEvent('mousemove'))

it('the record is leaveTime with the name of the console, the seconds and the time [EN-021]', async () => {
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
  ['mouse that moves', new MouseEvent('mousemove')],
  ['key', new KeyboardEvent('keydown', { key: 'a' })],
  ['press', new MouseEvent('click')],
])('a %s sets the counter back [ST-012]', async (_, event) => {
  follow(15)
  await pass(600)
  dispatchEvent(event)
  await pass(1)
  expect(idleSeconds()).toBeLessThan(1)
  await pass(14 * 60)
  expect(isIn()).toBe(true)
})

it('of a crowd of moves the last one counts, 300 ms later [CO-009]', async () => {
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

it('whoever does nothing for the minutes that are set is signed out, and not before [ST-013]', async () => {
  follow(2)
  await pass(119)
  expect(isIn()).toBe(true)
  await pass(1)
  expect(isIn()).toBe(false)
  expect(minutesAway()).toBe(2)
})

it('what is said of an absence is said of the one just now', async () => {
  follow(2)
  await pass(120)
  expect(minutesAway()).toBe(2)
  await pass(11)
  expect(minutesAway()).toBeNull()
})

it('nobody is signed out while something goes on that leaving would break off, but after it [ST-014]', async () => {
  follow(2)
  const upload = notify({ type: 'progress', title: 'upload', preventReload: true })
  await pass(3600)
  expect(isIn()).toBe(true)
  // one that leaving does not break off holds nobody
  notify({ type: 'progress', title: 'task' })
  removeNotice(upload)
  await pass(122)
  expect(isIn()).toBe(false)
})

it('an upload in another tab holds this one as well', async () => {
  follow(2)
  for (let at = 0; at < 300; at++) {
    // as a tab writes it whose counter stands still
    localStorage.setItem(leaveTimeKey(), JSON.stringify({ value: 3, timestamp: Date.now() }))
    await pass(1)
  }
  expect(isIn()).toBe(true)
  await pass(120)
  expect(isIn()).toBe(false)
})

it('while the counter is suspended it stands still, and goes on from there [ST-016]', async () => {
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

it('0 minutes are never', async () => {
  follow(0)
  await pass(24 * 3600)
  expect(isIn()).toBe(true)
  expect(localStorage.getItem(leaveTimeKey())).toBeNull()
})

it('in a frame of another page nobody is signed out [ST-018]', async () => {
  vi.stubGlobal('parent', {})
  follow(1)
  await pass(24 * 3600)
  expect(isIn()).toBe(true)
})

it('somebody who is active in another tab is here too, and the question goes', async () => {
  follow(2)
  await pass(90)
  expect(useIdle.getState().secondsLeft).toBe(30)
  localStorage.setItem(leaveTimeKey(), JSON.stringify({ value: 0, timestamp: Date.now() }))
  await pass(1)
  expect(useIdle.getState().secondsLeft).toBeNull()
  await pass(100)
  expect(isIn()).toBe(true)
})

it('asks in the last minute, and in the last half where there is less', async () => {
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

it('after the machine has slept, whoever wakes it is signed out at once', async () => {
  follow(15)
  await pass(10)
  vi.setSystemTime(Date.now() + 3_600_000)
  await pass(1)
  expect(isIn()).toBe(false)
})

it('without a session, and while the server restarts, there is nothing to end', async () => {
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

it.each(['{', 'null', '7', '{"value":"x"}'])('a record that says nothing (%s) counts for nothing', async (text) => {
  follow(2)
  await pass(10)
  localStorage.setItem(leaveTimeKey(), text)
  await pass(1)
  expect(isIn()).toBe(true)
  await pass(109)
  expect(isIn()).toBe(false)
})
