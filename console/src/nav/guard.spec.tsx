import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { create, read, update, type Access } from '@mainstay/contract/core/endpoint'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { setSession } from '../session/session'
import { withLayout } from '../testing/browser'
import { freshSession } from '../testing/fresh-session'
import { renderPage } from '../testing/render-page'
import { setBranding } from '../themes/theme'
import { guard } from './guard'
import { route } from './route'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => {
  vi.unstubAllGlobals()
  page?.close()
})

const open = async (path: string, as?: Parameters<typeof renderPage>[1]['as']) => {
  page = await renderPage(path, { server, ...(as && { as }) })
  return page
}

it('redirects anonymous visitors to sign-in with the return URL [PE-004] [RT-007]', async () => {
  const { address } = await open('/compute/ssh-keys?search=web')
  await screen.findByRole('button', { name: 'Sign in' })
  expect(address()).toBe(`/login?redirectUrl=/compute/ssh-keys%3Fsearch%3Dweb`)
})

it('redirects to the sign-in page of the most recently used domain [ST-005]', async () => {
  page = await renderPage('/void', { server })
  setSession({ domain: 'alpha' })
  await page.router.navigate({ to: '/compute/ssh-keys' })
  await screen.findByRole('button', { name: 'Sign in' })
  expect(page.address()).toBe('/login/alpha?redirectUrl=/compute/ssh-keys')
  expect(screen.queryByLabelText(/Domain/)).toBeNull()
})

it('shows a public page to everyone [PE-003]', async () => {
  await open('/error403')
  await screen.findByRole('heading', { name: 'No access' })
})

it('shows “Page not found” for any other URL [RT-029]', async () => {
  await open('/nowhere/at/all')
  await screen.findByRole('heading', { name: 'Page not found' })
})

it('shows why a page could not be loaded, with its request ID, and reloads it on retry [ER-023]', async () => {
  const { router } = await open('/void', 'project-member')
  const error = { message: 'The permissions could not be read', err_code: 'conflict', request_id: 'req-17' }
  const real = fetch
  vi.stubGlobal('fetch', (address: string, request?: RequestInit) =>
    address.includes('/meta') ? Promise.resolve(Response.json({ error }, { status: 409 })) : real(address, request),
  )
  void router.navigate({ to: '/compute/ssh-keys' })
  const panel = within(await screen.findByRole('alert'))
  expect(panel.getByRole('heading', { name: 'The page could not be loaded' })).toBeTruthy()
  expect(panel.getByText(error.message)).toBeTruthy()
  expect(panel.getByText(error.request_id)).toBeTruthy()
  const reload = vi.fn()
  const { pathname, search, hash, origin } = location
  vi.stubGlobal('location', { pathname, search, hash, origin, reload })
  fireEvent.click(panel.getByRole('button', { name: 'Retry' }))
  expect(reload).toHaveBeenCalledOnce()
})

it('redirects from an area to its first page, which requires sign-in [RT-010]', async () => {
  const anonymous = await open('/compute')
  await screen.findByRole('button', { name: 'Sign in' })
  expect(anonymous.address()).toBe('/login?redirectUrl=/compute/instances')
  anonymous.close()
  const { address } = await open('/compute', 'project-member')
  await screen.findByRole('heading', { name: 'Virtual machines' })
  expect(address()).toBe('/compute/instances')
})

/** A signed-in user whose permissions arrive when the test resolves them. */
function heldPermissions() {
  freshSession()
  setSession({ status: 'signed-in', user: { id: 'u', name: 'mo' } as never, scopedToken: 'token' })
  let resolve!: (permissions: Record<string, string[]>) => void
  const answer = new Promise<Record<string, string[]>>((arrive) => (resolve = arrive))
  vi.stubGlobal('fetch', async () => {
    const permissions = Object.entries(await answer).map(([name, methods]) => [name, { name, methods }])
    return Response.json({ permissions: Object.fromEntries(permissions), scope: { kind: 'project' } })
  })
  return { resolve }
}
const here = { pathname: '/compute/ssh-keys', searchStr: '', hash: '' }
/** Returns `shown` or the path that the guard redirects to. */
const decided = (needs: Access) =>
  guard(needs, here).then(
    () => 'shown',
    (thrown: { options: { to: string } }) => thrown.options.to,
  )

it('waits for the permissions before it decides [PE-005]', async () => {
  const permissions = heldPermissions()
  const seen: string[] = []
  const deciding = decided(read('compute_keys')).then((what) => seen.push(what))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(seen).toEqual([])
  permissions.resolve({ compute_servers: ['GET'] })
  await deciding
  expect(seen).toEqual(['/error403'])
})

it('redirects to the 403 page without the page’s permission; a bare resource name means read [PE-006]', async () => {
  const of = async (needs: Access, methods: string[]) => {
    heldPermissions().resolve({ compute_keys: methods })
    return decided(needs)
  }
  const named = (needs: Parameters<typeof route>[2]['needs']) =>
    route('compute/ssh-keys', () => Promise.reject(new Error('not loaded')), {
      needs,
      texts: 'compute',
      title: 'sshKeys.title',
    }).needs
  for (const [needs, method, others] of [
    [named(read('compute_keys')), 'GET', ['POST', 'PUT', 'PATCH', 'DELETE']],
    [named('compute_keys'), 'GET', ['POST', 'PUT', 'PATCH', 'DELETE']],
    [named(create('compute_keys')), 'POST', ['GET', 'PUT', 'PATCH', 'DELETE']],
    [named(update('compute_keys')), 'PATCH', ['GET', 'POST', 'DELETE']],
  ] as const) {
    expect(await of(needs, [method]), JSON.stringify(needs)).toBe('shown')
    expect(await of(needs, [...others]), JSON.stringify(needs)).toBe('/error403')
  }
  vi.unstubAllGlobals()
  const { address } = await open('/compute/ssh-keys/add', 'viewer')
  await screen.findByRole('heading', { name: 'No access' })
  expect(address()).toBe('/error403')
})

it('sets the window title to the page title and the product name [UI-058]', async () => {
  await open('/compute/ssh-keys', 'project-member')
  const isTitled = (title: string) => vi.waitFor(() => expect(document.title).toBe(title))
  await isTitled('SSH keys - Mainstay')
  try {
    act(() => setBranding({ productName: 'Acme' }))
    await isTitled('SSH keys - Acme')
    act(() => setBranding({ productName: 'Acme', productTitle: 'Acme private cloud' }))
    await isTitled('SSH keys - Acme private cloud')
    await act(() => page!.router.navigate({ to: '/compute/volumes' }))
    await isTitled('Volumes - Acme private cloud')
  } finally {
    act(() => setBranding({}))
  }
})

it('leaves the access-disabled page when access is not disabled [RT-027]', async () => {
  const { address, router } = await open('/access-disabled', 'project-member')
  const visited: string[] = []
  const stop = router.subscribe('onBeforeNavigate', ({ toLocation }) => visited.push(toLocation.pathname))
  await screen.findByRole('heading', { level: 1, name: 'Monitoring' })
  stop()
  expect(visited.find((path) => path !== '/access-disabled')).toBe('/')
  expect(address()).toBe('/monitoring')
})
