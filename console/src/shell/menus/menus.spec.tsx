import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { sessionNow } from '../../session/session'
import { expectAddress, dialog, openPage, page, withPages } from '../../testing/pages'
import { menuByGroup } from '../../testing/menu'
import { pageTimeout } from '../../testing/page-timeout'

const long = { timeout: 180_000 }
withPages()
afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

/** Simulates a window of the given width. */
function widen(to: 'phone' | 'flyout' | 'pinned') {
  const media = { phone: '(max-width: 767px)', pinned: '(min-width: 1280px)', flyout: '' }[to]
  const real = matchMedia
  vi.stubGlobal('matchMedia', (query: string) => Object.assign(real(query), { matches: query === media }))
}
async function open(path: string, width: Parameters<typeof widen>[0]) {
  widen(width)
  await openPage(path, 'project-member')
  await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
  // the heading may be hidden, because an overlay such as a drawer makes the page inert
  await screen.findByRole('heading', { level: 1, hidden: true }, pageTimeout)
  if (width !== 'phone') await vi.waitFor(() => expect(group('Compute')).toBeTruthy(), pageTimeout)
}
const rail = () => within(screen.getByRole('navigation', { name: 'Main menu', hidden: true }))
const group = (name: string) => rail().getByRole('link', { name, hidden: true })
const pagesOf = (name: string) => screen.queryByRole('navigation', { name })
const press = (key: string) => fireEvent.keyDown(document.activeElement!, { key })
const focused = () => document.activeElement!.getAttribute('aria-label') ?? document.activeElement!.textContent

it('shows the permitted pages, each in one group', long, async () => {
  await open('/compute/ssh-keys', 'pinned')
  const shown = Object.entries(await menuByGroup()).map(([name, links]) => [
    name,
    links.map(({ textContent }) => textContent),
  ])
  expect(Object.fromEntries(shown)).toEqual({
    Overview: ['Monitoring', 'Alerts', 'Tasks'],
    Compute: ['Virtual machines', 'Server groups', 'SSH keys'],
    Network: [
      ...['Networks', 'Routers', 'Floating IPs', 'Topology'],
      ...['Security groups', 'Reachability', 'Load balancers', 'VPN'],
    ],
    Storage: ['Storage'],
    'Object storage': ['Buckets', 'Access keys'],
    Protection: ['Backup plans', 'Recovery points', 'Recycle bin'],
  })
})

it('marks the current page and its group, also on subpages', long, async () => {
  await open('/compute/ssh-keys/add', 'pinned')
  expect(group('Compute').getAttribute('aria-current')).toBe('true')
  const current = () =>
    screen
      .getAllByRole('link', { hidden: true })
      .filter((link) => link.closest('[data-one-stop]') && link.hasAttribute('aria-current'))
      .map(({ textContent }) => textContent)
  expect(current()).toEqual(['Compute', 'SSH keys'])
  // topology is under the networks path, but has its own entry
  await act(() => page!.router.navigate({ to: '/compute/networks/topology' }))
  await vi.waitFor(() => expect(current()).toEqual(['Network', 'Topology']), pageTimeout)
  await act(() => page!.router.navigate({ to: '/compute/images' }))
  await vi.waitFor(() => expect(current()).toEqual(['Compute', 'Virtual machines']), pageTimeout)
  // a group with one page links to it and has no column
  await act(() => page!.router.navigate({ to: '/compute/volumes' }))
  await vi.waitFor(() => expect(group('Storage').getAttribute('aria-current')).toBe('page'), pageTimeout)
  expect(pagesOf('Storage')).toBeNull()
})

it('opens the last visited page of a group, remembered per user', long, async () => {
  await open('/compute/ssh-keys', 'pinned')
  expect(group('Network').getAttribute('href')).toBe('/compute/networks')
  await act(() => page!.router.navigate({ to: '/compute/routers' }))
  await act(() => page!.router.navigate({ to: '/tasks' }))
  await vi.waitFor(() => expect(group('Network').getAttribute('href')).toBe('/compute/routers'), pageTimeout)
  await open('/compute/ssh-keys', 'pinned')
  expect(group('Network').getAttribute('href')).toBe('/compute/routers')
  await openPage('/compute/ssh-keys', 'other-member')
  await vi.waitFor(() => expect(group('Network').getAttribute('href')).toBe('/compute/networks'), pageTimeout)
})

it('rail and column are one tab stop each, and arrow keys move within and between them', long, async () => {
  await open('/compute/ssh-keys', 'pinned')
  const stops = (name: string) =>
    within(pagesOf(name)!)
      .getAllByRole('link')
      .filter(({ tabIndex }) => tabIndex === 0)
      .map(({ textContent }) => textContent)
  expect([stops('Main menu'), stops('Compute')]).toEqual([['Compute'], ['SSH keys']])
  act(() => group('Compute').focus())
  press('ArrowUp')
  expect(focused()).toBe('Overview')
  expect(stops('Main menu')).toEqual(['Overview'])
  press('End')
  expect(focused()).toBe('Protection')
  press('ArrowDown')
  expect(focused()).toBe('Overview')
  press('ArrowDown')
  press('ArrowRight')
  expect(focused()).toBe('SSH keys')
  press('Home')
  expect(focused()).toBe('Collapse')
  press('ArrowDown')
  expect(focused()).toBe('Virtual machines')
  press('ArrowLeft')
  expect(focused()).toBe('Compute')
  // in right-to-left layout the arrow keys are swapped
  for (const part of screen.getAllByRole('navigation')) part.style.direction = 'rtl'
  press('ArrowLeft')
  expect(focused()).toBe('SSH keys')
  press('ArrowRight')
  expect(focused()).toBe('Compute')
})

it('opens the flyout on click, and the group’s page on a second click', long, async () => {
  await open('/compute/ssh-keys', 'flyout')
  expect(pagesOf('Compute')).toBeNull()
  expect(group('Network').getAttribute('aria-expanded')).toBe('false')
  fireEvent.click(group('Network'), { detail: 1 })
  expect(pagesOf('Network')).not.toBeNull()
  expect(group('Network').getAttribute('aria-expanded')).toBe('true')
  expect(page!.address()).toBe('/compute/ssh-keys')
  fireEvent.pointerDown(screen.getByRole('heading', { level: 1 }))
  expect(pagesOf('Network')).toBeNull()
  fireEvent.click(group('Network'), { detail: 1 })
  fireEvent.click(group('Network'), { detail: 1 })
  await expectAddress('/compute/networks')
  expect(pagesOf('Network')).toBeNull()
})

it('keyboard activation opens and focuses the flyout; Escape or a choice focuses the rail again', long, async () => {
  await open('/compute/ssh-keys', 'flyout')
  act(() => group('Compute').focus())
  // equivalent to Enter on a link
  fireEvent.click(group('Compute'), { detail: 0 })
  expect(focused()).toBe('SSH keys')
  press('Escape')
  expect([pagesOf('Compute'), focused()]).toEqual([null, 'Compute'])
  press('ArrowRight')
  press('Home')
  press('ArrowDown')
  expect(focused()).toBe('Virtual machines')
  fireEvent.click(document.activeElement!, { detail: 0 })
  await expectAddress('/compute/instances')
  expect([pagesOf('Compute'), focused()]).toEqual([null, 'Compute'])
})

it(
  'opens the flyout after the pointer has rested on a group and closes it after leaving, but ignores touch',
  long,
  async () => {
    await open('/compute/ssh-keys', 'flyout')
    const item = (name: string) => group(name).closest('li')!
    vi.useFakeTimers()
    try {
      fireEvent.pointerEnter(item('Network'), { pointerType: 'touch' })
      void act(() => vi.advanceTimersByTime(1000))
      expect(pagesOf('Network')).toBeNull()
      fireEvent.pointerEnter(item('Network'), { pointerType: 'mouse' })
      void act(() => vi.advanceTimersByTime(149))
      expect(pagesOf('Network')).toBeNull()
      void act(() => vi.advanceTimersByTime(1))
      expect(pagesOf('Network')).not.toBeNull()
      // directly to another group
      fireEvent.pointerEnter(item('Overview'), { pointerType: 'mouse' })
      void act(() => vi.advanceTimersByTime(150))
      await vi.waitFor(() => expect([pagesOf('Network'), pagesOf('Overview') !== null]).toEqual([null, true]))
      fireEvent.pointerLeave(item('Overview').closest('nav')!.parentElement!, { pointerType: 'mouse' })
      void act(() => vi.advanceTimersByTime(300))
      await vi.waitFor(() => expect(pagesOf('Overview')).toBeNull())
    } finally {
      vi.useRealTimers()
    }
  },
)

it('remembers a collapsed column per user, and pins the flyout again', long, async () => {
  await open('/compute/ssh-keys', 'pinned')
  fireEvent.click(screen.getByRole('button', { name: 'Collapse' }))
  expect([pagesOf('Compute'), focused()]).toEqual([null, 'Compute'])
  await open('/compute/ssh-keys', 'pinned')
  expect(pagesOf('Compute')).toBeNull()
  fireEvent.click(group('Compute'), { detail: 0 })
  fireEvent.click(screen.getByRole('button', { name: 'Keep open' }))
  expect([pagesOf('Compute') !== null, focused()]).toEqual([true, 'Collapse'])
})

it('on phones, groups expand in place and the current group starts expanded', long, async () => {
  await open('/compute/ssh-keys', 'phone')
  fireEvent.click(screen.getByRole('button', { name: 'Menu' }))
  const menu = await dialog('Menu')
  const expanded = () => menu.getAllByRole('button', { expanded: true }).map(({ textContent }) => textContent)
  await vi.waitFor(() => expect(expanded()).toEqual(['Compute']))
  fireEvent.click(menu.getByRole('button', { name: 'Network' }))
  await vi.waitFor(() => expect(expanded()).toEqual(['Compute', 'Network']))
  fireEvent.click(menu.getByRole('button', { name: 'Compute' }))
  await vi.waitFor(() => expect(expanded()).toEqual(['Network']))
  expect(menu.queryByRole('link', { name: 'SSH keys' })).toBeNull()
  fireEvent.click(menu.getByRole('link', { name: 'Storage' }))
  await expectAddress('/compute/volumes')
  await vi.waitFor(() => expect(screen.queryByRole('dialog', { name: 'Menu' })).toBeNull(), pageTimeout)
})
