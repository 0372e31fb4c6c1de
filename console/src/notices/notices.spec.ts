import { beforeEach, expect, it, vi } from 'vitest'
import { freshSession } from '../testing/fresh-session'
import { setSession } from '../session/session'
import { keptKey } from './kept-notices'
import { hasUnsavedWork } from './leave-guard'
import type { Notice } from './notice-types'
import { clearNotices, notify, removeNotice, renewNotices, unseenOf, updateNotice, useNotices } from './notices'

const all = () => useNotices.getState().notices
const titles = () => all().map(({ title }) => title)

beforeEach(() => {
  for (const { id } of all()) removeNotice(id)
  localStorage.clear()
  freshSession()
})

it('keeps at most 30 notifications, newest first [CO-032] [UI-102]', () => {
  for (let index = 0; index < 40; index++) notify({ type: 'info', title: `notice ${index}` })
  expect(titles()).toEqual(Array.from({ length: 30 }, (_, index) => `notice ${39 - index}`))
})

it('supports all properties that the specification names and keeps their values [EN-003]', () => {
  const parts = {
    id: 'one',
    type: 'progress',
    title: 'Copying',
    message: 'from here to there',
    progress: 40,
    duration: 1000,
    showBottom: false,
    showClose: true,
    preventReload: true,
    skipStore: true,
    operationId: 'copy',
    actions: [{ label: 'Abort', name: 'abort', payload: 'this', click: () => {} }],
    components: [() => null],
    onClose: () => {},
    task: { id: 't' } as Notice['task'],
  } as const
  notify(parts)
  expect(all()).toEqual([{ ...parts, count: 1, timestamp: expect.any(Number) as number, isSeen: false }])
})

it('shows repeated errors once, with a count', () => {
  for (let index = 0; index < 3; index++) notify({ type: 'error', title: 'It failed', message: 'why' })
  expect(all()).toHaveLength(1)
  expect(all()[0]!.count).toBe(3)
})

it('shows one notification per operation, from its start to its end', () => {
  notify({ type: 'progress', title: 'Shutting down 3 machines', operationId: 'run' })
  notify({ type: 'info', title: 'other' })
  notify({ type: 'success', title: '3 machines shut down', operationId: 'run' })
  expect(titles()).toEqual(['3 machines shut down', 'other'])
})

it('never drops progress notifications', () => {
  notify({ type: 'progress', title: 'upload' })
  for (let index = 0; index < 40; index++) notify({ type: 'info', title: `notice ${index}` })
  expect(titles()).toContain('upload')
})

it('asks for confirmation before leaving the page if that would interrupt an operation [UI-100]', () => {
  const isAsked = () => {
    const event = new Event('beforeunload', { cancelable: true })
    dispatchEvent(event)
    return event.defaultPrevented
  }
  notify({ type: 'progress', title: 'task' })
  expect(isAsked()).toBe(false)
  const [one, two] = ['one', 'two'].map((title) => notify({ type: 'progress', title, preventReload: true }))
  expect(isAsked()).toBe(true)
  removeNotice(one!)
  expect(isAsked()).toBe(true)
  removeNotice(two!)
  expect([isAsked(), hasUnsavedWork()]).toEqual([false, false])
})

it('counts unseen notifications up to 9999, not including progress notifications [CO-010]', () => {
  const id = notify({ type: 'error', title: 'It failed' })
  notify({ type: 'progress', title: 'upload' })
  expect(unseenOf(all())).toBe(1)
  updateNotice(id, { count: 9998 })
  notify({ type: 'info', title: 'one' })
  expect(unseenOf(all())).toBe(9999)
  notify({ type: 'info', title: 'two' })
  expect(unseenOf(all())).toBe(9999)
})

it('clears notifications of the selected type and all task notifications', () => {
  notify({ type: 'warning', title: 'of a task', task: { id: 't' } as Notice['task'] })
  notify({ type: 'info', title: 'info' })
  notify({ type: 'error', title: 'error' })
  clearNotices('error')
  expect(titles()).toEqual(['info'])
})

/** The notifications that a newly opened page would show. */
async function afterReload() {
  vi.resetModules()
  const fresh = await import('./notices')
  return fresh.useNotices.getState().notices
}

it('after a reload, keeps notifications in the list but not in the corner, and drops progress notifications [UI-099]', async () => {
  notify({ type: 'progress', title: 'goes on' })
  notify({ type: 'info', title: 'only now', skipStore: true })
  notify({
    type: 'success',
    title: 'saved',
    message: 'all of it',
    actions: [{ label: 'Open', name: 'open', payload: '/a' }],
  })
  expect(localStorage.getItem(keptKey)).not.toContain('goes on')
  const [kept, ...more] = await afterReload()
  expect(more).toEqual([])
  expect(kept).toMatchObject({ title: 'saved', message: 'all of it', showBottom: false, isSeen: false })
  expect(kept!.actions).toEqual([{ label: 'Open', name: 'open', payload: '/a' }])
})

it.each([
  ['no JSON', '{'],
  ['another version', JSON.stringify({ version: 1, user: null, notices: [{ id: 'a', type: 'info', title: 'old' }] })],
  ['no list', JSON.stringify({ version: 2, user: null, notices: 'x' })],
  [
    'strange rows',
    JSON.stringify({ version: 2, user: null, notices: [null, 7, { id: 1 }, { id: 'a', type: 'loud', title: 'x' }] }),
  ],
])('ignores stored data that is %s and still accepts new notifications', async (_, text) => {
  localStorage.setItem(keptKey, text)
  expect(await afterReload()).toEqual([])
  renewNotices()
  notify({ type: 'info', title: 'new' })
  expect(titles()).toEqual(['new'])
})

it('applies notifications that another tab added, closed or marked as seen', () => {
  const [first] = [notify({ type: 'info', title: 'closed there' }), notify({ type: 'info', title: 'seen there' })]
  const kept = JSON.parse(localStorage.getItem(keptKey)!) as { notices: { id: string }[] }
  const seen = kept.notices.filter(({ id }) => id !== first).map((notice) => ({ ...notice, isSeen: true }))
  const told = {
    id: 'x',
    type: 'error',
    title: 'told there',
    timestamp: Date.now() + 1,
    isSeen: false,
    count: 1,
    actions: [],
  }
  localStorage.setItem(keptKey, JSON.stringify({ ...kept, notices: [told, ...seen] }))
  dispatchEvent(new StorageEvent('storage', { key: keptKey }))
  expect(all()).toMatchObject([
    { title: 'told there', showBottom: false },
    { title: 'seen there', isSeen: true, showBottom: true },
  ])
})

it('hides another user’s notifications', () => {
  const user = (id: string) => ({ id, name: id, roles: [] }) as never
  setSession({ user: user('ada') })
  notify({ type: 'error', title: 'of ada' })
  setSession({ user: user('bo') })
  renewNotices()
  expect(all()).toEqual([])
  notify({ type: 'info', title: 'of bo' })
  expect(titles()).toEqual(['of bo'])
  expect(localStorage.getItem(keptKey)).not.toContain('of ada')
})
