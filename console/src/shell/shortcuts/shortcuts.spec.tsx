import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { sessionNow } from '../../session/session'
import { expectAddress, openPage, page, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

const long = { timeout: 180_000 }
withPages()
// loading these modules can take a long time on a busy machine
beforeAll(() => import('./Shortcuts'), 180_000)

const press = (key: string, more: Partial<KeyboardEventInit> = {}) => fireEvent.keyDown(document.body, { key, ...more })

async function open(path: string) {
  await openPage(path, 'project-member')
  await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
  await screen.findByRole('heading', { level: 1 }, pageTimeout)
  // repeat until the shortcuts are active
  await vi.waitFor(async () => {
    press('?')
    await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }, { timeout: 200 })
  }, pageTimeout)
  return within(screen.getByRole('dialog', { name: 'Keyboard shortcuts' }))
}
async function close() {
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), pageTimeout)
}

it(
  '? lists the shortcuts, c creates an object, g v opens the virtual machines, r reloads',
  { ...long, tags: 'all' },
  async () => {
    const storage = server.tools.ports['object-storage']
    await storage.setAvailable(false)
    const help = await open('/compute/volumes')
    expect(help.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining(['Search everything', 'Search this list', 'Virtual machines']),
    )
    // unavailable pages are not listed
    expect(help.queryByText('Buckets')).toBeNull()
    await storage.setAvailable(true)
    // shortcuts do nothing behind a dialog
    press('c')
    expect(page!.address()).toBe('/compute/volumes')
    await close()
    press('c', { ctrlKey: true })
    expect(page!.address()).toBe('/compute/volumes')
    press('c')
    await expectAddress('/compute/volumes/add')
    await screen.findByRole('dialog', {}, pageTimeout)

    await open('/compute/volumes').then(close)
    const asked = vi.spyOn(globalThis, 'fetch')
    press('r')
    await vi.waitFor(
      () => expect(asked.mock.calls.map(([to]) => to as string)).toContainEqual(expect.stringContaining('volumes')),
      pageTimeout,
    )
    asked.mockRestore()
    press('v')
    expect(page!.address()).toBe('/compute/volumes')
    press('g')
    press('v')
    await expectAddress('/compute/instances')
  },
)

it('shortcuts do nothing in a field or when the user turned them off', { ...long, tags: 'all' }, async () => {
  await open('/compute/volumes').then(close)
  const box = screen.getByRole('combobox', { name: /^Search/ })
  act(() => box.focus())
  fireEvent.keyDown(box, { key: 'c' })
  expect(page!.address()).toBe('/compute/volumes')
  act(() => box.blur())
  press('k', { ctrlKey: true })
  const search = within(await screen.findByRole('dialog', { name: 'Search' }, pageTimeout))
  fireEvent.click(search.getByRole('tab', { name: 'Features' }))
  fireEvent.click(await search.findByRole('switch', { name: 'Keyboard shortcuts' }, pageTimeout))
  await close()
  press('c')
  press('?')
  expect([page!.address(), screen.queryByRole('dialog')]).toEqual(['/compute/volumes', null])
})
