import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeAll, expect, test, vi } from 'vitest'
import { loadTexts } from '../i18n/use-t'
import { renderUi } from '../testing/render-ui'
import { PowerIcon } from '../ui/icons'
import { ActionMenu } from './ActionMenu'
import type { RowAction } from './table/row-action'

beforeAll(() => loadTexts('patterns'))

const run = () => {}
const under = { label: 'Power', icon: PowerIcon }
const actions: RowAction[] = [
  { label: 'Open console', group: 'show', disabledBecause: 'Start it first', run },
  { label: 'Start', group: 'power', run },
  { label: 'Shelve', group: 'power', under, run },
  { label: 'Reboot', group: 'power', under, disabledBecause: 'It is shut down', run },
  { label: 'Rescue', group: 'power', under, run },
  { label: 'Rename', run },
  { label: 'Delete', group: 'delete', isDanger: true, run },
]
const menu = (items: readonly RowAction[]) => <ActionMenu label="Actions for web-1" items={items} />
const labels = () =>
  [...screen.getByRole('menu').querySelectorAll('[role=menuitem], [role=separator]')].map((it) =>
    it.getAttribute('role') === 'separator' ? '-' : (it.textContent ?? ''),
  )
const trigger = () => screen.getByRole('button', { name: 'Actions for web-1' })
/** Waits until the focus is back on the trigger: a menu opened before that loses its focus and closes. */
async function closed() {
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(trigger()))
}
async function open(items: readonly RowAction[] = actions) {
  const page = renderUi(menu(items))
  fireEvent.click(trigger())
  // wait for the menu's initial focus, which would otherwise override the focus set by a click
  await waitFor(() => expect(screen.getByRole('menu').contains(document.activeElement)).toBe(true))
  return page
}

test('shows available actions in groups, and the unavailable ones with their reasons on demand', async () => {
  await open()
  const fold = screen.getByRole('menuitem', { name: 'Unavailable actions (2)' })
  expect(fold.getAttribute('aria-expanded')).toBe('false')
  const quiet = ['Start', 'Power', '-', 'Rename', '-', 'Delete', '-', 'Unavailable actions (2)']
  expect(labels()).toEqual(quiet)
  fireEvent.click(fold)
  expect(fold.getAttribute('aria-expanded')).toBe('true')
  expect(labels()).toEqual([...quiet, 'Open consoleStart it first', 'RebootIt is shut down'])
  fireEvent.click(fold)
  expect(labels()).toEqual(quiet)
})

test('collapses the unavailable actions when the menu is opened again', async () => {
  await open()
  fireEvent.click(screen.getByRole('menuitem', { name: /^Unavailable actions/ }))
  fireEvent.keyDown(screen.getByRole('menuitem', { name: 'Start' }), { key: 'Escape' })
  await closed()
  fireEvent.click(trigger())
  await screen.findByRole('menu')
  expect(screen.queryByRole('menuitem', { name: /^Open console/ })).toBeNull()
})

test('always shows Delete, in red only when it is available', async () => {
  const page = await open()
  const isRed = () => /danger/.test(screen.getByRole('menuitem', { name: /^Delete/ }).className)
  expect(isRed()).toBe(true)
  page.rerender(menu(actions.map((it) => (it.label === 'Delete' ? { ...it, disabledBecause: 'It is locked' } : it))))
  const item = screen.getByRole('menuitem', { name: /^Delete/ })
  expect([item.getAttribute('aria-disabled'), item.textContent]).toEqual(['true', 'DeleteIt is locked'])
  expect(isRed()).toBe(false)
  expect(screen.getByRole('menuitem', { name: 'Unavailable actions (2)' })).toBeTruthy()
})

test('groups related actions in a submenu, unless there is only one', async () => {
  const shelve = vi.fn()
  const page = await open(actions.map((it) => (it.label === 'Shelve' ? { ...it, run: shelve } : it)))
  expect(screen.queryByRole('menuitem', { name: 'Shelve' })).toBeNull()
  fireEvent.click(screen.getByRole('menuitem', { name: 'Power' }))
  const item = await screen.findByRole('menuitem', { name: 'Shelve' })
  await waitFor(() => expect(item.parentElement!.contains(document.activeElement)).toBe(true))
  fireEvent.click(item)
  expect(shelve).toHaveBeenCalledOnce()
  await closed()
  page.rerender(menu(actions.filter(({ label }) => label !== 'Rescue')))
  fireEvent.click(trigger())
  expect(await screen.findByRole('menuitem', { name: 'Shelve' })).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: 'Power' })).toBeNull()
})

test('keeps the position and focus of an open menu when its actions change', async () => {
  const page = await open()
  const item = screen.getByRole('menuitem', { name: 'Rename' })
  act(() => item.focus())
  page.rerender(menu(actions.map((it) => (it.label === 'Start' ? { ...it, disabledBecause: 'It runs' } : it))))
  await screen.findByRole('menuitem', { name: 'Unavailable actions (3)' })
  expect(document.activeElement).toBe(item)
  expect(screen.getByRole('menuitem', { name: 'Rename' })).toBe(item)
})
