import { act, fireEvent, screen } from '@testing-library/react'
import { beforeEach, afterEach, expect, it, vi } from 'vitest'
import { volumes } from '@mainstay/contract/storage/volumes'
import { setSession } from '../../session/session'
import { press, enter, field, openPage, page, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'
import { adminRoutes as routes } from '../../admin-routes'

const long = { timeout: 180_000 }
const parent = { postMessage: vi.fn() }
withPages()
beforeEach(() => {
  parent.postMessage.mockClear()
  vi.stubGlobal('parent', parent)
})
afterEach(() => vi.unstubAllGlobals())

const closings = () => parent.postMessage.mock.calls.map(([message]) => message as { type: string })
const frameParts = () => [
  // the link is hidden, because outside a frame the form is a dialog that makes the page behind it inert
  screen.queryByRole('link', { name: 'Mainstay: home', hidden: true }),
  screen.queryByRole('navigation', { name: 'Main menu', hidden: true }),
]

it(
  'pages below /iframe have no header, side menu or notifications, unlike the same pages elsewhere [IF-001]',
  long,
  async () => {
    await openPage('/compute/volumes/add', 'project-member')
    await screen.findByRole('dialog', { name: 'Create volume' }, pageTimeout)
    const { toast } = await import('../../notices/notices')
    act(() => void toast('Something happened'))
    await screen.findByText('Something happened', {}, pageTimeout)
    expect(frameParts()).not.toContain(null)
    await openPage('/iframe/volumes/add', 'project-member')
    await field('Name')
    expect(screen.getByRole('heading', { level: 1, name: 'Create volume' })).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
    act(() => void toast('Something else happened'))
    // wait for lazily loaded parts such as the notifications
    await act(() => vi.dynamicImportSettled())
    expect(frameParts()).toEqual([null, null])
    expect(screen.queryByText('Something else happened')).toBeNull()
  },
)

it(
  'an embedded form tells its parent when it is closed, with the ID of the created object',
  { ...long, tags: 'all' },
  async () => {
    await openPage('/iframe/ssh-keys/add', 'project-member')
    await enter('Name', 'framed-key')
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }, pageTimeout))
    // asks about unsaved input first
    await press('Discard changes')
    await screen.findByText('No changes were made.', {}, pageTimeout)
    expect(closings()).toEqual([{ type: 'close', result: 'cancel', id: null }])

    parent.postMessage.mockClear()
    await openPage('/iframe/volumes/add', 'project-member')
    await enter('Name', 'framed')
    await press('Create volume')
    await screen.findByText('Done.', {}, pageTimeout)
    const { data } = await server.call(volumes.list, { as: 'project-member', query: { name: 'framed' } })
    expect(closings()).toEqual([{ type: 'close', result: 'done', id: data[0]!.id }])
  },
)

it('a step of an embedded form stays in the frame', long, async () => {
  await openPage('/iframe/instances/add', 'project-member')
  const link = await screen.findByRole('link', { name: /: Flavor$/ }, pageTimeout)
  expect(link.getAttribute('href')).toBe('/iframe/instances/add/flavor')
  await act(() => page!.router.navigate({ href: link.getAttribute('href')! }))
  await screen.findByRole('dialog', { name: 'Flavor' }, pageTimeout)
  expect(closings()).toEqual([])
})

it(
  'below /iframe, offers only the pages that make changes, each with the same permissions as elsewhere',
  long,
  async () => {
    await openPage('/iframe/volumes', 'project-member')
    await screen.findByRole('heading', { name: 'Page not found' }, pageTimeout)
    await openPage('/iframe/flavors/add', 'project-member')
    await screen.findByRole('heading', { name: 'No access' }, pageTimeout)
    const changing = routes.filter(({ needs }) => typeof needs === 'object' && needs.ability !== 'read')
    expect(changing.length).toBeGreaterThan(20)
  },
)

it('asks users in a frame to sign in in a new tab', long, async () => {
  const stranger = await renderPage('/iframe/volumes/add', { server })
  try {
    await screen.findByRole('heading', { name: 'You are not signed in' }, pageTimeout)
    expect(stranger.address()).toBe('/iframe/sign-in?redirectUrl=/iframe/volumes/add')
    const open = screen.getByRole('link', { name: 'Open the sign-in page in a new tab' })
    expect([open.getAttribute('href'), open.getAttribute('target')]).toEqual(['/login', '_blank'])
    expect(screen.queryByLabelText('Password')).toBeNull()
  } finally {
    stranger.close()
  }
})

it('an embedded form indicates that the user has signed out', long, async () => {
  await openPage('/iframe/volumes/add', 'project-member')
  await field('Name')
  act(() => setSession({ status: 'signed-out', user: null, scopedToken: null, project: null, meta: null }))
  await screen.findByRole('heading', { name: 'You are not signed in' }, pageTimeout)
})
