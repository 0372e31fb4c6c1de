import type { Task } from '@mainstay/contract/core/tasks'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { mute } from '../../notices/notice-settings'
import type { NoticeDraft, NoticeType } from '../../notices/notice-types'
import { notify, removeNotice, updateNotice, useNotices } from '../../notices/notices'
import { resetFeatures } from '../../features/features'
import { addStyleSheet } from '../../testing/computed-style'
import { queryClient } from '../../api/query-client'
import { pressAndLoad } from '../../testing/press-and-load'
import { openPage, page, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()
beforeEach(() => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  mute('all', false)
  resetFeatures()
})

const bell = () => screen.findByRole('button', { name: /^Notifications/ }, pageTimeout)
const say = (draft: Partial<NoticeDraft> & Pick<NoticeDraft, 'type'>) => {
  let id = ''
  act(() => {
    // only in the list, so that queries do not also find it in the corner
    id = notify({ title: draft.type, showBottom: false, ...draft })
  })
  return id
}
const task = (part: Partial<Task> = {}): Task =>
  ({
    ...{ id: 't1', name: 'compute.server.create', state: 'running', progress: 40, error: null, kwargs: {} },
    args: [{ kind: 'server', id: 'vm1', name: 'web' }],
    ...{
      cancellable: false,
      created_at: '2026-01-02T10:00:00Z',
      updated_at: '2026-01-02T10:00:05Z',
      finished_at: null,
    },
    ...part,
  }) as Task

async function openBell() {
  await pressAndLoad(await bell())
  return within(await screen.findByRole('dialog', { name: 'Notifications' }, pageTimeout))
}
async function openCentre() {
  await openPage('/tasks', 'project-member')
  const centre = await openBell()
  // the tabs are complete once the features are loaded
  await centre.findByRole('tab', { name: /^Tasks/ }, pageTimeout)
  return centre
}
const filterOf = (centre: Awaited<ReturnType<typeof openBell>>) =>
  centre.getAllByRole('button').find((it) => it.getAttribute('aria-haspopup') === 'listbox')!
const tabs = (centre: Awaited<ReturnType<typeof openBell>>) =>
  centre.getAllByRole('tab').map(({ textContent }) => textContent.replace(/\d+ new$|\d+$/, ''))
const shown = (centre: Awaited<ReturnType<typeof openBell>>) =>
  centre.queryAllByRole('article').map((it) => it.querySelector('div > div')!.textContent)
const openTab = (centre: Awaited<ReturnType<typeof openBell>>, name: RegExp) =>
  fireEvent.click(centre.getByRole('tab', { name }))

it('the bell opens the list below itself, aligned to its start [UI-080]', async () => {
  await openPage('/tasks', 'project-member')
  const place = { x: 200, y: 10, left: 200, right: 236, top: 10, bottom: 46, width: 36, height: 36 }
  const button = await bell()
  const real = HTMLElement.prototype.getBoundingClientRect
  const stub = vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (
    this: HTMLElement,
  ) {
    return (this.getAttribute('aria-label') ?? '').startsWith('Notifications') && this.tagName === 'BUTTON'
      ? { ...place, toJSON() {} }
      : real.call(this)
  })
  const wide = vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockImplementation(function (this: HTMLElement) {
    return this.hasAttribute('data-trigger') ? 416 : 1280
  })
  expect(screen.queryByRole('dialog')).toBeNull()
  await pressAndLoad(button)
  const popover = (await screen.findByRole('dialog', { name: 'Notifications' }, pageTimeout)).parentElement!
  await vi.waitFor(() => expect(popover.getAttribute('data-placement')).toBe('bottom'))
  expect(Math.round(Number.parseFloat(popover.style.left))).toBe(place.left)
  stub.mockRestore()
  wide.mockRestore()
})

it('has a tab for notifications and one for settings [UI-081] [UI-083]', async () => {
  const centre = await openCentre()
  expect(tabs(centre)).toContain('Notifications')
  expect(tabs(centre)).toContain('Configuration')
})

it('has a tab for tasks only while the tasks-notifications feature is on [UI-082]', async () => {
  const centre = await openCentre()
  const all = ['Notifications', 'Tasks', 'Configuration']
  await vi.waitFor(() => expect(tabs(centre)).toEqual(all), pageTimeout)
  openTab(centre, /^Configuration/)
  fireEvent.click(await centre.findByRole('switch', { name: /Show tasks in this panel/ }))
  expect(tabs(centre)).toEqual(['Notifications', 'Configuration'])
  expect(JSON.parse(localStorage.getItem('features')!)).toEqual({ 'tasks-notifications': false })
  fireEvent.click(centre.getByRole('switch', { name: /Show tasks in this panel/ }))
  expect(tabs(centre)).toEqual(all)
})

const types: readonly NoticeType[] = ['warning', 'error', 'info', 'success', 'progress']

it('filters by type: warning, error, info, success, progress [UI-084] [ST-023]', async () => {
  for (const type of types) say({ type })
  const centre = await openCentre()
  const choose = async (name: string) => {
    fireEvent.click(filterOf(centre))
    const list = within(await screen.findByRole('listbox', {}, pageTimeout))
    const names = list.getAllByRole('option').map(({ textContent }) => textContent)
    fireEvent.click(list.getByRole('option', { name }))
    return names
  }
  expect(shown(centre)).toHaveLength(5)
  const options = ['All notifications', 'Warnings', 'Errors', 'Information', 'Success', 'In progress']
  for (const [at, type] of types.entries()) {
    expect(await choose(options[at + 1]!)).toEqual(options)
    await vi.waitFor(() => expect(shown(centre).join()).toContain(type))
    expect(shown(centre)).toHaveLength(1)
  }
  await choose('All notifications')
  await vi.waitFor(() => expect(shown(centre)).toHaveLength(5))
})

it('shows separate empty states for all notifications and for a single type [UI-110] [UI-111]', async () => {
  const centre = await openCentre()
  expect(centre.getByText('No notifications.')).toBeTruthy()
  say({ type: 'info' })
  expect(centre.queryByText('No notifications.')).toBeNull()
  fireEvent.click(filterOf(centre))
  fireEvent.click(await screen.findByRole('option', { name: 'Errors' }, pageTimeout))
  expect(await centre.findByText('No errors.')).toBeTruthy()
})

it('clears notifications of the selected type and all task notifications [UI-085] [UI-092]', async () => {
  say({ type: 'success', title: 'of a task', task: task({ state: 'success' }) })
  say({ type: 'info', title: 'one' })
  say({ type: 'error', title: 'two' })
  const centre = await openCentre()
  fireEvent.click(filterOf(centre))
  fireEvent.click(await screen.findByRole('option', { name: 'Errors' }, pageTimeout))
  await vi.waitFor(() => expect(shown(centre)).toHaveLength(1))
  fireEvent.click(centre.getByRole('button', { name: 'Clear' }))
  expect(useNotices.getState().notices.map(({ title }) => title)).toEqual(['one'])
})

/** Records requests, after the page has received all of its responses. */
async function requestsFromNowOn() {
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0))
  return vi.spyOn(globalThis, 'fetch')
}

it('opening the bell marks all as seen without a request to the server [UI-090] [CA-121]', async () => {
  await openPage('/tasks', 'project-member')
  say({ type: 'info', title: 'one' })
  say({ type: 'error', title: 'two' })
  expect((await bell()).textContent).toBe('2')
  expect((await bell()).getAttribute('aria-label')).toBe('Notifications, 2 new')
  await screen.findByText('No tasks yet.')
  const asked = await requestsFromNowOn()
  const centre = await openBell()
  await centre.findByText('one')
  expect((await screen.findByRole('button', { name: 'Notifications', hidden: true })).textContent).toBe('')
  expect(useNotices.getState().notices.map(({ isSeen }) => isSeen)).toEqual([true, true])
  // notifications that arrive while it is open also count as seen
  say({ type: 'info', title: 'three' })
  await vi.waitFor(() => expect(useNotices.getState().notices.every(({ isSeen }) => isSeen)).toBe(true))
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})

it('do not disturb hides the counter, the ring and the corner notifications [UI-094]', async () => {
  await openPage('/tasks', 'project-member')
  say({ type: 'info', title: 'quiet', showBottom: true })
  say({ type: 'progress', title: 'goes on', showBottom: true })
  const button = await bell()
  expect(button.getAttribute('aria-label')).toBe('Notifications, 1 new, tasks are running')
  const rings = () => button.querySelectorAll('svg').length
  expect([button.textContent, rings()]).toEqual(['1', 2])
  expect(await screen.findByText('quiet')).toBeTruthy()
  act(() => mute('all', true))
  expect([button.textContent, rings()]).toEqual(['', 1])
  expect(button.getAttribute('aria-label')).toBe('Notifications, do not disturb')
  expect(screen.queryByText('quiet')).toBeNull()
})

it('shows a banner while do not disturb is on, which turns it off without a request to the server [UI-093] [UI-095] [CA-120]', async () => {
  const centre = await openCentre()
  openTab(centre, /^Configuration/)
  expect(centre.queryByText(/^Do not disturb is on/)).toBeNull()
  const asked = await requestsFromNowOn()
  fireEvent.click(await centre.findByRole('switch', { name: /Do not disturb/ }))
  for (const tab of [/^Tasks/, /^Notifications/, /^Configuration/]) {
    openTab(centre, tab)
    expect(centre.getByText(/^Do not disturb is on/)).toBeTruthy()
  }
  fireEvent.click(centre.getByRole('button', { name: 'Turn on notifications' }))
  expect(centre.queryByText(/^Do not disturb is on/)).toBeNull()
  expect(centre.getByRole<HTMLInputElement>('switch', { name: /Do not disturb/ }).checked).toBe(false)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})

it('settings choose the types shown in the corner; the list keeps all types [UI-086]', async () => {
  const centre = await openCentre()
  openTab(centre, /^Configuration/)
  const flags = [/^Warnings/, /^Errors/, /^Information/, /^Success/, /^In progress/]
  for (const name of flags) expect((await centre.findByRole<HTMLInputElement>('switch', { name })).checked).toBe(true)
  fireEvent.click(centre.getByRole('switch', { name: /^Information/ }))
  say({ type: 'info', title: 'muted', showBottom: true })
  say({ type: 'warning', title: 'told', showBottom: true })
  const corner = within(screen.getByRole('region', { name: 'Notifications', hidden: true }))
  expect([corner.queryByText('told') !== null, corner.queryByText('muted')]).toEqual([true, null])
  openTab(centre, /^Notifications/)
  expect(await centre.findByText('muted')).toBeTruthy()
  act(() => mute('info', false))
})

it('shows a progress bar if the percentage is known, except in the tasks tab [UI-096]', async () => {
  say({ type: 'progress', title: 'unknown' })
  say({ type: 'progress', title: 'of a task', progress: 40, task: task() })
  const centre = await openCentre()
  expect(centre.getAllByRole('progressbar').map((it) => it.getAttribute('aria-valuenow'))).toEqual(['40'])
  openTab(centre, /^Tasks/)
  expect(await centre.findByText(/^40%, started/)).toBeTruthy()
  expect(centre.queryByRole('progressbar')).toBeNull()
})

it('shows a date for every type except progress [UI-098]', async () => {
  for (const type of types) say({ type })
  const centre = await openCentre()
  const dated = centre
    .getAllByRole('article')
    .map((it) => [types.find((type) => it.textContent.includes(type)), it.querySelector('time') !== null])
  expect(Object.fromEntries(dated)).toEqual({ warning: true, error: true, info: true, success: true, progress: false })
})

it('limits the list to 90 % of the page height minus the header of 64 px [CO-007]', async () => {
  addStyleSheet('shell/notifications/NotificationCentre.module.css')
  say({ type: 'info' })
  const centre = await openCentre()
  const list = centre.getByRole('article').closest('section')!.parentElement!
  expect(getComputedStyle(list).maxHeight).toBe('calc(90vh - 64px)')
})

/** Simulates text heights by the number of lines. */
function withLines() {
  const height = vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(function (
    this: HTMLElement,
  ) {
    return 20 * (this.textContent ?? '').split('\n').length
  })
  return () => height.mockRestore()
}
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n')

it('truncates a message after three rows, and "Show more" expands it in place [CO-035]', async () => {
  addStyleSheet('shell/notifications/NoticeText.module.css')
  const restore = withLines()
  say({ type: 'warning', message: lines(3) })
  const centre = await openCentre()
  const message = () => centre.getByText(/^line 1/)
  expect(getComputedStyle(message()).getPropertyValue('-webkit-line-clamp')).toBe('3')
  expect(centre.queryByRole('button', { name: 'Show more' })).toBeNull()
  say({ type: 'info', message: lines(10) })
  act(() => removeNotice(useNotices.getState().notices[1]!.id))
  fireEvent.click(await centre.findByRole('button', { name: 'Show more' }))
  expect(getComputedStyle(message()).getPropertyValue('-webkit-line-clamp')).not.toBe('3')
  fireEvent.click(centre.getByRole('button', { name: 'Show less' }))
  expect(getComputedStyle(message()).getPropertyValue('-webkit-line-clamp')).toBe('3')
  restore()
})

it('opens a message of more than ten rows in a dialog [CO-036]', async () => {
  const restore = withLines()
  say({ type: 'warning', title: 'long', message: lines(11) })
  const centre = await openCentre()
  fireEvent.click(await centre.findByRole('button', { name: 'Show more' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'long' }, pageTimeout))
  expect(dialog.getByText(/line 11$/)).toBeTruthy()
  fireEvent.click(dialog.getAllByRole('button', { name: 'Close' }).at(-1)!)
  await vi.waitFor(() => expect(screen.queryByRole('dialog', { name: 'long' })).toBeNull())
  restore()
})

it('shows the reason, object, arguments and request ID of a task, and copies them for the support team', async () => {
  const failed = task({ state: 'failed', error: 'No host has room', err_code: 'no_host', request_id: 'req-1' })
  say({ type: 'error', title: 'Cannot create virtual machine “web”', message: 'No host has room', task: failed })
  const centre = await openCentre()
  fireEvent.click(centre.getByRole('button', { name: 'Show details' }))
  const dialog = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  for (const text of ['No host has room', 'no_host', 'req-1', 'web', 'compute.server.create']) dialog.getByText(text)
  const writeText = vi.fn(() => Promise.resolve())
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  fireEvent.click(dialog.getByRole('button', { name: 'Copy for support' }))
  await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith(expect.stringMatching(/No host has room[^]*req-1/)))
  Reflect.deleteProperty(navigator, 'clipboard')
})

it('the details of a failure link to its object', async () => {
  const actions = [{ label: 'Open', name: 'open' as const, payload: '/tasks' }]
  say({ type: 'error', title: 'Cannot start “web”', message: 'No host has room', actions })
  const centre = await openCentre()
  fireEvent.click(centre.getByRole('button', { name: 'Show details' }))
  fireEvent.click(within(await screen.findByRole('alertdialog', {}, pageTimeout)).getByRole('button', { name: 'Open' }))
  await vi.waitFor(() => expect(page!.address()).toBe('/tasks'))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

it('lists running tasks first and links to all tasks', async () => {
  say({ type: 'progress', title: 'goes on', task: task() })
  say({
    type: 'success',
    title: 'done',
    task: task({ id: 't2', state: 'success', finished_at: '2026-01-02T10:00:09Z' }),
  })
  say({ type: 'info', title: 'no task' })
  const centre = await openCentre()
  openTab(centre, /^Tasks/)
  await vi.waitFor(() => expect(shown(centre)).toEqual(['goes on', 'done']))
  expect(centre.getByText(/took 9 sec$/)).toBeTruthy()
  fireEvent.click(centre.getByRole('button', { name: 'View all tasks' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog', { name: 'Notifications' })).toBeNull())
  expect(page!.address()).toBe('/tasks')
})

it('separates new from earlier notifications, and opens an action’s page', async () => {
  const id = say({ type: 'info', title: 'before' })
  act(() => updateNotice(id, { isSeen: true }))
  say({
    type: 'success',
    title: 'web created',
    actions: [{ label: 'Open', name: 'open', payload: '/compute/ssh-keys' }],
  })
  const centre = await openCentre()
  const part = (name: string) => within(centre.getByRole('region', { name }))
  expect(part('New').getByText('web created')).toBeTruthy()
  expect(part('Earlier').getByText('before')).toBeTruthy()
  fireEvent.click(centre.getByRole('button', { name: 'Open' }))
  await vi.waitFor(() => expect(page!.address()).toBe('/compute/ssh-keys'))
})
