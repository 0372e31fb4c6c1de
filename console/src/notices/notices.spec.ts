import { beforeEach, expect, it } from 'vitest'
import { hasUnsavedWork } from './leave-guard'
import { bottomOf, clearNotices, durationsMs, maxMainItems, notify, removeNotice, useNotices } from './notices'

const all = () => useNotices.getState().notices

beforeEach(() => {
  for (const { id } of all()) removeNotice(id)
})

it('shows a warning for 5 s, an error for 10 s, a success and an info for 3 s, a progress until it ends [CO-027] [CO-028] [CO-029] [CO-030] [CO-031]', () => {
  expect(durationsMs).toEqual({ warning: 5000, error: 10_000, success: 3000, info: 3000, progress: null })
})

it('keeps at most 30, newest first [CO-032] [UI-102]', () => {
  for (let index = 0; index < 40; index++) notify({ type: 'info', title: `notice ${index}` })
  expect(all()).toHaveLength(maxMainItems)
  expect(all()[0]!.title).toBe('notice 39')
})

it('shows at most three in the corner [CO-033]', () => {
  for (let index = 0; index < 5; index++) notify({ type: 'info', title: `notice ${index}` })
  expect(bottomOf(all()).map(({ title }) => title)).toEqual(['notice 2', 'notice 3', 'notice 4'])
})

it('says the same error once, with how often', () => {
  for (let index = 0; index < 3; index++) notify({ type: 'error', title: 'It failed', message: 'why' })
  expect(all()).toHaveLength(1)
  expect(all()[0]!.count).toBe(3)
})

it('removes one at a time [UI-091] [CA-119]', () => {
  const id = notify({ type: 'info', title: 'one' })
  notify({ type: 'info', title: 'two' })
  removeNotice(id)
  expect(all().map(({ title }) => title)).toEqual(['two'])
})

it('never pushes out or clears what is still going on', () => {
  notify({ type: 'progress', title: 'upload' })
  for (let index = 0; index < 40; index++) notify({ type: 'info', title: `notice ${index}` })
  clearNotices()
  expect(all().map(({ title }) => title)).toEqual(['upload'])
})

it('lets the browser ask before leaving while something would break off [UI-100]', () => {
  const id = notify({ type: 'progress', title: 'upload', preventReload: true })
  const event = new Event('beforeunload', { cancelable: true })
  dispatchEvent(event)
  expect(event.defaultPrevented).toBe(true)
  removeNotice(id)
  expect(hasUnsavedWork()).toBe(false)
})
