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

/** The way back from the provider: what the cloud's page sends, and the redirects of the server that follow it. */
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

it('the sign-in page offers the identity providers of the domain, and leads to one, with the way back in mind [UI-050] [EN-019]', async () => {
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

it('a domain that is typed has its own providers, and is remembered on the way to one', async () => {
  await open('/login')
  await button('Sign in with Partners')
  const domain = screen.getByLabelText(/^Domain/)
  // most people have no domain to name: it comes after what everybody has
  const fields = screen.getAllByLabelText(/^(User name|Password|Domain)/, { selector: 'input' })
  expect([fields.length, fields.indexOf(domain as HTMLInputElement)]).toEqual([3, 2])
  fireEvent.change(domain, { target: { value: 'alpha' } })
  fireEvent.blur(domain)
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Sign in with Partners' })).toBeNull())
  fireEvent.click(await button('Sign in with The company'))
  await hasLeft()
  expect(readRedirects()).toMatchObject({ domain: 'alpha' })
})

it('the page of a provider goes there by itself, and /auth/success into the project and on [RT-006] [RT-016]', async () => {
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
  await pressAndLoad(await button('fay: account'))
  await screen.findByRole('menuitem', { name: 'Log out' })
  expect(screen.queryByRole('menuitem', { name: 'Change password' })).toBeNull()
})

it('/auth/success asks nobody to be signed in, and keeps the project that was chosen before [RT-015]', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys&project_id=p-two')
  await hasLeft()
  expect(sessionNow().user).toBeNull()
  expect(await comeBack('u-fay')).toBe('/auth/success')
  await comesTo('/compute/ssh-keys')
  expect(sessionNow().project).toEqual({ id: 'p-two', name: 'two' })
  expect(JSON.parse(localStorage.getItem('currentProject')!)).toMatchObject({ id: 'p-two' })
})

it('/auth/success leads to where one wanted to go, or to the start [RT-017]', async () => {
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

it('signing out says so in the address, forgets the provider and does not sign in again [RT-008] [ST-007]', async () => {
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

it('/auth/failed leads back to where one left, with failed=true, its reason and the id of the log [RT-018]', async () => {
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
  // it is not tried again by itself, which would fail again and again
  expect(readRedirects()).toBeNull()
  fireEvent.click(await button('Sign in with The company'))
  await hasLeft()
})

it('what is remembered leads nowhere else, and nothing of a link is shown but an id', async () => {
  sessionStorage.setItem(
    'signIn',
    JSON.stringify({ domain: 'alpha', successRedirect: '//evil.example', failureRedirect: 'https://evil.example' }),
  )
  await open('/auth/failed?reason=call+this+number&id=%3Cb%3Ehello')
  await comesTo('/login/alpha?failed=true&reason=call+this+number&id=%3Cb%3Ehello')
  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toBe('You have not been signed in, by a fault of ours.')
})

it('coming to /auth/success without having signed in leads to sign-in, which says that it is too late', async () => {
  await open('/auth/success')
  await comesTo('/login?failed=true&reason=stale')
  expect((await screen.findByRole('alert')).textContent).toContain('this took too long')
})

it('a provider that is not known leaves the password', async () => {
  await open('/login/alpha/nobody')
  expect((await screen.findByRole('alert')).textContent).toContain('not known here')
  await button('Sign in')
})

it('a session that has ended is begun again at the provider', async () => {
  await open('/login/alpha/company?redirectUrl=/compute/ssh-keys')
  await hasLeft()
  await comeBack('u-fay')
  await screen.findByRole('heading', { name: 'SSH keys' })
  setSession({ isExpired: true })
  await screen.findByText(/Sign in through your identity provider again/)
  expect(screen.queryByLabelText('Password')).toBeNull()
  fireEvent.click(await button('Sign in'))
  await hasLeft()
  expect(readRedirects()).toMatchObject({ domain: 'alpha', projectId: 'p-one', failureRedirect: '/login/alpha' })
})

it('where providers cannot be told, nobody is told that theirs is unknown, and the password is still there', async () => {
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
    expect(alert.textContent).toContain('the cloud does not answer')
    expect(screen.getByLabelText('Password', { selector: 'input' })).toBeTruthy()
  } finally {
    refusing.mockRestore()
  }
})
