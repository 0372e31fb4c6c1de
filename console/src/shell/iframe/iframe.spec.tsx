import { act, fireEvent, screen } from '@testing-library/react'
import { beforeEach, afterEach, expect, it, vi } from 'vitest'
import { volumes } from '@mainstay/contract/storage/volumes'
import { setSession } from '../../session/session'
import { press, enter, field, openPage, page, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'
import { adminRoutes as routes } from '../../admin-routes'

const long = { timeout: 60_000 }
const parent = { postMessage: vi.fn() }
withPages()
beforeEach(() => {
  parent.postMessage.mockClear()
  vi.stubGlobal('parent', parent)
})
afterEach(() => vi.unstubAllGlobals())

const closings = () => parent.postMessage.mock.calls.map(([message]) => message as { type: string })
const frameParts = () => [
  // a form elsewhere is over its page, which nobody can reach then
  screen.queryByRole('link', { name: 'Mainstay: home', hidden: true }),
  screen.queryByRole('navigation', { name: 'Main menu', hidden: true }),
]

it(
  'pages below /iframe have no header, no side menu and no notices at the bottom, and the same page has them elsewhere [IF-001]',
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
    // what comes later, as the corner does, has come
    await act(() => vi.dynamicImportSettled())
    expect(frameParts()).toEqual([null, null])
    expect(screen.queryByText('Something else happened')).toBeNull()
  },
)

it('a form in a frame tells the page around it that it is done, with the id of what it made', long, async () => {
  await openPage('/iframe/ssh-keys/add', 'project-member')
  await enter('Name', 'framed-key')
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }, pageTimeout))
  // what was typed is asked for first
  await press('Discard changes')
  await screen.findByText('Nothing was changed.', {}, pageTimeout)
  expect(closings()).toEqual([{ type: 'close', result: 'cancel', id: null }])

  parent.postMessage.mockClear()
  await openPage('/iframe/volumes/add', 'project-member')
  await enter('Name', 'framed')
  await press('Create volume')
  await screen.findByText('Done.', {}, pageTimeout)
  const { data } = await server.call(volumes.list, { as: 'project-member', query: { name: 'framed' } })
  expect(closings()).toEqual([{ type: 'close', result: 'done', id: data[0]!.id }])
})

it('a step of a form in a frame stays in the frame', long, async () => {
  await openPage('/iframe/instances/add', 'project-member')
  const link = await screen.findByRole('link', { name: /: Flavor$/ }, pageTimeout)
  expect(link.getAttribute('href')).toBe('/iframe/instances/add/flavor')
  await act(() => page!.router.navigate({ href: link.getAttribute('href')! }))
  await screen.findByRole('dialog', { name: 'Flavor' }, pageTimeout)
  expect(closings()).toEqual([])
})

it(
  'only pages that change something stand below /iframe, each with the right that it needs elsewhere',
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

it('in a frame whoever has not signed in is told so, and led to a tab of its own', long, async () => {
  const stranger = await renderPage('/iframe/volumes/add', { server })
  try {
    await screen.findByRole('heading', { name: 'You are not signed in' }, pageTimeout)
    expect(stranger.address()).toBe('/iframe/sign-in?redirectUrl=/iframe/volumes/add')
    const open = screen.getByRole('link', { name: 'Sign in in a new tab' })
    expect([open.getAttribute('href'), open.getAttribute('target')]).toEqual(['/login', '_blank'])
    expect(screen.queryByLabelText('Password')).toBeNull()
  } finally {
    stranger.close()
  }
})

it('a form in a frame says that somebody has signed out, where it stands', long, async () => {
  await openPage('/iframe/volumes/add', 'project-member')
  await field('Name')
  act(() => setSession({ status: 'signed-out', user: null, scopedToken: null, project: null, meta: null }))
  await screen.findByRole('heading', { name: 'You are not signed in' }, pageTimeout)
})
