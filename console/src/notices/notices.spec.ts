import { beforeEach, expect, it } from 'vitest'
import { hasUnsavedWork } from './leave-guard'
import { notify, removeNotice, useNotices } from './notices'

const all = () => useNotices.getState().notices

beforeEach(() => {
  for (const { id } of all()) removeNotice(id)
})

it('keeps at most 30, newest first [CO-032] [UI-102]', () => {
  for (let index = 0; index < 40; index++) notify({ type: 'info', title: `notice ${index}` })
  expect(all().map(({ title }) => title)).toEqual(Array.from({ length: 30 }, (_, index) => `notice ${39 - index}`))
})

it('says the same error once, with how often', () => {
  for (let index = 0; index < 3; index++) notify({ type: 'error', title: 'It failed', message: 'why' })
  expect(all()).toHaveLength(1)
  expect(all()[0]!.count).toBe(3)
})

it('never pushes out what is still going on', () => {
  notify({ type: 'progress', title: 'upload' })
  for (let index = 0; index < 40; index++) notify({ type: 'info', title: `notice ${index}` })
  expect(all().map(({ title }) => title)).toContain('upload')
})

it('lets the browser ask before leaving while something would break off [UI-100]', () => {
  const id = notify({ type: 'progress', title: 'upload', preventReload: true })
  const event = new Event('beforeunload', { cancelable: true })
  dispatchEvent(event)
  expect(event.defaultPrevented).toBe(true)
  removeNotice(id)
  expect(hasUnsavedWork()).toBe(false)
})
