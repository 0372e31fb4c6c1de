import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen } from '@testing-library/react'
import { startWithIdentityProvider } from '../../../../server/src/testing/outside/identity-provider'
import { readRedirects } from '../../session/redirect-memory'
import { sessionNow, setSession } from '../../session/session'
import { signOut } from '../../session/sign-out'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pressAndLoad } from '../../testing/press-and-load'

let fixture: Awaited<ReturnType<typeof startWithIdentityProvider>>
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  fixture = await startWithIdentityProvider()
  fixture.directory.assignments.push({ user: 'u-fay', project: 'p-two', role: 'member' })
  const agency = { id: 'agency', description: 'The agency', enabled: true, domain_id: 'd-alpha', protocols: ['openid'] }
  fixture.directory.providers.unshift(agency)
})
afterAll(() => fixture.close())
beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})
afterEach(() => page?.close())

const open = async (path: string) => (page = await renderPage(path, { server: fixture.server }))
const button = (name: string) => screen.findByRole('button', { name })
const comesTo = (address: string) => vi.waitFor(() => expect(page!.address()).toBe(address))
const hasLeft = () => vi.waitFor(() => expect(readRedirects()).not.toBeNull())

/** Simulates the return from the provider: the POST from the cloud’s page and the resulting server redirects. */
async function comeBack(userId: string): Promise<string> {
  const answer = await fetch(`${fixture.server.url}/auth/landing`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: fixture.origin, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'node' },
    body: new URLSearchParams({ token: fixture.tokenOf(userId) }).toString(),
  })
  const entered = await fetch(answer.headers.get('location')!, {
    redirect: 'manual',
    headers: { 'user-agent': 'node' },
  })
  const to = entered.headers.get('location')!
  await page!.router.navigate({ to })
  return to
}

it('offers the domain’s identity providers and remembers the redirects when opening one [UI-050] [EN-019]', async () => {
  await open('/login/alpha?redirectUrl=/compute/ssh-keys&project_id=p-one')
  fireEvent.click(await button('Sign in with The company'))
  expect(screen.queryByRole('button', { name: 'Sign in with Partners' })).toBeNull()
  await hasLeft()
  expect(readRedirects()).toEqual({
    domain: 'alpha',
    projectId: 'p-one',
    successRedirect: '/compute/ssh-keys',
    failureRedirect: '/login/alpha',
  })
})

it('loads the providers for the domain that the user types, and remembers the domain when opening one', async () => {
  await open('/login')
  await button('Sign in with Partners')
  const domain = screen.getByLabelText(/^Domain/)
  // few users need the domain field, so it comes last
  const fields = screen.getAllByLabelText(/^(Username|Password|Domain)/, { selector: 'input' })
  expect([fields.length, fields.indexOf(domain as HTMLInputElement)]).toEqual([3, 2])
  fireEvent.change(domain, { target: { value: 'alpha' } })
  fireEvent.blur(domain)
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Sign in with Partners' })).toBeNull())
  fireEvent.click(await button('Sign in with The company'))
  await hasLeft()
  expect(readRedirects()).toMatchObject({ domain: 'alpha' })
})

it('redirects to the provider automatically, and /auth/success enters the project and opens the requested page [RT-006] [RT-016]', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys')
  await hasLeft()
  expect(await comeBack('u-fay')).toBe('/auth/success')
  await screen.findByRole('heading', { name: 'SSH keys' })
  await comesTo('/compute/ssh-keys')
  expect(readRedirects()).toBeNull()
  expect(sessionNow()).toMatchObject({
    status: 'signed-in',
    domain: 'alpha',
    project: { id: 'p-one', name: 'one' },
    user: { name: 'fay', external_provider: 'company' },
  })
  await pressAndLoad(await button('Account menu: fay'))
  await screen.findByRole('menuitem', { name: 'Sign out' })
  expect(screen.queryByRole('menuitem', { name: 'Change password' })).toBeNull()
})

it('/auth/success needs no session and enters the previously chosen project [RT-015]', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys&project_id=p-two')
  await hasLeft()
  expect(sessionNow().user).toBeNull()
  expect(await comeBack('u-fay')).toBe('/auth/success')
  await comesTo('/compute/ssh-keys')
  expect(sessionNow().project).toEqual({ id: 'p-two', name: 'two' })
  expect(JSON.parse(localStorage.getItem('currentProject')!)).toMatchObject({ id: 'p-two' })
})

it('/auth/success opens the requested page or the start page [RT-017]', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/volumes')
  await hasLeft()
  await comeBack('u-fay')
  await comesTo('/compute/volumes')
  page!.close()
  sessionStorage.clear()
  await open('/login/alpha/company')
  await hasLeft()
  expect(readRedirects()).toMatchObject({ successRedirect: null })
  const visited: string[] = []
  const stop = page!.router.subscribe('onBeforeNavigate', ({ toLocation }) => visited.push(toLocation.pathname))
  await comeBack('u-fay')
  await vi.waitFor(() => expect(visited).toContain('/'))
  stop()
})

it('signing out adds logout=true to the URL, drops the provider and does not sign in again [RT-008] [ST-007]', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys')
  await hasLeft()
  await comeBack('u-fay')
  await screen.findByRole('heading', { name: 'SSH keys' })
  await signOut()
  await comesTo('/login/alpha?redirectUrl=/compute/ssh-keys&logout=true')
  await screen.findByText('You have been signed out.')
  expect(sessionNow().user).toBeNull()
  page!.close()
  await open('/login/alpha/company?logout=true')
  await button('Sign in with The company')
  expect(readRedirects()).toBeNull()
})

it('/auth/failed returns to the original page with failed=true, the reason and the ID in the server log [RT-018]', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys')
  await hasLeft()
  const cloud = fixture.directory.users.find(({ id }) => id === 'u-fay')!
  cloud.enabled = false
  try {
    const to = await comeBack('u-fay')
    const id = new URL(to, 'http://console').searchParams.get('id')!
    await comesTo(`/login/alpha/company?failed=true&redirectUrl=/compute/ssh-keys&reason=access_disabled&id=${id}`)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('access is disabled for your account')
    expect(alert.textContent).toContain(id)
  } finally {
    cloud.enabled = true
  }
  // no automatic retry, which could loop
  expect(readRedirects()).toBeNull()
  fireEvent.click(await button('Sign in with The company'))
  await hasLeft()
})

it('ignores external redirects and shows nothing from the URL except a valid ID', async () => {
  sessionStorage.setItem(
    'signIn',
    JSON.stringify({ domain: 'alpha', successRedirect: '//evil.example', failureRedirect: 'https://evil.example' }),
  )
  await open('/auth/failed?reason=call+this+number&id=%3Cb%3Ehello')
  await comesTo('/login/alpha?failed=true&reason=call+this+number&id=%3Cb%3Ehello')
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toBe('Sign-in failed because of an internal error.')
})

it('/auth/success without a sign-in returns to the sign-in page and explains that it took too long', async () => {
  await open('/auth/success')
  await comesTo('/login?failed=true&reason=stale')
  expect((await screen.findByRole('alert')).textContent).toContain('it took too long')
})

it('falls back to the password for an unknown provider', async () => {
  await open('/login/alpha/nobody')
  expect((await screen.findByRole('alert')).textContent).toContain('was not found')
  await button('Sign in')
})

it('renews an expired session through the provider', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys')
  await hasLeft()
  await comeBack('u-fay')
  await screen.findByRole('heading', { name: 'SSH keys' })
  setSession({ isExpired: true })
  await screen.findByText(/Sign in again through your identity provider/)
  expect(screen.queryByLabelText('Password')).toBeNull()
  fireEvent.click(await button('Sign in'))
  await hasLeft()
  expect(readRedirects()).toMatchObject({ domain: 'alpha', projectId: 'p-one', failureRedirect: '/login/alpha' })
})

it('offers password sign-in if the providers cannot be loaded, without calling the provider unknown', async () => {
  await open('/login/alpha')
  await button('Sign in with The company')
  const browse = globalThis.fetch
  const refusing = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const isOfProviders = typeof input === 'string' && input.startsWith('/api/v2/login/providers')
    return isOfProviders ? Promise.reject(new TypeError('Failed to fetch')) : browse(input, init)
  })
  try {
    await page!.router.navigate({ to: '/login/alpha/company' })
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('the cloud is not responding')
    expect(screen.getByLabelText('Password', { selector: 'input' })).toBeTruthy()
  } finally {
    refusing.mockRestore()
  }
})
