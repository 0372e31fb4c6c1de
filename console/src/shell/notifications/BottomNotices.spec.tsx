import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { loadTexts } from '../../i18n/use-t'
import type { NoticeType } from '../../notices/notice-types'
import { notify, removeNotice, useNotices } from '../../notices/notices'
import { useUploads, type Upload } from '../../notices/uploads'
import { addStyleSheet } from '../../testing/computed-style'
import { renderUi } from '../../testing/render-ui'
import { BottomNotices } from './BottomNotices'

beforeAll(async () => {
  vi.stubGlobal('fetch', fetching)
  await Promise.all([loadTexts('shell'), loadTexts('notices')])
})
const fetching = vi.fn(() => Promise.reject(new TypeError('no server')))
beforeEach(() => {
  vi.useFakeTimers()
  fetching.mockClear()
  renderUi(<BottomNotices />)
})
afterEach(() => {
  vi.useRealTimers()
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  useUploads.setState({ uploads: [] })
})

const say = (type: NoticeType, title: string = type) =>
  act(() => {
    notify({ type, title })
  })
const isShown = (title: string) => screen.queryByText(title) !== null
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

/** How long a notification of this type stays in the corner, in milliseconds; null if it does not disappear. */
async function shownFor(type: NoticeType): Promise<number | null> {
  say(type)
  for (let passed = 0; passed < 60_000; passed += 500) {
    if (!isShown(type)) return passed
    await pass(500)
  }
  return isShown(type) ? null : 60_000
}

it('shows a warning for 5 s [CO-027]', async () => {
  expect(await shownFor('warning')).toBe(5000)
})
it('shows an error for 10 s [CO-028]', async () => {
  expect(await shownFor('error')).toBe(10_000)
})
it('shows a success notification for 3 s [CO-029]', async () => {
  expect(await shownFor('success')).toBe(3000)
})
it('shows an info notification for 3 s [CO-030]', async () => {
  expect(await shownFor('info')).toBe(3000)
})
it('shows progress until the operation ends [CO-031]', async () => {
  expect(await shownFor('progress')).toBeNull()
})

it('keeps a notification in the list after it leaves the corner', async () => {
  say('info')
  await pass(3000)
  expect(useNotices.getState().notices).toMatchObject([{ title: 'info', showBottom: false }])
})

it('stops the timers while the pointer is over the notifications', async () => {
  say('info')
  fireEvent.pointerEnter(screen.getByRole('region'))
  await pass(60_000)
  expect(isShown('info')).toBe(true)
  fireEvent.pointerLeave(screen.getByRole('region'))
  await pass(3000)
  expect(isShown('info')).toBe(false)
})

const upload = (number: number) =>
  ({ id: `u${number}`, name: `disk ${number}`, status: 'PENDING', sentBytes: 0, sizeBytes: 1 }) as Upload

it('shows at most three notifications including uploads, then the next ones [CO-033]', async () => {
  const titles = () => [...document.querySelectorAll('article')].map((it) => it.textContent)
  for (let index = 0; index < 5; index++) say('info', `notice ${index}`)
  expect(titles()).toEqual(['notice 2', 'notice 3', 'notice 4'].map((title) => expect.stringContaining(title)))
  act(() => useUploads.setState({ uploads: [1, 2, 3, 4, 5].map(upload) }))
  expect(titles()).toEqual(['disk 1', 'disk 2', 'notice 4'].map((title) => expect.stringContaining(title)))
  // every other notification has timed out by then
  await pass(20_000)
  expect(titles()).toEqual(['disk 1', 'disk 2', 'disk 3'].map((title) => expect.stringContaining(title)))
})

it('allows closing every notification except progress [UI-097]', () => {
  const closers = (type: NoticeType) => {
    say(type)
    const toast = screen.getByText(type).closest('article')!
    const found = within(toast).queryAllByRole('button', { name: 'Close' })
    for (const { id } of useNotices.getState().notices) act(() => removeNotice(id))
    return found.length
  }
  expect((['warning', 'error', 'info', 'success', 'progress'] as const).map(closers)).toEqual([1, 1, 1, 1, 0])
})

it('stacks notifications with a gap of 16 px [UI-087]', () => {
  addStyleSheet('shell/notifications/BottomNotices.module.css')
  say('info', 'one')
  say('info', 'two')
  const stack = screen.getByText('one').closest('article')!.parentElement!.parentElement!
  expect(stack.contains(screen.getByText('two'))).toBe(true)
  const { display, flexDirection, gap } = getComputedStyle(stack)
  expect([display, flexDirection, gap]).toEqual(['flex', 'column', '16px'])
})

it('removes a single notification without a request to the server [UI-091] [CA-119]', () => {
  say('info', 'one')
  say('info', 'two')
  fireEvent.click(screen.getAllByRole('button', { name: 'Close' })[0]!)
  expect([isShown('one'), isShown('two')]).toEqual([false, true])
  expect(useNotices.getState().notices.map(({ title }) => title)).toEqual(['two'])
  expect(fetching).not.toHaveBeenCalled()
})
